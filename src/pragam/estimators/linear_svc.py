"""A linear support vector classifier that knows how good it is."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from pragam.estimators import advice
from pragam.estimators.classifier import CertifiedClassifier, counts
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import Problem
from pragam.risks.one_vs_rest import one_vs_rest
from pragam.risks.scaling import lam_of


class LinearSVC(CertifiedClassifier):
    r"""Linear SVM with the hinge loss and an unpenalised intercept, trained to a certified duality gap.

    Minimises  1/2 |w|^2 + C sum_i weight_i [1 - y_i (<x_i, w> + b)]_+ ; more than two classes are done one against
    the rest. In the scaling of :func:`pragam.hinge`, lam = 1/(n C).

    Parameters
    ----------
    C : float > 0
        Weight of the loss.
    fit_intercept : bool
        Whether there is an intercept b. It is not penalised.
    tol : float >= 0
        The relative duality gap to certify: the objective is then at most ``tol`` (relatively) above its minimum.
    solver : str
        One of ``pragam.solvers.names()``.
    class_weight : dict, "balanced" or None
    max_iter, max_seconds : budgets, None for none
        When one ends first, the best model so far is kept, with its gap, and a ConvergenceWarning says so.
        So does Ctrl-C.
    warm_start : bool
        Start from the previous fit's dual variables if it had as many rows and the same classes.
    n_jobs : int or None
        Threads for the one-vs-rest problems.
    random_state : int, RandomState or None
        None is a fixed seed: equal fits give equal models.
    verbose : int
        1 shows the progress of the gap, on one line for all classes.

    Attributes
    ----------
    coef_, intercept_, classes_ : the model, as in scikit-learn
    dual_coef_ : (1 or n_classes, n_support) array
        y_i alpha_i / lam, between -C and C times the weight; ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap.
    support_ : indices of the rows with a nonzero dual variable, in any of the problems
    n_support_ : (n_classes,) how many of them each class has
    certificate_ : Certificate
        With several classes that of the sum of the one-vs-rest problems, which is one problem.
    status_ : Status, with several classes the worst
    certificates_, histories_, statuses_ : lists, one entry per problem
    n_iter_ : int, the most iterations that a problem took
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        **CertifiedClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
    }
    _several = "one-vs-rest problems"

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        solver: str = "auto",
        class_weight: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol, solver=solver, class_weight=class_weight, max_iter=max_iter, max_seconds=max_seconds,
            warm_start=warm_start, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )  # fmt: skip
        self.C = C
        self.fit_intercept = fit_intercept

    def _problems(self, X: Storage, y: NDArray[Any], weights: Vector) -> list[Problem]:
        return one_vs_rest(X, y, self.classes_, lam_of(self.C, len(y)), self.fit_intercept, weights)

    def _advice(self, data: Storage, y: NDArray[Any], weights: Vector) -> str:
        scores = data.matmat(self.coef_) + self.intercept_
        codes = scores.argmax(axis=1) if len(self.coef_) > 1 else (scores[:, 0] > 0).astype(np.int64)
        return advice.never_predicted(self.classes_, codes, counts(self.classes_, y, weights), self.class_weight)
