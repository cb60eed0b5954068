"""What a problem, its certificate and the solvers may ask of a conjugate term."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import Stating, Vector
from pragam.polytopes.base import Curvature, Polytope
from pragam.polytopes.needs import HasMultipliers


class Conjugate(Stating, ABC):
    """A convex function g of the dual variables.

    With ``rigorous = True``, ``value_bound_at``, ``change_bound`` and ``support_bound`` hold as real numbers.
    """

    @property
    @abstractmethod
    def curvature(self) -> Curvature:
        """The second derivative of g along each dual variable: a number, or one for each."""

    @abstractmethod
    def check(self, Q: Polytope) -> None:
        """Refuse, with a ValueError, a set that this term does not fit."""

    @abstractmethod
    def value(self, alpha: Vector) -> float:
        """g(alpha)."""

    def value_at(self, alpha: Any, x: Vector) -> float:
        """g at the dual point alpha with the coordinates x. By default these tell all: ``value(x)``."""
        return self.value(x)

    @abstractmethod
    def value_bound_at(self, alpha: Any, x: Vector) -> tuple[float, float]:
        """``(g, a bound of its rounding)`` at the dual point alpha that was repaired to the coordinates x."""

    @abstractmethod
    def change_bound(self, alpha: Vector, rows: NDArray[np.int64], moves: Vector) -> float:
        """How much g can grow when the coordinates ``rows`` of alpha change by at most ``moves``."""

    @abstractmethod
    def oracle(self, Q: Polytope, s: Vector) -> Vector:
        """argmax over Q of <alpha, s> - g(alpha)."""

    @abstractmethod
    def prox(self, Q: Polytope, s: Vector, mu: float) -> Vector:
        """argmax over Q of <alpha, s> - g(alpha) - mu/2 |alpha|^2, mu > 0."""

    def prox_from(self, Q: Polytope, s: Vector, mu: float, start: Any) -> tuple[Vector, Any]:
        """``prox``, and what a prox of scores near these can start from: see ``Polytope.prox_from``."""
        return self.prox(Q, s, mu), None

    @abstractmethod
    def support(self, Q: Polytope, s: Vector) -> float:
        """max over Q of <alpha, s> - g(alpha)."""

    @abstractmethod
    def multipliers(self, Q: HasMultipliers, s: Vector) -> Vector:
        """Those of the planes at that maximum, where Q is a set on planes."""

    @abstractmethod
    def support_bound(self, Q: Polytope, s: Vector, slack: Vector) -> tuple[float, float]:
        """``(bound, slack)`` of that maximum for all scores within ``slack`` of s: see ``Polytope.support_bound``."""

    @abstractmethod
    def take(self, rows: NDArray[np.int64], growth: float | Vector = 1.0) -> Conjugate:
        """The term of these dual variables alone. If their sets have grown by a factor, its curvature falls by it."""
