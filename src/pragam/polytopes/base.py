"""The interface of a convex set Q of dual variables, as solvers and the certificate use it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import flat
from pragam.numerics.rounding import Stating, Vector

__all__ = ["Curvature", "Polytope", "Repair", "Vector"]

#: kappa of 1/2 sum_j kappa_j alpha_j^2: a number, or one for each dual variable.
Curvature = float | Vector

#: A set that cannot repair alpha accepts it up to this far outside, relative to its size: the rounding of a projection.
FEASIBLE = 1e-12
#: A set that can repair alpha does so up to this far outside, relative to its size. The lower bound pays for it.
REPAIRABLE = 1e-6


class Repair(NamedTuple):
    """A float ``point`` next to an exactly feasible real point. The two differ in the coordinates ``rows`` by at most
    ``slack`` each, and in all by at most ``distance`` more, a Euclidean length. ``feasible`` is False if no such point
    is known."""

    point: Vector
    rows: NDArray[np.int64] = np.empty(0, np.int64)
    slack: Vector = np.empty(0)
    feasible: bool = True
    distance: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether ``point`` itself is feasible."""
        return self.feasible and not self.rows.size and not self.distance


class Polytope(Stating, ABC):
    r"""A closed convex polyhedron Q of dual variables in R^size.

    The empirical risk of a model is a support function of Q,

        R(w) = max over alpha in Q of  <alpha, A w + c> - g(alpha),

    so a risk is defined by what its Q can do: decide membership, project, and maximise a linear function.

    A dual point ``alpha`` is a flat float64 vector, unless a set keeps its points in another form: one that takes less
    room, or that shows why the point is in Q where the coordinates alone would not (:mod:`pragam.structured`). Such a
    set has its own ``point``, ``coordinates`` and ``combine``, and its points have a ``copy``.

    A set with ``rigorous = True`` has its own ``support_bound`` and ``repair``, which hold as real numbers. The
    versions below are for sets that state no bounds. Certificates on such sets hold only up to rounding.
    """

    size: int
    #: False if the set is an outer relaxation of the model's own: a certificate then speaks of the relaxed problem.
    exact: bool = True
    #: Methods of the class that this set does not offer.
    lacks: frozenset[str] = frozenset()

    def point(self, alpha: Any) -> Any:
        """What was given as a dual point, as this set keeps it. ValueError if it cannot be one."""
        return flat("alpha", alpha, self.size)

    def coordinates(self, alpha: Any) -> Vector:
        """Those of a dual point, a vector of length ``size``."""
        return np.asarray(alpha, dtype=np.float64)

    def combine(self, weights: Vector, points: Sequence[Any]) -> Any:
        """sum_j weights_j points_j, weights >= 0 that sum to 1."""
        total = np.zeros(self.size)
        for weight, point in zip(weights, points, strict=True):
            if weight > 0:
                total += weight * point
        return total

    def start(self) -> Any:
        """The point from which solvers start: the one nearest to 0."""
        return self.project(np.zeros(self.size))

    @abstractmethod
    def violation(self, alpha: Vector) -> float:
        """How far ``alpha`` is outside Q, relative to the size of Q. 0 inside, inf if alpha contains a NaN."""

    def contains(self, alpha: Vector, tol: float = 1e-12) -> bool:
        """Whether ``alpha`` lies in Q up to the relative tolerance ``tol``."""
        return alpha.shape == (self.size,) and self.violation(alpha) <= tol

    @abstractmethod
    def project(self, v: Vector) -> Vector:
        """The point of Q nearest to ``v`` in Euclidean distance."""

    def approach(self, v: Vector) -> Vector:
        """A point next to the nearest one to ``v``, as feasible as a certificate needs; by default the nearest."""
        return self.project(v)

    def onto_face(self, alpha: Vector) -> Vector:
        """The point of Q nearest to ``alpha`` on alpha's own face, where that is known; by default the nearest one."""
        return self.project(alpha)

    @abstractmethod
    def maximise_linear(self, s: Vector) -> Vector:
        """A vertex of Q that attains max <alpha, s>."""

    def prox(self, s: Vector, kappa: Curvature) -> Vector:
        """argmax over Q of <alpha, s> - 1/2 sum_j kappa_j alpha_j^2, kappa > 0. A set may take one number only."""
        self.check_curvature(kappa)
        return self.project(s / kappa)

    def prox_from(self, s: Vector, kappa: Curvature, start: Any) -> tuple[Vector, Any]:
        """``prox``, and what a prox of scores near these can start from: multipliers, or None if the set keeps none.

        ``start`` is what an earlier call has returned, or None. It is left as it is: equal arguments give equal bits.
        """
        return self.prox(s, kappa), None

    def check_curvature(self, kappa: Curvature) -> None:
        """Refuse, with a ValueError, a curvature that this set has no oracle for: by default, different ones."""
        if np.ndim(kappa) and np.ptp(kappa) > 0:
            raise ValueError(f"{type(self).__name__} takes one kappa for all dual variables")

    @abstractmethod
    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        """max over Q of <alpha, s> - 1/2 sum_j kappa_j alpha_j^2."""

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """``(bound, slack)``: an upper bound of ``support`` for all scores within ``slack`` of s, and how much of it is
        due to rounding."""
        return self.support(s, kappa), 0.0

    def repair(self, alpha: Vector) -> Repair:
        """A feasible point next to alpha. ValueError if alpha is farther outside than rounding explains."""
        self._require(alpha, FEASIBLE)
        return Repair(alpha)

    def _require(self, alpha: Vector, allowed: float) -> None:
        violation = self.violation(alpha)
        if not violation <= allowed:
            raise ValueError(
                f"alpha is not in Q: it violates the constraints by {violation:.3g} relative to the size of Q, "
                f"and {allowed:g} is allowed"
            )

    @property
    def is_bounded(self) -> bool:
        """Whether Q is bounded. By default, whether its radius is finite, which may also overflow."""
        return bool(np.isfinite(self.radius2()))

    @abstractmethod
    def radius2(self, centre: Vector | None = None) -> float:
        """An upper bound of max over Q of 1/2 |alpha - centre|^2 (centre 0 if not given)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Vector:
        """A random point of Q, for tests. Both interior points and points on faces occur."""
