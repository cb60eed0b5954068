r"""The part of a set of dual variables that lies on the planes of a model's biases: {alpha in Q : B' alpha = levels}.

Its support function is a minimum over the multipliers b of the planes, which are the biases of the model:

    max over the set of <alpha, s> - g(alpha) = min over b of max over Q of <alpha, s + B b> - g(alpha) - <levels, b>
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pragam.polytopes.base import Vector
from pragam.polytopes.box_plane import BoxPlane
from pragam.polytopes.columns_on_planes import ColumnsOnPlanes
from pragam.polytopes.needs import HasMultipliers
from pragam.polytopes.product import Product


class PlanesLike(Protocol):
    """What is needed of the operator B of the biases: (B b)_j = sigma_j b_{group_j}."""

    sigma: Vector
    group: NDArray[np.int64]
    shape: tuple[int, int]

    def rows_of(self, k: int) -> NDArray[np.int64]:
        """The dual variables on plane k."""


def on_planes(Q: Any, B: PlanesLike, origin: Vector | None, shift: Vector) -> HasMultipliers:
    """{alpha in Q : B' (alpha - origin) + shift = 0}, for a box or a set of columns of labels."""
    if hasattr(Q, "lower"):
        cut = boxes_on_planes(Q, B, (0.0 if origin is None else _sums(B, origin)) - shift)
        cut.rigorous = cut.rigorous and (origin is None or not origin.any())  # the level of an origin is rounded
        return cut
    zeros = np.zeros(Q.size) if origin is None else origin
    if hasattr(Q, "balanced_columns") and B.shape[1] == Q.K and np.array_equal(B.sigma, Q.signs):
        return ColumnsOnPlanes(Q, zeros, shift)
    raise ValueError(f"no way is known to put {type(Q).__name__} on these {B.shape[1]} planes")


def _sums(B: PlanesLike, alpha: Vector) -> Vector:
    """B' alpha."""
    return np.bincount(B.group, B.sigma * alpha, minlength=B.shape[1])[: B.shape[1]].astype(np.float64)


def boxes_on_planes(Q: Any, B: PlanesLike, levels: Vector) -> HasMultipliers:
    """A box on planes that share no row: a box cut by a plane, or a product of such."""
    if B.shape[1] == 1:
        return _on_plane(Q.lower, Q.upper, B.sigma, float(levels[0]))
    on = [B.rows_of(k) for k in range(B.shape[1])]
    off = np.flatnonzero(B.sigma == 0)
    parts = [_on_plane(Q.lower[at], Q.upper[at], B.sigma[at], float(z)) for at, z in zip(on, levels, strict=True)]
    held = [k for k, at in enumerate(on) if len(at)]
    if any(levels[k] for k in range(B.shape[1]) if k not in held):
        raise ValueError("a plane without dual variables has a level that is not 0")
    planes = [held.index(k) if k in held else None for k in range(B.shape[1])]
    rest = [] if not len(off) else [(Q.take(off), off)]
    pairs = [*((parts[k], on[k]) for k in held), *rest]
    return Product([part for part, _ in pairs], [at for _, at in pairs], planes)


def _on_plane(lower: Vector, upper: Vector, sigma: Vector, level: float) -> BoxPlane:
    """The box on the plane <sigma, alpha> = level, with the multiplier b of scores s + b sigma."""
    cut = BoxPlane(lower, upper, -sigma, 0.0 - level)
    if cut.z != 0.0 - level:  # moved to the end of its range: another plane, if only by rounding
        cut.rigorous = False
    return cut
