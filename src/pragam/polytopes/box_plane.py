"""The box cut by a plane: the dual variables of a model with an unpenalised bias."""

from __future__ import annotations

from functools import cached_property
from math import fsum, inf, isfinite, nextafter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam import _kernels
from pragam.numerics.rounding import TINY, all_zero, gamma, is_subnormal, is_zero, total, two_product, upward
from pragam.polytopes.base import REPAIRABLE, Curvature, Repair, Vector
from pragam.polytopes.box import ZERO, Box, curvatures, relative
from pragam.polytopes.box_plane_projection import column, level_in_range, minimise, plane_range, project_box_plane
from pragam.polytopes.multiplier_search import DiagonalQP
from pragam.polytopes.needs import HasMultipliers
from pragam.polytopes.smooth_multiplier import Slopes

ONE = np.ones(1)
#: If the best biases form a half-line, how far inside it the chosen one lies, relative to 1 and the end of the line.
_INSIDE = 2.0**-20
#: The number of rows searched together for one with room to move.
_CHUNK = 8192
#: Above this the last of the 106 bits of a product, and the last of the 53 of a factor, are above TINY.
_FAR = 1e-270


class BoxPlane(Box, HasMultipliers):
    r"""Q = {alpha : lower <= alpha <= upper, sum_i sigma_i alpha_i = z}.

    Its support function is a minimum over the multiplier b of the plane, which is the bias of the model:

        max over Q of <alpha, s> = min over b of sum_i max(lower_i r_i, upper_i r_i) + b z,  r = s - b sigma.

    Any b bounds it from above, so ``support_bound`` is that of the box, at the scores s - b sigma.
    """

    rigorous = True

    def __init__(self, lower: ArrayLike, upper: ArrayLike, sigma: ArrayLike, z: float = 0.0) -> None:
        super().__init__(lower, upper)
        self.sigma = np.ascontiguousarray(np.broadcast_to(column(sigma, self.size, "sigma"), (self.size,)))
        if not np.isfinite(z):
            raise ValueError(f"z must be finite, got {z}")
        self.ends = plane_range(*self.columns, self.sigma, self.size)
        self.z = level_in_range(float(z), self.ends)

    def violation(self, alpha: Vector) -> float:
        box = super().violation(alpha)
        if np.isinf(box):
            return box
        size = self._size_around(alpha)
        inside = alpha if box == 0 else np.clip(alpha, self.lower, self.upper)  # what is outside counts once
        return max(box, relative(abs(self._excess(inside)), size + abs(self.z)))

    def project(self, v: Vector, start: float | None = None) -> Vector:
        """The point clip(v + t sigma) of Q nearest to ``v``. ``start`` is a guess of t."""
        return v.copy() if self._holds_zero and not v.any() else self._project(v, start)[0]

    def onto_face(self, alpha: Vector) -> Vector:
        """The nearest point of Q on alpha's own face of the box if that meets the plane, else the nearest of all."""
        free = (alpha > self.lower) & (alpha < self.upper)
        moved = alpha.copy()
        try:
            rest = self.z - float(self.sigma[~free] @ alpha[~free])
            moved[free] = project_box_plane(alpha[free], self.lower[free], self.upper[free], self.sigma[free], rest)
        except ValueError:  # the face does not meet the plane
            return self.project(alpha)
        return moved

    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> BoxPlane:
        """As that of a box, on a plane of the same level."""
        box = super().take(blocks, growth)
        return BoxPlane(box.lower, box.upper, self.sigma[blocks], self.z)

    def maximise_linear(self, s: Vector) -> Vector:
        low, high = self._biases(s)
        if low > high:
            raise ValueError("<alpha, s> is unbounded above over the box cut by the plane")
        b = low if np.isfinite(low) else high if np.isfinite(high) else 0.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            side = np.where(self.sigma == 0, s, np.sign(self.sigma) * np.sign(s / self.sigma - b))
        alpha = np.where(side > 0, self.upper, np.where(side < 0, self.lower, self._corner()))
        if not np.isfinite(alpha).all():
            raise ValueError("<alpha, s> is unbounded above over the box cut by the plane")
        return self._share(alpha, np.flatnonzero((side == 0) & (self.sigma != 0)))

    def prox(self, s: Vector, kappa: Curvature) -> Vector:
        return self._prox(s, kappa)[0]

    def check_curvature(self, kappa: Curvature) -> None:
        """None at all, or some wherever a row can move: the best bias is then unique or a vertex's."""
        moves = self.lower < self.upper
        if np.ndim(kappa) and np.any(kappa) and not (np.asarray(kappa)[moves] > 0).all():
            row = int(np.argmax(moves & (np.asarray(kappa) == 0)))
            raise ValueError(f"kappa must be positive in every row that can move, or zero in all: row {row} has 0")

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        b = self.multiplier(s, kappa)
        if np.isnan(b):
            return np.inf
        value: float = _kernels.get("box_plane_support")(
            np.ascontiguousarray(s), *self.columns, self.sigma, b, curvatures(kappa)
        )
        return value + b * self.z

    def multipliers(self, s: Vector, kappa: Curvature = 0.0) -> Vector:
        """``multiplier``, as an array."""
        return np.array([self.multiplier(s, kappa)])

    def multiplier(self, s: Vector, kappa: Curvature = 0.0) -> float:
        """The minimising b: of an interval the midpoint, of a half-line a point near its end, of all numbers 0.

        NaN where the support function is infinite for every b.
        """
        if np.any(kappa):
            b = self._prox(s, kappa)[1]
            # At an end of the plane's range all rows are at a bound, and the best b form a half-line.
            return b + _INSIDE * (1 + abs(b)) * ((self.z == self.ends[0]) - (self.z == self.ends[1]))
        low, high = self._biases(s)
        if low > high:
            return np.nan
        if np.isfinite(low) and np.isfinite(high):
            return 0.5 * low + 0.5 * high
        if not (np.isfinite(low) or np.isfinite(high)):
            return 0.0
        # Inside a half-line, not at its end, so that rounding cannot put a row on the wrong side of its kink.
        return low + _INSIDE * (1 + abs(low)) if np.isfinite(low) else high - _INSIDE * (1 + abs(high))

    def multiplier_bounds(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[Vector, Vector]:
        r"""(low, high) between which every minimising b lies, for all scores within ``slack`` of s.

        As a function of b the sum is convex. Its slope at b is z minus the sum of sigma_i alpha_i, where alpha_i does
        not fall when its score s_i - b sigma_i grows. So no slope falls when all kinks s_i/sigma_i move left. With all
        of them as far left as possible, a b below every best one is below all of them; with all as far right as
        possible, a b above every best one is above all of them.

        Without curvature, alpha_i is at its upper end where the kink is right of b, and at its lower end where it is
        left of b: the first b of a slope >= 0 and the last b of a slope <= 0 are among the kinks. The rounding of the
        slopes is added to z, which works the same way. Quotients are rounded monotonically, so only the rounding of the
        kink found matters. With curvature see :mod:`pragam.polytopes.smooth_multiplier`.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            room = slack * (1 + gamma(4)) + gamma(2) * np.abs(s) + 2 * TINY
            side = np.where(self.sigma > 0, room, -room)
            left, right = s - side, s + side
        if np.any(kappa):
            curved = np.broadcast_to(kappa, self.size)
            ends = [
                Slopes(end, self.lower, self.upper, self.sigma, curved, self.z).bound(self._guess(end, kappa), sign)
                for end, sign in ((left, -1), (right, 1))
            ]
            return np.array(ends[:1]), np.array(ends[1:])
        return self._kink_bounds(left, right)

    def _guess(self, s: Vector, kappa: Curvature) -> float:
        """About a minimising b of scores with curvature; NaN where none is found."""
        try:
            return self._prox(s, kappa)[1] if np.isfinite(s).all() else np.nan
        except ValueError:  # too large to project
            return np.nan

    def _kink_bounds(self, left: Vector, right: Vector) -> tuple[Vector, Vector]:
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            return np.array([-inf]), np.array([inf])
        rounding = gamma(4 * (self.size + 8)) * self._size + 8 * self.size * TINY
        if not isfinite(rounding) or np.isnan(left).any() or np.isnan(right).any():
            return np.array([-inf]), np.array([inf])
        bias = _kernels.get("box_plane_bias")
        first, _ = bias(left, *self.columns, self.sigma, self.z + rounding)
        _, last = bias(right, *self.columns, self.sigma, self.z - rounding)
        return np.array([nextafter(first - TINY, -inf)]), np.array([nextafter(last + TINY, inf)])

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        b = self.multiplier(s, kappa)
        if not isfinite(b):
            return inf, inf
        bound, rounding = self._support_bound(s, slack, kappa, self.sigma, b)
        level = b * self.z
        more = gamma(1) * abs(level) + (TINY if level else 0.0)
        return upward(bound, level, more), rounding + more

    def repair(self, alpha: Vector) -> Repair:
        r"""Moves one row so that alpha lies on the plane: first to the nearest float, then by a real number.

        The excess e = <sigma, alpha> - z is known to twice the precision. Among the rows that can move by e/sigma, the
        one with the smallest alpha is taken, since the float next to alpha - e/sigma is then nearest.
        """
        if self._holds_zero and all_zero(alpha):
            return Repair(alpha)
        point = super().repair(alpha).point
        off, error = self._off(point)
        if off == error == 0:  # for example at alpha = 0, where every solve starts
            return Repair(point)
        if abs(off) > REPAIRABLE * self._size:
            self._require(alpha, REPAIRABLE)
        j = self._row_with_room(point, off, error)
        if j < 0:  # no row can take all of it, or the direction is not known
            point = self.project(point) if off else point
            off, error = self._off(point, exactly=True)
            j = self._row_with_room(point, off, error)
        if off and j >= 0:
            point = point.copy()
            point[j] -= off / self.sigma[j]
            off, error = self._off(point)
        if off == error == 0:
            return Repair(point)
        if j < 0:
            return Repair(point, feasible=False)
        slack = 1.01 * (abs(off) + error) / abs(self.sigma[j])
        feasible = bool(self._room(point, off, error, slice(j, j + 1))[0] > slack)
        blurred = self._subnormal[self._subnormal != j]
        slacks = np.r_[slack + TINY * min(self._subnormal.size, 1), np.full(blurred.size, TINY)]
        return Repair(point, np.r_[j, blurred], slacks, feasible)

    def _off(self, alpha: Vector, exactly: bool = False) -> tuple[float, float]:
        """<sigma, alpha> - z and a bound of its error, in twice the precision, or from exact terms rounded once."""
        terms = self.sigma * alpha
        more = () if self._is_signs else two_product(self.sigma, alpha)[1].tolist()
        lost = self._blur if self._is_signs else self._blur + self._lost(terms, alpha)
        if exactly:
            value = fsum((*terms.tolist(), *more, -self.z))
            return value, gamma(1) * abs(value) + lost
        value, error = total(terms, *more, -self.z)
        return value, error + lost

    def _lost(self, terms: Vector, alpha: Vector) -> float:
        """What the parts of a product may lose below TINY: nothing where it is 0, or far above TINY as its factors."""
        nothing = is_zero(alpha) | (self.sigma == 0)
        is_far = (np.abs(terms) > _FAR) & (np.abs(alpha) > _FAR) & (np.abs(self.sigma) > _FAR)
        near = ~(nothing | is_far)
        return 8 * TINY * float(np.sum(1 + np.abs(self.sigma[near]) + np.abs(alpha[near])))

    def _row_with_room(self, alpha: Vector, off: float, error: float) -> int:
        """A row that can move by several times -off/sigma, or -1: that of least alpha in the first suitable chunk."""
        for first in range(0, self.size, _CHUNK):
            rows = slice(first, first + _CHUNK)
            sigma, room = self.sigma[rows], self._room(alpha, off, error, rows)
            able = (sigma != 0) & (room * np.abs(sigma) > 4 * (abs(off) + error))
            if able.any():
                return first + int(np.argmin(np.where(able, np.abs(alpha[rows]), np.inf)))
        return -1

    def _room(self, alpha: Vector, off: float, error: float, rows: slice) -> Vector:
        """How far rows can move towards the plane, or in both directions if rounding hides on which side alpha is."""
        down, up = alpha[rows] - self.lower[rows], self.upper[rows] - alpha[rows]
        return np.where(off * self.sigma[rows] > 0, down, up) if abs(off) > error else np.minimum(down, up)

    @cached_property
    def _blur(self) -> float:
        """How far off the plane a point may be since bounds, or the level, below TINY may be read as zero."""
        level = 1.0 if is_subnormal(np.array([self.z]))[0] else 0.0
        return 1.01 * TINY * (level + float(np.sum(1 + np.abs(self.sigma[self._subnormal]))))

    @cached_property
    def _holds_zero(self) -> bool:
        return self._blur == 0 and self.z == 0 and self._holds(ZERO)

    @cached_property
    def _is_signs(self) -> bool:
        return bool((np.abs(self.sigma) == 1).all())

    @cached_property
    def _size(self) -> float:
        """The size of sigma alpha over the box, without unbounded rows."""
        return self._size_around(ZERO) + abs(self.z)

    def _size_around(self, alpha: Vector) -> float:
        """The size of sigma alpha over the box, where rows are unbounded that at this point."""
        bound = np.maximum(*map(np.abs, self.columns))
        bound = bound if np.isfinite(bound).all() else np.where(np.isfinite(bound), bound, np.abs(alpha))
        return float(np.sum(np.abs(self.sigma) * bound))

    def sample(self, rng: np.random.Generator) -> Vector:
        return self.project(super().sample(rng))

    def _project(self, v: Vector, start: float | None = None) -> tuple[Vector, float]:
        qp = DiagonalQP(np.ascontiguousarray(v), *self.columns, self.sigma, ONE, self.z)
        return minimise(qp, self.ends, "newton", start)

    def _prox(self, s: Vector, kappa: Curvature) -> tuple[Vector, float]:
        """(argmax, its multiplier b): kappa alpha = s - b sigma wherever alpha is inside the box."""
        if not isinstance(kappa, np.ndarray):
            alpha, t = self._project(s / kappa)
            return alpha, -kappa * t
        bends = kappa > 0
        goal = np.divide(s, kappa, out=self.lower.copy(), where=bends)
        qp = DiagonalQP(goal, *self.columns, self.sigma, np.sqrt(np.where(bends, kappa, 1.0)), self.z)
        alpha, t = minimise(qp, self.ends, "newton", None)
        return alpha, -t

    def _biases(self, s: Vector) -> tuple[float, float]:
        """The interval of minimising b. (inf, -inf) if the support function is infinite at s."""
        s = np.ascontiguousarray(s)
        ends: tuple[float, float] = _kernels.get("box_plane_bias")(s, *self.columns, self.sigma, self.z)
        return ends

    def _excess(self, alpha: Vector) -> float:
        return float(np.sum(self.sigma * alpha)) - self.z

    def _share(self, alpha: Vector, ties: NDArray[np.intp]) -> Vector:
        """Move the tied rows, which do not change the value, one after the other until alpha is on the plane."""
        lower, upper, sigma = self.lower[ties], self.upper[ties], self.sigma[ties]
        for _ in range(2):  # the second time corrects the rounding of the first
            excess = self._excess(alpha)
            end = np.where(sigma * excess > 0, lower, upper)
            room = np.abs(sigma * (end - alpha[ties]))
            before = np.concatenate([[0.0], np.cumsum(room)])[:-1]
            used = np.clip(abs(excess) - before, 0.0, room)
            moved = alpha[ties] - np.sign(excess) * used / sigma
            alpha[ties] = np.where(used == room, end, np.clip(moved, lower, upper))
        return alpha
