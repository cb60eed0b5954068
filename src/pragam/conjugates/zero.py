"""g = 0: piecewise linear losses. The maximum over Q is that of a linear function."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.conjugates.base import Conjugate
from pragam.polytopes.base import Polytope
from pragam.rounding import Vector


class Zero(Conjugate):
    """No conjugate term."""

    rigorous = True
    curvature = 0.0

    def check(self, Q: Polytope) -> None:
        """It fits every set."""

    def value(self, alpha: Vector) -> float:
        return 0.0

    def value_bound(self, alpha: Vector) -> tuple[float, float]:
        return 0.0, 0.0

    def change_bound(self, alpha: Vector, rows: NDArray[np.int64], moves: Vector) -> float:
        return 0.0

    def prox(self, Q: Polytope, s: Vector, mu: float) -> Vector:
        return Q.prox(s, mu)

    def support(self, Q: Polytope, s: Vector) -> tuple[float, float | None]:
        return Q.support(s)

    def best_bias(self, Q: Polytope, s: Vector) -> float:
        return Q.best_bias(s)

    def support_bound(self, Q: Polytope, s: Vector, slack: Vector, bias: float) -> tuple[float, float]:
        return Q.support_bound(s, slack, 0.0, bias)

    def sharp_support_bound(
        self, Q: Polytope, high: Vector, low: Vector, slack: Vector, bias: float
    ) -> tuple[float, float]:
        return Q.sharp_support_bound(high, low, slack, 0.0, bias)

    def __repr__(self) -> str:
        return "Zero()"
