"""The problem of this benchmark and the judge of every answer: a linear SVM without an intercept.

::

    J(w) = lam/2 |w|^2 + (1/n) sum_i [1 - y_i <x_i, w>]_+,      lam = 1/(n C)

``value`` is a proven upper bound of J(w), ``gap`` of J(w) - min J, and ``relative_gap`` of the gap over J(w). All come
from ``pragam.certify`` with one dual point, which is found before any clock starts and bounds min J from below. A
solver proposes w and nothing else, so the judge is the same for all.
"""

from benchmark_utils import CertifiedGap

import pragam
from benchopt import BaseObjective

#: How closely min J is known, relatively, and for how many seconds that may be tried.
_REFERENCE_TOL, _REFERENCE_SECONDS = 1e-10, 120


class Objective(BaseObjective):
    name = "Linear SVM (hinge loss, no intercept)"
    parameters = {"C": [1.0]}  # noqa: RUF012 (benchopt's convention)
    requirements = ["pip::pragam"]  # noqa: RUF012
    min_benchopt_version = "1.10"
    sampling_strategy = "iteration"
    stopping_criterion = CertifiedGap()

    def skip(self, X, y):
        return X is None, "it is not in the local data folder, PRAGAM_DATA"

    def set_data(self, X, y):
        self.X, self.y = X, y
        self.problem = pragam.hinge(X, y, lam=1 / (len(y) * self.C), bias=False)
        best = pragam.solve(self.problem, tol=_REFERENCE_TOL, max_seconds=_REFERENCE_SECONDS)
        self.alpha = best.alpha

    def get_objective(self):
        return {"X": self.X, "y": self.y, "C": self.C}

    def evaluate_result(self, w):
        proof = pragam.certify(self.problem, w, self.alpha)
        return {"value": proof.primal, "gap": proof.gap, "relative_gap": proof.relative_gap}

    def get_one_result(self):
        return {"w": self.problem.w_of_alpha(self.alpha)}
