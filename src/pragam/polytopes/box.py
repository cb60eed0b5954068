"""The box {lower <= alpha <= upper}: the dual variables of a mean of one-dimensional losses."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam import _kernels
from pragam.numerics.constant import as_column, is_once
from pragam.numerics.rounding import LANES, TINY, gamma, is_subnormal
from pragam.polytopes.base import REPAIRABLE, Curvature, Repair, Vector
from pragam.polytopes.in_blocks import InBlocks
from pragam.polytopes.needs import HasDerivative

ZERO = np.zeros(1)
#: Squares of larger numbers, and products beyond the second, are far above TINY.
_SQUARED, _FAR = 1e-140, 1e-280


class Box(HasDerivative, InBlocks):
    r"""Q = {alpha : lower <= alpha <= upper}, with bounds that may be infinite, or equal.

    support(s) = sum_i max(lower_i s_i, upper_i s_i)
    """

    lower: Vector
    upper: Vector
    rigorous = True

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        ends = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
        shape = np.broadcast_shapes(*(end.shape for end in ends))
        if len(shape) != 1:
            raise ValueError(f"lower and upper must be vectors, not of shape {shape}")
        self.lower, self.upper = (
            end if end.shape == shape and is_once(end) else np.ascontiguousarray(np.broadcast_to(end, shape))
            for end in ends
        )
        self.size = self.lower.size
        wrong = ~(self.lower <= self.upper) | (self.lower == np.inf) | (self.upper == -np.inf)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise ValueError(
                f"lower must not exceed upper, and some number lie between: row {i} has "
                f"[{self.lower[i]}, {self.upper[i]}]"
            )

    @property
    def columns(self) -> tuple[Vector, Vector]:
        """Its bounds, for kernels."""
        return as_column(self.lower), as_column(self.upper)

    def violation(self, alpha: Vector) -> float:
        if self._holds(alpha):
            return 0.0
        outside = np.maximum(np.maximum(self.lower - alpha, alpha - self.upper), 0.0)
        if np.isnan(outside).any():
            return np.inf
        bounds = np.concatenate([b[np.isfinite(b)] for b in (self.lower, self.upper)])
        size = np.abs(bounds if bounds.any() else alpha).max(initial=0.0)
        return relative(float(outside.max()), float(size))

    def project(self, v: Vector) -> Vector:
        return np.clip(v, self.lower, self.upper)

    def maximise_linear(self, s: Vector) -> Vector:
        alpha = np.where(s > 0, self.upper, np.where(s < 0, self.lower, self._corner()))
        if not np.isfinite(alpha).all():
            raise ValueError(f"<alpha, s> is unbounded above: see row {int(np.argmin(np.isfinite(alpha)))}")
        return alpha

    def prox(self, s: Vector, kappa: Curvature) -> Vector:
        if np.ndim(kappa) and not np.all(kappa):  # rows without curvature go to a bound
            flat = np.asarray(kappa) == 0
            goal = np.where(flat, np.copysign(np.inf, s), s / np.where(flat, 1.0, kappa))
            goal[flat & (s == 0)] = self._corner()[flat & (s == 0)]
            return np.clip(goal, self.lower, self.upper)
        return np.clip(s / kappa, self.lower, self.upper)

    def derivative(self, alpha: Vector, kappa: Curvature, t: Vector) -> Vector:
        """How ``prox`` moves when s moves along t, at alpha = prox(s, kappa): t_i / kappa_i strictly inside."""
        inside = (self.lower < alpha) & (alpha < self.upper)
        return np.divide(t, kappa, out=np.zeros(self.size), where=inside)

    @property
    def n_blocks(self) -> int:
        """Every coordinate is a factor of its own."""
        return self.size

    def maximise_block(self, k: int, s: Vector) -> Vector:
        """The bound of coordinate k that attains max alpha_k s, s its score."""
        return Box(self.lower[k : k + 1], self.upper[k : k + 1]).maximise_linear(s)

    def check_curvature(self, kappa: Curvature) -> None:
        """Every one will do."""

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        value: float = _kernels.get("box_plane_support")(
            np.ascontiguousarray(s), *self.columns, ZERO, 0.0, curvatures(kappa)
        )
        return value

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """Each row's maximum is convex in its score, hence largest at one end of the interval of scores."""
        return self._support_bound(s, slack, kappa, ZERO, 0.0)

    def _support_bound(
        self, s: Vector, slack: Vector, kappa: Curvature, sigma: Vector, b: float
    ) -> tuple[float, float]:
        """That of the scores s - b sigma."""
        bound, nominal, size = _kernels.get("box_plane_support_bound")(
            np.ascontiguousarray(s), slack, *self.columns, sigma, b, curvatures(kappa)
        )
        rounding = gamma(LANES) * size + self._hidden(s, slack, kappa, b * sigma) + self._unseen(s, slack, b * sigma)
        return bound + rounding, (bound - nominal) + rounding

    def _hidden(self, s: Vector, slack: Vector, kappa: Curvature, shift: Vector) -> float:
        """What may be lost below TINY of t^2/(2 kappa), where t^2 is that small, or of kappa/2 alpha^2 at a bound."""
        if not np.any(kappa):
            return 0.0
        kappa = np.broadcast_to(kappa, self.size)
        with np.errstate(over="ignore", invalid="ignore"):
            least = _least_scores(s, slack, shift)
            lost = 0.0
            if not least.min(initial=np.inf) >= _SQUARED:
                near = (kappa > 0) & (least < _SQUARED) & ((s != shift) | (slack > 0) | (s != 0))
                lost = float(np.sum(1 / kappa[near]))
            if self._most.size:
                flat = (kappa > 0) & (kappa * self._most < _FAR)
                lost += float(np.sum(self._most[flat] * (1 + self._most[flat])))
            return 2.02 * TINY * lost

    def _unseen(self, s: Vector, slack: Vector, shift: Vector) -> float:
        """What bounds below TINY contribute at most, since they may be read as zero."""
        rows = self._subnormal
        if not rows.size:
            return 0.0
        sizes = np.abs(s)[rows] + np.broadcast_to(slack, s.shape)[rows] + np.abs(np.broadcast_to(shift, s.shape)[rows])
        return TINY * (rows.size + 1.01 * float(np.sum(sizes)))

    @cached_property
    def _subnormal(self) -> NDArray[np.intp]:
        """The rows with a bound below TINY that is not 0."""
        return np.flatnonzero(is_subnormal(self.lower) | is_subnormal(self.upper))

    @cached_property
    def _most(self) -> Vector:
        """The larger size of a row's bounds, as far as they are finite; empty if all of these are 0."""
        most = np.maximum(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (self.lower, self.upper)))
        return most if most.any() else most[:0]

    def repair(self, alpha: Vector) -> Repair:
        """The nearest point of the box, a float. Next to a bound that may be read as zero it is off by that."""
        inside = self._holds(alpha)
        if not inside:
            self._require(alpha, REPAIRABLE)
        point = alpha if inside else np.clip(alpha, self.lower, self.upper)
        return Repair(point, self._subnormal, np.full(self._subnormal.size, TINY))

    def _holds(self, alpha: Vector) -> bool:
        return bool((alpha >= self.lower).all() and (alpha <= self.upper).all())  # both are False for a NaN

    def onto_face(self, alpha: Vector) -> Vector:
        """The point of Q nearest to ``alpha``, which is in the box, on alpha's own face of it where that meets Q."""
        return alpha

    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> Box:
        """The set of these rows alone, with bounds that are ``growth`` times as large."""
        return Box(growth * self.lower[blocks], growth * self.upper[blocks])

    def hull(self) -> tuple[Vector, Vector]:
        """Its bounds."""
        return self.lower, self.upper

    def settled(self, low: Vector, high: Vector, reach: Vector) -> Vector:
        """The upper bound where the score is positive, the lower one where it is negative, and both if they are one."""
        known = np.where(self.lower == self.upper, self.lower, np.nan)
        room = reach + TINY
        rises, falls = low > room, -high > room
        known[rises], known[falls] = self.upper[rises], self.lower[falls]
        return known

    @cached_property
    def is_bounded(self) -> bool:
        """Whether no side is infinite."""
        return bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    def radius2(self, centre: Vector | None = None) -> float:
        return self._radius2 if centre is None else _half_farthest2(self.lower - centre, self.upper - centre)

    @cached_property
    def _radius2(self) -> float:
        return _half_farthest2(self.lower, self.upper)

    def sample(self, rng: np.random.Generator) -> Vector:
        wide = 10.0 ** rng.uniform(-2, 2)
        inner = self.project(self._corner() + wide * rng.standard_normal(self.size))
        with np.errstate(invalid="ignore"):  # an unbounded row has no uniform sample
            uniform = self.lower + rng.random(self.size) * (self.upper - self.lower)
        bounded = np.isfinite(uniform) & (rng.random(self.size) < 0.5)
        return self.project(np.where(bounded, uniform, inner))

    def _corner(self) -> Vector:
        """The lower bound of each row where finite, else the upper one, else 0."""
        upper = np.where(np.isfinite(self.upper), self.upper, 0.0)
        return np.where(np.isfinite(self.lower), self.lower, upper)


def curvatures(kappa: Curvature) -> Vector:
    """For the kernels: one number for each row, or a single one."""
    return kappa if isinstance(kappa, np.ndarray) else np.array([kappa]) if kappa else ZERO


def _least_scores(s: Vector, slack: Vector, shift: Vector) -> Vector:
    """The least |t| at an end of each row's interval of scores t, which are those around s - shift."""
    size = np.abs(s)
    score = size if not shift.any() else np.abs(s - shift)
    room = gamma(8) * (size if score is size else size + np.abs(shift))
    room += slack
    room -= score
    return np.abs(room, out=room)


def _half_farthest2(lower: Vector, upper: Vector) -> float:
    return 0.5 * float(np.sum(np.maximum(lower**2, upper**2)))


def relative(excess: float, size: float) -> float:
    """``excess / size``, where a set of size 0 leaves no room for any excess."""
    return excess / size if size > 0 else (np.inf if excess > 0 else 0.0)
