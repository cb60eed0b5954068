"""A stored Problem as integers: every float is m 2^e, so the problem itself has an exact form.

Only the arrays are read (values, indices, scales, bounds); no product, projection or kernel of pragam is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from exact_numbers import Ints, ints
from exact_sets import BoxSet, PairSet, SimplexSet
from pragam.operators import Counting, LabelRows
from pragam.operators.storage import Csc, Dense
from pragam.polytopes import Box, Pairs, Simplices


@dataclass(frozen=True)
class Form:
    r"""Everything that J and D depend on, as rational numbers:

        J(w, b)  = value + lam/2 |w|^2 + <weights, w> + <levels, b>
                   + max over alpha in Q of <alpha - origin, A w + B b> + <c, alpha> - g(alpha)
        D(alpha) = value + <c, alpha> - g(alpha) - |A' (alpha - origin) + weights|^2 / (2 lam),
                   alpha in Q,  B' (alpha - origin) + levels = 0

    where value, weights and levels are the problem's rest, and g(alpha) = sum_i kappa_i/2 alpha_i^2. A row of A is
    {column: integer} at the exponent ``rows_exponent``. Row i of B is sigma_i in column ``groups[i]``, or -1 for none.
    ``Q`` is one of the sets of exact_sets.
    """

    rows: list
    rows_exponent: int
    n_weights: int
    c: Ints
    sigma: Ints
    groups: list
    n_planes: int
    origin: Ints
    Q: Any
    lam: Fraction
    kappa: list
    rest_weights: Ints
    rest_levels: Ints
    rest_value: Fraction

    def planes(self):
        """B' alpha of every feasible point."""
        levels = [-level for level in self.rest_levels.fractions()]
        for group, s, a in zip(self.groups, self.sigma.fractions(), self.origin.fractions(), strict=True):
            if group >= 0 and a:
                levels[group] += s * a
        return levels


def form(problem):
    """The exact form of a problem as it is stored."""
    rows, exponent = _rows(problem.A)
    B, m, rest = problem.B, len(rows), problem.rest
    groups = np.where(B.sigma != 0, B.group, -1).tolist()
    origin = np.zeros(m) if problem.origin is None else problem.origin
    weights = np.zeros(problem.n_weights) if rest.weights is None else rest.weights
    levels = np.zeros(problem.n_biases) if rest.levels is None else rest.levels
    kappa = [Fraction(k) for k in np.broadcast_to(problem.g.curvature, m).tolist()]
    rest = ints(weights), ints(levels), Fraction(rest.value)
    plain = rows, exponent, problem.n_weights, ints(problem.c)
    planes = ints(B.sigma), groups, problem.n_biases
    return Form(*plain, *planes, ints(origin), _set(problem.Q), Fraction(problem.lam), kappa, *rest)


def _set(Q):
    if isinstance(Q, Simplices):
        return SimplexSet(ints(Q.totals), Q.K)
    if isinstance(Q, Pairs):
        return PairSet(ints(Q.totals), Q.wrong.tolist())
    if type(Q) is Box:
        return BoxSet(ints(Q.lower), ints(Q.upper))
    raise TypeError(f"the judge does not know the set {type(Q).__name__}")


def _rows(A):
    while isinstance(A, Counting):
        A = A.operator
    rows, exponent = _stored(A.storage)
    if isinstance(A, LabelRows):
        d, K = A.storage.shape[1], A.K
        rows = [{k * d + j: v for j, v in row.items()} for row in rows for k in range(K)]
    elif A.number is not None:
        rows = [rows[i] for i in A.number.tolist()]
    if A.scale is None:
        return rows, exponent
    scale = ints(A.scale)
    scaled = [{j: v * s for j, v in row.items()} for row, s in zip(rows, scale.values, strict=True)]
    return scaled, exponent + scale.exponent


def _stored(storage):
    """The rows of X as {column: integer}, repeated entries summed, at one exponent."""
    n = storage.shape[0]
    if isinstance(storage, Dense):
        values = np.asarray(storage.X, dtype=np.float64)
        i, j = np.indices(values.shape)
    else:
        data, minor, indptr = (storage.T if isinstance(storage, Csc) else storage).arrays
        major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        values, minor = data[: len(major)], minor[: len(major)]
        i, j = (minor, major) if isinstance(storage, Csc) else (major, minor)
    numbers = ints(values)
    rows = [{} for _ in range(n)]
    for row, column, value in zip(i.ravel().tolist(), j.ravel().tolist(), numbers.values, strict=True):
        if value:
            rows[row][column] = rows[row].get(column, 0) + value
    return rows, numbers.exponent
