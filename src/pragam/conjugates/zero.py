"""g = 0: piecewise linear losses. The maximum over Q is that of a linear function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.conjugates.base import Conjugate
from pragam.numerics.rounding import Vector
from pragam.polytopes.base import Polytope
from pragam.polytopes.needs import HasMultipliers


class Zero(Conjugate):
    """No conjugate term."""

    rigorous = True
    curvature = 0.0

    def check(self, Q: Polytope) -> None:
        """It fits every set."""

    def value(self, alpha: Vector) -> float:
        return 0.0

    def value_bound_at(self, alpha: Any, x: Vector) -> tuple[float, float]:
        return 0.0, 0.0

    def change_bound(self, alpha: Vector, rows: NDArray[np.int64], moves: Vector) -> float:
        return 0.0

    def oracle(self, Q: Polytope, s: Vector) -> Vector:
        return Q.maximise_linear(s)

    def prox(self, Q: Polytope, s: Vector, mu: float) -> Vector:
        return Q.prox(s, mu)

    def prox_from(self, Q: Polytope, s: Vector, mu: float, start: Any) -> tuple[Vector, Any]:
        return Q.prox_from(s, mu, start)

    def support(self, Q: Polytope, s: Vector) -> float:
        return Q.support(s)

    def multipliers(self, Q: HasMultipliers, s: Vector) -> Vector:
        return Q.multipliers(s)

    def support_bound(self, Q: Polytope, s: Vector, slack: Vector) -> tuple[float, float]:
        return Q.support_bound(s, slack)

    def take(self, rows: NDArray[np.int64], growth: float | Vector = 1.0) -> Zero:
        return self

    def __repr__(self) -> str:
        return "Zero()"
