"""A stored Problem in the exact form of the package's judge.

Only the arrays are read (values, indices, scales, bounds); no product, projection or kernel of pragam is used.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from exact_smoothed import SmoothedPairs, SmoothedSimplices
from pragam import polytopes
from pragam.certificate.exact.form import Form
from pragam.certificate.exact.numbers import inner, numbers, of_fractions, plus
from pragam.certificate.exact.rows import Rows
from pragam.certificate.exact.sets import Box
from pragam.operators import Counting, LabelRows
from pragam.operators.storage import Csc, Dense
from pragam.problem import Rest


class StoredForm(Form):
    """A form with a ``rest``: <weights, w> and a value are added to J, and weights to the image of alpha."""

    rest: Rest

    def primal(self, w, b):
        """J(w, b)."""
        fixed = 0 if self.rest.weights is None else inner(numbers(self.rest.weights), w)
        return super().primal(w, b) + fixed + Fraction(self.rest.value)

    def dual(self, alpha):
        """D(alpha)."""
        return super().dual(alpha) + Fraction(self.rest.value)

    def image(self, alpha):
        """A' (alpha - origin) + weights."""
        plain = super().image(alpha)
        return plain if self.rest.weights is None else plus(plain, numbers(self.rest.weights))


def form(problem):
    """The exact form of a problem as it is stored."""
    A, B = problem.A, problem.B
    while isinstance(A, Counting):
        A = A.operator
    m, K = A.shape[0], A.K if isinstance(A, LabelRows) else 1
    number = getattr(A, "number", None)
    number = np.arange(m) // K if number is None else number
    scale = np.ones(m) if A.scale is None else A.scale
    plane = np.where(B.sigma != 0, B.group, -1).tolist()
    origin = numbers(np.zeros(m) if problem.origin is None else problem.origin)
    sigma, kappa = numbers(B.sigma), numbers(np.broadcast_to(problem.g.curvature, m))
    X = Rows(arrays_of(A.storage), A.storage.shape[1])
    rows = X, number.tolist(), (np.arange(m) % K).tolist(), K, numbers(scale)
    planes = sigma, plane, _levels(problem, sigma, plane, origin)
    found = StoredForm(*rows, numbers(problem.c), *planes, origin, kappa, _set(problem.Q), Fraction(problem.lam))
    found.rest = problem.rest
    return found


def _levels(problem, sigma, plane, origin):
    """B' alpha of every feasible point: B' origin less the levels of the rest."""
    fixed = problem.rest.levels
    levels = [-Fraction(x) for x in (np.zeros(problem.n_biases) if fixed is None else fixed).tolist()]
    for k, s, a in zip(plane, sigma.fractions(), origin.fractions(), strict=True):
        if k >= 0:
            levels[k] += s * a
    return of_fractions(levels)


def _set(Q):
    if isinstance(Q, polytopes.Simplices):
        return SmoothedSimplices(numbers(Q.totals), Q.K)
    if isinstance(Q, polytopes.Pairs):
        return SmoothedPairs(numbers(Q.totals), Q.wrong.tolist())
    if type(Q) is polytopes.Box:
        return Box(numbers(Q.lower), numbers(Q.upper))
    raise TypeError(f"the judge does not know the set {type(Q).__name__}")


def arrays_of(storage):
    """X as the judge takes it: dense, or (data, indices, indptr). The repeated entries of a CSC matrix stay apart."""
    if isinstance(storage, Dense):
        return np.asarray(storage.X)
    if not isinstance(storage, Csc):
        return tuple(storage.arrays)
    data, rows, indptr = storage.T.arrays
    columns = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    data, rows = data[: len(columns)], rows[: len(columns)]
    order = np.argsort(rows, kind="stable")
    return data[order], columns[order], np.r_[0, np.cumsum(np.bincount(rows, minlength=storage.shape[0]))]
