"""A stored Problem as integers: every float is m 2^e, so the problem itself has an exact form.

Only the arrays are read (values, indices, scales, bounds); no product, projection or kernel of pragam is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pragam.operators import Counting, CrammerSinger
from pragam.operators.storage import Csc, Dense
from pragam.polytopes import Box, BoxPlane, Simplices


@dataclass(frozen=True)
class Ints:
    """The numbers ``values[i] * 2**exponent``; None stands for an infinite bound."""

    values: list
    exponent: int

    def at(self, exponent):
        """The same numbers as integers at a finer or equal exponent."""
        shift = self.exponent - exponent
        return self.values if shift == 0 else [v if v is None else v << shift for v in self.values]

    def times(self, other):
        """Every number times the single number ``other``."""
        factor = other.values[0]
        return Ints([v if v is None else v * factor for v in self.values], self.exponent + other.exponent)

    def fractions(self):
        unit = power(self.exponent)
        return [v if v is None else v * unit for v in self.values]


def ints(numbers):
    """The floats as :class:`Ints`, infinite ones as None."""
    numbers = np.atleast_1d(np.asarray(numbers, dtype=np.float64)).ravel()
    finite = np.isfinite(numbers)
    mantissas, exponents = np.frexp(np.where(finite, numbers, 0.0))
    mantissas = np.ldexp(mantissas, 53).astype(np.int64)
    used = mantissas != 0
    low = int((exponents[used] - 53).min(initial=5000)) if used.any() else 0
    shifts = np.where(used, exponents - 53 - low, 0).tolist()
    rows = zip(mantissas.tolist(), shifts, finite.tolist(), strict=True)
    return Ints([m << e if f else None for m, e, f in rows], low)


def power(exponent):
    return Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)


def align(*groups):
    """The lists of all groups at their common exponent, and that exponent."""
    exponent = min(group.exponent for group in groups)
    return *(group.at(exponent) for group in groups), exponent


def dot(row, vector):
    """<row, vector> for a sparse row {column: integer}."""
    return sum(value * vector[j] for j, value in row.items())


@dataclass(frozen=True)
class Form:
    """max over alpha of <c, alpha> - sum_i kappa_i/2 alpha_i^2 - |A' alpha|^2/(2 lam), and its primal.

    lower <= alpha <= upper, and sum of sigma_i alpha_i = level_p over plane p; ``groups[i]`` is the plane of
    row i, or -1. A row of A is {column: integer} at the exponent ``rows_exponent``. ``simplices`` is K for a product
    of simplices, else 0.
    """

    rows: list
    rows_exponent: int
    n_weights: int
    c: Ints
    lower: Ints
    upper: Ints
    sigma: Ints
    levels: Ints
    groups: list
    lam: Fraction
    kappa: list
    simplices: int

    @property
    def n_planes(self):
        return len(self.levels.values)


def form(problem):
    """The exact form of a problem as it is stored."""
    rows, exponent = _rows(problem.A)
    Q, m = problem.domain, len(rows)
    if isinstance(Q, Simplices):
        totals = np.repeat(Q.totals, Q.K)
        groups = np.arange(m) // Q.K
        sides = np.zeros(m), totals, np.ones(m), Q.totals
    elif isinstance(Q, BoxPlane):
        groups = np.where(Q.sigma != 0, 0, -1)
        sides = Q.lower, Q.upper, Q.sigma, [Q.z]
    elif type(Q) is Box:
        groups, sides = np.full(m, -1), (Q.lower, Q.upper, np.zeros(m), [])
    else:
        raise TypeError(f"the judge does not know the set {type(Q).__name__}")
    K = Q.K if isinstance(Q, Simplices) else 0
    lam, kappa = Fraction(problem.lam), [Fraction(k) for k in np.broadcast_to(problem.g.curvature, m).tolist()]
    return Form(rows, exponent, problem.n_weights, ints(problem.c), *map(ints, sides), groups.tolist(), lam, kappa, K)


def _rows(A):
    while isinstance(A, Counting):
        A = A.operator
    rows, exponent = _stored(A.storage)
    if isinstance(A, CrammerSinger):
        return [_difference(row, k, y, A.storage.shape[1]) for row, y in zip(rows, A.y_index.tolist(), strict=True)
                for k in range(A.K)], exponent  # fmt: skip
    scale = ints(A.scale)
    scaled = [{j: v * s for j, v in row.items()} for row, s in zip(rows, scale.values, strict=True)]
    return scaled, exponent + scale.exponent


def _difference(row, k, y, d):
    """The row of <w_k - w_y, x>: x in block k, -x in block y."""
    if k == y:
        return {}
    return {k * d + j: v for j, v in row.items()} | {y * d + j: -v for j, v in row.items()}


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
