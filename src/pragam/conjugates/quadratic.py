"""g(alpha) = 1/2 sum_j kappa_j alpha_j^2: smoothed losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.conjugates.base import Conjugate
from pragam.numerics.rounding import TINY, Vector, dot, gamma, is_subnormal
from pragam.polytopes.base import Curvature, Polytope
from pragam.polytopes.needs import HasMultipliers


class Quadratic(Conjugate):
    """``kappa`` is a number >= 0, or one for each dual variable."""

    rigorous = True

    def __init__(self, kappa: ArrayLike) -> None:
        values = np.array(kappa, dtype=np.float64)
        if values.ndim > 1 or not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError(f"kappa must be a finite number >= 0, or a vector of them, not {kappa!r:.80}")
        self._kappa: Curvature = float(values) if values.ndim == 0 else values
        # Below TINY kappa may be read as zero.
        self._unseen = is_subnormal(values.reshape(-1))
        self._most = np.where(self._unseen, TINY, values)

    @property
    def curvature(self) -> Curvature:
        return self._kappa

    def check(self, Q: Polytope) -> None:
        if np.ndim(self._kappa) and np.size(self._kappa) != Q.size:
            raise ValueError(f"kappa has {np.size(self._kappa)} entries, and Q has dimension {Q.size}")
        Q.check_curvature(self._kappa)

    def value(self, alpha: Vector) -> float:
        return 0.5 * float(self._kappa * alpha @ alpha)

    def value_bound_at(self, alpha: Any, x: Vector) -> tuple[float, float]:
        if isinstance(self._kappa, float):
            square, error = dot(x, x)
            lost = 1.01 * TINY * (square + error) if self._unseen[0] else 0.0
            return 0.5 * self._kappa * square, self._kappa * error + lost
        square, error = dot(self._kappa * x, x)
        size = np.abs(x)
        small = size[self._unseen]
        lost = 1.01 * TINY * (float(np.sum(size)) + float(small @ small))  # where kappa x, or kappa, is below TINY
        return 0.5 * square, 0.5 * error + gamma(2) * square + lost

    def change_bound(self, alpha: Vector, rows: NDArray[np.int64], moves: Vector) -> float:
        kappa = np.broadcast_to(self._most, alpha.shape)[rows]
        return 1.01 * float(kappa * (np.abs(alpha[rows]) + moves) @ moves) + 2 * len(rows) * TINY

    def oracle(self, Q: Polytope, s: Vector) -> Vector:
        return Q.prox(s, self._kappa)

    def prox(self, Q: Polytope, s: Vector, mu: float) -> Vector:
        return Q.prox(s, self._kappa + mu)

    def support(self, Q: Polytope, s: Vector) -> float:
        return Q.support(s, self._kappa)

    def multipliers(self, Q: HasMultipliers, s: Vector) -> Vector:
        return Q.multipliers(s, self._kappa)

    def support_bound(self, Q: Polytope, s: Vector, slack: Vector) -> tuple[float, float]:
        return Q.support_bound(s, slack, self._kappa)

    def take(self, rows: NDArray[np.int64], growth: float | Vector = 1.0) -> Quadratic:
        kappa = self._kappa if isinstance(self._kappa, float) else self._kappa[rows]
        return Quadratic(kappa / growth)

    def __repr__(self) -> str:
        what = self._kappa if isinstance(self._kappa, float) else f"<{self._kappa.size} numbers>"
        return f"Quadratic({what})"
