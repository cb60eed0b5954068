"""Products of scaled simplices: the dual variables of a mean of maxima, such as the multiclass hinge."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.polytopes.base import Polytope, Vector
from pragam.polytopes.box import relative
from pragam.polytopes.simplex_projection import project_simplex


class Simplices(Polytope):
    r"""Q = {alpha in R^(n x K) : alpha >= 0, sum_k alpha_ik = totals_i}, with alpha flat, row after row.

    support(s) = sum_i totals_i max_k s_ik
    """

    def __init__(self, totals: ArrayLike, K: int) -> None:
        self.totals = np.array(totals, dtype=np.float64)
        if self.totals.ndim != 1 or not np.all((self.totals >= 0) & (self.totals < np.inf)):
            raise ValueError("totals must be a vector of non-negative finite numbers")
        if K < 1:
            raise ValueError(f"K must be at least 1, got {K}")
        self.K = int(K)
        self.size = self.totals.size * self.K

    def violation(self, alpha: Vector) -> float:
        if np.isnan(alpha).any():
            return np.inf
        rows = self._rows(alpha)
        negative = -float(rows.min(initial=0.0))
        residual = float(np.abs(rows.sum(axis=1) - self.totals).max(initial=0.0))
        return relative(max(negative, residual), float(self.totals.max(initial=0.0)))

    def project(self, v: Vector) -> Vector:
        return project_simplex(self._rows(v), self.totals).ravel()

    def maximise_linear(self, s: Vector) -> Vector:
        alpha = np.zeros((self.totals.size, self.K))
        np.put_along_axis(alpha, self._rows(s).argmax(axis=1)[:, None], self.totals[:, None], axis=1)
        return alpha.ravel()

    def support(self, s: Vector, kappa: float = 0.0) -> tuple[float, float | None]:
        if kappa > 0:
            alpha = self.project(s / kappa)
            return float(np.sum(alpha * (s - 0.5 * kappa * alpha))), None
        return float(np.sum(self.totals * self._rows(s).max(axis=1))), None

    def radius2(self, centre: Vector | None = None) -> float:
        c = np.zeros((1, self.K)) if centre is None else self._rows(centre)
        # A convex function is largest at a vertex: totals_i at the entry where the centre is smallest.
        worst = np.sum(c**2, axis=1) - 2 * self.totals * c.min(axis=1) + self.totals**2
        return 0.5 * float(np.sum(worst))

    def sample(self, rng: np.random.Generator) -> Vector:
        inner = self.totals[:, None] * rng.dirichlet(np.ones(self.K), size=self.totals.size)
        faces = self._rows(self.project(rng.standard_normal(self.size) * self.totals.repeat(self.K)))
        return np.where(rng.random((self.totals.size, 1)) < 0.5, inner, faces).ravel()

    def _rows(self, x: Vector) -> NDArray[np.float64]:
        return x.reshape(self.totals.size, self.K)


class Simplex(Simplices):
    """Q = {alpha in R^size : alpha >= 0, sum_k alpha_k = total}."""

    def __init__(self, size: int, total: float = 1.0) -> None:
        super().__init__([total], size)
