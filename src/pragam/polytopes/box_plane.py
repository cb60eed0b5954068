"""The box cut by a plane: the dual variables of a model with an unpenalised bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam import _kernels
from pragam.polytopes.base import Vector
from pragam.polytopes.box import Box, relative
from pragam.polytopes.box_plane_projection import column, level_in_range, minimise, plane_range
from pragam.polytopes.multiplier_search import DiagonalQP

ONE = np.ones(1)


class BoxPlane(Box):
    r"""Q = {alpha : lower <= alpha <= upper, sum_i sigma_i alpha_i = z}.

    Its support function is a minimum over the multiplier b of the plane, which is the bias of the model:

        max over Q of <alpha, s> = min over b of sum_i max(lower_i r_i, upper_i r_i) + b z,  r = s - b sigma.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike, sigma: ArrayLike, z: float = 0.0) -> None:
        super().__init__(lower, upper)
        self.sigma = np.array(np.broadcast_to(column(sigma, self.size, "sigma"), (self.size,)))
        if not np.isfinite(z):
            raise ValueError(f"z must be finite, got {z}")
        self.ends = plane_range(self.lower, self.upper, self.sigma, self.size)
        self.z = level_in_range(float(z), self.ends)

    def violation(self, alpha: Vector) -> float:
        box = super().violation(alpha)
        if np.isinf(box):
            return box
        bound = np.maximum(np.abs(self.lower), np.abs(self.upper))
        size = float(np.sum(np.abs(self.sigma) * np.where(np.isfinite(bound), bound, np.abs(alpha))))
        return max(box, relative(abs(self._excess(alpha)), size + abs(self.z)))

    def project(self, v: Vector, start: float | None = None) -> Vector:
        """The point clip(v + t sigma) of Q nearest to ``v``; ``start`` is a guess of t."""
        return self._project(v, start)[0]

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

    def support(self, s: Vector, kappa: float = 0.0) -> tuple[float, float | None]:
        """``(value, b)``; of an interval of best b the midpoint, of a half-line its end, of all numbers 0."""
        if kappa > 0:
            b = -kappa * self._project(s / kappa)[1]
        else:
            low, high = self._biases(s)
            if low > high:
                return np.inf, 0.0
            ends = [x for x in (low, high) if np.isfinite(x)]
            b = 0.5 * ends[0] + 0.5 * ends[-1] if ends else 0.0
        value = _kernels.get("box_plane_support")(s, self.lower, self.upper, self.sigma, b, kappa)
        return value + b * self.z, b

    def sample(self, rng: np.random.Generator) -> Vector:
        return self.project(super().sample(rng))

    def _project(self, v: Vector, start: float | None = None) -> tuple[Vector, float]:
        qp = DiagonalQP(v, self.lower, self.upper, self.sigma, ONE, self.z)
        return minimise(qp, self.ends, "newton", start)

    def _biases(self, s: Vector) -> tuple[float, float]:
        """The interval of minimising b, (inf, -inf) if the support function is infinite at s."""
        return _kernels.get("box_plane_bias")(s, self.lower, self.upper, self.sigma, self.z)

    def _excess(self, alpha: Vector) -> float:
        return float(np.sum(self.sigma * alpha)) - self.z

    def _share(self, alpha: Vector, ties: NDArray[np.intp]) -> Vector:
        """Move the tied rows, which earn nothing either way, one after the other until the plane holds."""
        lower, upper, sigma = self.lower[ties], self.upper[ties], self.sigma[ties]
        for _ in range(2):  # the second time for the rounding of the first
            excess = self._excess(alpha)
            end = np.where(sigma * excess > 0, lower, upper)
            room = np.abs(sigma * (end - alpha[ties]))
            before = np.concatenate([[0.0], np.cumsum(room)])[:-1]
            used = np.clip(abs(excess) - before, 0.0, room)
            moved = alpha[ties] - np.sign(excess) * used / sigma
            alpha[ties] = np.where(used == room, end, np.clip(moved, lower, upper))
        return alpha
