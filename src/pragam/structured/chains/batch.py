"""Chains with one number of labels, one after the other in flat arrays, and Newton's method on all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads

#: More Newton steps than any chain has needed: random tables take 5 to 40.
_MOST = 500
#: What rounding may leave of a constraint, in units of eps times the largest score, for each label and table.
_ROUNDING = 64
#: Where that is more, the tables do not say where the projection is.
_LARGEST_RESIDUAL = 1e-3
_EPS = float(np.finfo(np.float64).eps)


class ChainBatch(NamedTuple):
    """Tables to project, their weights d_t^2, the number of tables of each chain (at least 1), and the chains' numbers
    in what the caller was given, for messages."""

    m: Vector  # (tables, K, K); -inf forbids an edge
    weight: Vector  # (tables,)
    lengths: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def first(self) -> NDArray[np.int64]:
        """The first table of each chain."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def n_potentials(self) -> int:
        """K for each node."""
        return (len(self.m) + len(self.lengths)) * self.m.shape[-1]

    def pruned(self) -> ChainBatch:
        """Without the edges that no allowed labelling can have. ValueError if a chain has no such labelling."""
        if self.m.min(initial=0.0) > -np.inf:
            return self
        parts = np.split(self.m, self.first[1:])
        return self._replace(m=np.concatenate([_pruned(m, b) for m, b in zip(parts, self.numbers, strict=True)]))

    def residuals(self, tol: float) -> Vector:
        """At which residual the projection of each chain ends: ``tol``, or more where rounding leaves more."""
        largest = np.maximum.reduceat(_largest(self.m.reshape(len(self.m), -1)), self.first)
        spread = np.maximum.reduceat(self.weight, self.first) / np.minimum.reduceat(self.weight, self.first)
        within = _ROUNDING * _EPS * self.m.shape[-1] * self.lengths * np.maximum(largest, 1.0) * spread
        within = np.maximum(within, tol)
        for k in np.flatnonzero(~(within <= max(tol, _LARGEST_RESIDUAL)))[:1].tolist():
            raise ValueError(
                f"m[{self.numbers[k]}] cannot be projected in float64: its scores are up to {largest[k]:.1e}, and its "
                f"squared weights {spread[k]:.1e} times apart"
            )
        return within

    def newton(self, tols: Vector, start: Vector | None = None) -> tuple[Vector, Vector]:
        """The projections, (tables, K, K), and their potentials, flat: a start for chains near these."""
        n, K = len(self.lengths), self.m.shape[-1]
        alpha, u = np.empty(self.m.size), np.zeros(self.n_potentials) if start is None else start.copy()
        first = self.first + np.arange(n)  # node of each chain; no constraint has the ends, so they have no multiplier
        u.reshape(-1, K)[np.concatenate([first, first + self.lengths])] = 0.0
        steps, residuals, project = np.zeros(n, dtype=np.int64), np.full(n, np.inf), _kernels.get("chain_project")
        m, threads = np.ascontiguousarray(self.m).ravel(), n_threads(self.m.size)
        # A start from far away may be worse than none.
        for is_warm in (False,) if start is None else (True, False):
            project(m, self.weight, self.lengths, K, is_warm, tols, _MOST, u, alpha, steps, residuals, threads)
            if (residuals <= tols).all():
                return alpha.reshape(self.m.shape), u
        raise ArithmeticError(f"a projection has ended with a residual of {residuals.max():.1e}")


def _largest(rows: Vector) -> Vector:
    """The largest size of what is not -inf in each row."""
    low = rows.min(axis=1)
    if not low.min() > -np.inf:
        low = np.where(rows > -np.inf, rows, 0.0).min(axis=1)
    return np.maximum(np.maximum(rows.max(axis=1), -low), 0.0)


def _pruned(m: Vector, b: int) -> Vector:
    allowed = m > -np.inf
    if allowed.all():
        return m
    T, K = m.shape[:2]
    begins, ends = np.ones((T + 1, K), dtype=bool), np.ones((T + 1, K), dtype=bool)
    for t in range(T):
        begins[t + 1] = (allowed[t] & begins[t, :, None]).any(axis=0)
    for t in range(T - 1, -1, -1):
        ends[t] = (allowed[t] & ends[t + 1]).any(axis=1)
    if not begins[T].any():
        raise ValueError(f"m[{b}] forbids every labelling")
    return np.where(allowed & begins[:-1, :, None] & ends[1:, None, :], m, -np.inf)
