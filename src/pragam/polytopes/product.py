"""Products of sets of dual variables, each with coordinates of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import upward
from pragam.polytopes.base import Curvature, Repair, Vector
from pragam.polytopes.needs import HasMultipliers


class Product(HasMultipliers):
    """Q = {alpha : alpha[places_p] in parts_p for every p}. The places are disjoint and cover all coordinates, of
    which there may be none.

    ``planes`` are the numbers of the parts that are cut by a plane, in the order of the planes; None for a plane that
    no dual variable lies on, whose multiplier is 0.
    """

    rigorous = True

    def __init__(
        self, parts: Sequence[Any], places: Sequence[NDArray[np.int64]], planes: Sequence[int | None] = ()
    ) -> None:
        self.parts, self.places, self.planes = tuple(parts), tuple(places), tuple(planes)
        self.size = sum(len(at) for at in self.places)
        self.rigorous = type(self).rigorous and all(part.rigorous for part in self.parts)
        self.exact = all(part.exact for part in self.parts)

    def violation(self, alpha: Vector) -> float:
        return float(max((part.violation(alpha[at]) for part, at in self._pairs()), default=0.0))

    def project(self, v: Vector) -> Vector:
        return self._joined(lambda part, at: part.project(v[at]))

    def maximise_linear(self, s: Vector) -> Vector:
        return self._joined(lambda part, at: part.maximise_linear(s[at]))

    def prox(self, s: Vector, kappa: Curvature) -> Vector:
        return self._joined(lambda part, at: part.prox(s[at], of(kappa, at)))

    def onto_face(self, alpha: Vector) -> Vector:
        """Each part's own."""
        return self._joined(lambda part, at: part.onto_face(alpha[at]))

    def check_curvature(self, kappa: Curvature) -> None:
        for part, at in self._pairs():
            part.check_curvature(of(kappa, at))

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        return float(sum(part.support(s[at], of(kappa, at)) for part, at in self._pairs()))

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        slack = np.broadcast_to(slack, s.shape)
        found = [part.support_bound(s[at], slack[at].copy(), of(kappa, at)) for part, at in self._pairs()]
        return upward(*(bound for bound, _ in found)), float(sum(rounding for _, rounding in found))

    def multipliers(self, s: Vector, kappa: Curvature = 0.0) -> Vector:
        """Those of the planes; 0 for a plane without rows."""
        return np.concatenate([self._of_plane(p, s, kappa) for p in self.planes])

    def _of_plane(self, p: int | None, s: Vector, kappa: Curvature) -> Vector:
        return np.zeros(1) if p is None else self.parts[p].multipliers(s[self.places[p]], of(kappa, self.places[p]))

    def multiplier_bounds(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[Vector, Vector]:
        """Those of the planes; nothing is known of the multiplier of a plane without rows."""
        nothing = np.array([-np.inf]), np.array([np.inf])
        held = [None if p is None else (self.parts[p], self.places[p]) for p in self.planes]
        found = [
            nothing if pair is None else pair[0].multiplier_bounds(s[pair[1]], slack[pair[1]], of(kappa, pair[1]))
            for pair in held
        ]
        return np.concatenate([low for low, _ in found]), np.concatenate([high for _, high in found])

    def repair(self, alpha: Vector) -> Repair:
        found = [part.repair(alpha[at]) for part, at in self._pairs()]
        point = alpha.copy()
        for fixed, at in zip(found, self.places, strict=True):
            point[at] = fixed.point
        rows = [at[fixed.rows] for fixed, at in zip(found, self.places, strict=True)]
        slack = [fixed.slack for fixed in found]
        distance = 1.01 * float(np.sqrt(sum(fixed.distance**2 for fixed in found)))
        whole = np.concatenate([np.zeros(0, np.int64), *rows]), np.concatenate([np.zeros(0), *slack])
        return Repair(point, *whole, all(fixed.feasible for fixed in found), distance)

    def radius2(self, centre: Vector | None = None) -> float:
        return float(sum(part.radius2(None if centre is None else centre[at]) for part, at in self._pairs()))

    def sample(self, rng: np.random.Generator) -> Vector:
        return self._joined(lambda part, at: part.sample(rng))

    def _pairs(self) -> zip[tuple[Any, NDArray[np.int64]]]:
        return zip(self.parts, self.places, strict=True)

    def _joined(self, part_of: Callable[[Any, NDArray[np.int64]], Vector]) -> Vector:
        whole = np.empty(self.size)
        for part, at in self._pairs():
            whole[at] = part_of(part, at)
        return whole


def of(kappa: Curvature, at: NDArray[np.int64]) -> Curvature:
    """The curvature of some of the dual variables."""
    return kappa[at] if isinstance(kappa, np.ndarray) else kappa
