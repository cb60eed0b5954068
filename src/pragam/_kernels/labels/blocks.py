r"""The semismooth Newton method's loops over examples with K labels: the specification of ``block_*``.

An example has alpha_i = totals_i beta_i, beta_i in a simplex or a set of pairs of total 1. With a proximal term of size
tau around ``base`` it maximises

    totals_i (<beta, s_i> - |beta - base_i|^2 / (2 tau)),    so    beta_i = P(base_i + tau s_i),   P the projection.

Inside its face beta moves with s at the rate tau P', where P' = diag(m) - m m' / |m| on the support m of a simplex. It
is the same for pairs whose sides are balanced, with the signs of the sides. Where both have the whole total, it is that
of each side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.labels.projections import label_project
from pragam._kernels.labels.records import BlockLine, Blocks, BlockSums
from pragam.numerics.vector import Vector

__all__ = ["block_line_search", "block_move", "block_pairs", "block_select", "block_weights"]

Matrix = NDArray[np.float64]
#: Both sides of a pair are full at this mass: 1, but for rounding.
_FULL = 1 - 1e-13


def _projected(blocks: Blocks, v: Matrix) -> Matrix:
    out = np.empty(v.size)
    label_project(v.ravel(), np.ones(len(v)), blocks.wrong, blocks.K, out)
    return out.reshape(v.shape)


def _sides(blocks: Blocks) -> list[NDArray[np.bool_]]:
    """Which entries share a simplex: all, or those of a side."""
    if not blocks.wrong.size:
        return [np.ones((len(blocks.totals), blocks.K), dtype=bool)]
    wrong = blocks.wrong.reshape(-1, blocks.K) != 0
    return [wrong, ~wrong]


def _by_side(blocks: Blocks, beta: Matrix) -> NDArray[np.bool_]:
    """Whether each side moves by itself: pairs at the whole total."""
    if not blocks.wrong.size:
        return np.zeros(len(beta), dtype=bool)
    full: NDArray[np.bool_] = beta.sum(axis=1, where=_sides(blocks)[0]) >= _FULL
    return full


def _spread(t: Matrix, weights: Matrix) -> Vector:
    """t' (diag(m) - m m' / sum m) t for the weights m of each row."""
    mass = np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
    spread: Vector = np.sum(weights * t * t, axis=1) - np.sum(weights * t, axis=1) ** 2 / mass
    return spread


def _signs(blocks: Blocks) -> Matrix | float:
    return np.where(_sides(blocks)[0], 1.0, -1.0) if blocks.wrong.size else 1.0


def _height(blocks: Blocks, s: Matrix) -> Vector:
    """The maximum of <beta, s> over each block."""
    tops = [s.max(axis=1, where=side, initial=-np.inf) for side in _sides(blocks)]
    best = tops[0] if len(tops) == 1 else np.maximum(tops[0] + tops[1], 0.0)
    return np.where(blocks.totals > 0, best, 0.0)


def block_select(blocks: Blocks, s: Vector, tau: float, band: float, beta: Vector, near: NDArray[np.uint8]) -> float:
    """beta = P(base + tau s). ``near`` is 1 where it was, and where beta is not at a vertex by ``band`` at least.

    Returns the risk at s. At a vertex of a simplex the largest entry of base + tau s leads by more than 1; at that of
    pairs both sides do, and their sum exceeds 2, or the sum is negative.
    """
    rows = (blocks.base + tau * s).reshape(-1, blocks.K)
    beta.reshape(rows.shape)[:] = _projected(blocks, rows)
    leads, tops = [], []
    for side in _sides(blocks):
        ordered = np.sort(np.where(side, rows, -np.inf), axis=1)
        tops.append(ordered[:, -1])
        with np.errstate(invalid="ignore"):
            leads.append(ordered[:, -1] - (ordered[:, -2] if blocks.K > 1 else -np.inf))
    fixed = np.min(leads, axis=0) >= 1 + band
    if len(tops) == 2:
        height = tops[0] + tops[1]
        fixed = (fixed & (height >= 2 + band)) | (height <= -band)
    still = blocks.totals == 0
    beta.reshape(rows.shape)[still] = blocks.base.reshape(rows.shape)[still]
    near[:] = ((near != 0) | ~fixed) & ~still
    return float(blocks.totals @ _height(blocks, s.reshape(rows.shape)))


def _slope(blocks: Blocks, s: Vector, ds: Vector, tau: float, t: float) -> tuple[float, float]:
    """sum of totals <ds, beta(s + t ds)> and its derivative by t."""
    rows, change = (blocks.base + tau * (s + t * ds)).reshape(-1, blocks.K), ds.reshape(-1, blocks.K)
    beta = _projected(blocks, rows)
    m = (beta > 0).astype(float)
    joint = _spread(_signs(blocks) * change, m)
    apart = sum(_spread(change, m * side) for side in _sides(blocks))
    bend = np.where(_by_side(blocks, beta), apart, joint)
    return float(blocks.totals @ np.sum(beta * change, axis=1)), tau * float(blocks.totals @ bend)


def block_line_search(blocks: Blocks, s: Vector, ds: Vector, tau: float, line: BlockLine) -> float:
    """The root t > 0 of  linear + quadratic t + sum of totals <ds, beta(s + t ds)>.

    The function is non-decreasing and negative at 0. Newton's method, safeguarded by a bracket, starts at t = 1 and
    ends with the first step of at most tol t.
    """
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(line.evaluations):
        value, bend = _slope(blocks, s, ds, tau, t)
        value, bend = line.linear + line.quadratic * t + value, line.quadratic + bend
        low, high = (t, high) if value < 0 else (low, t)
        following = t - value / bend if bend > 0 else low
        if abs(following - t) <= line.tol * t:
            return min(max(following, low), high)
        if not low < following < high:
            following = 2 * t if np.isinf(high) else 0.5 * (low + high)
        if value == 0 or not following > 0:
            break
        t = following
    return t


def block_move(
    blocks: Blocks, c: Vector, t: float, s: Vector, ds: Vector, tau: float, beta: Vector, change: Vector
) -> BlockSums:
    """s += t ds, and beta follows. ``change`` becomes totals times the change of beta."""
    shape = len(blocks.totals), blocks.K
    s += t * ds
    moved = _projected(blocks, (blocks.base + tau * s).reshape(shape))
    moved = np.where(blocks.totals[:, None] > 0, moved, blocks.base.reshape(shape))
    totals = blocks.totals[:, None]
    change.reshape(shape)[:] = totals * (moved - beta.reshape(shape))
    beta.reshape(shape)[:] = moved
    return BlockSums(
        proximal=float(np.sum(totals * (moved - blocks.base.reshape(shape)) ** 2)),
        risk=float(blocks.totals @ _height(blocks, s.reshape(shape))),
        linear=float(np.sum(totals * moved * c.reshape(shape))),
        moved=float(np.count_nonzero(change.reshape(shape).any(axis=1))),
    )


def block_weights(
    blocks: Blocks, s: Vector, tau: float, blur: float, weights: Vector, by_side: NDArray[np.uint8]
) -> None:
    """The weights m of P': 1 where beta > 0, and 1 / (1 + 4 (distance / blur)^2) up to 2 blur below the threshold.

    ``by_side`` is 1 where each side of pairs moves by itself. Where beta is 0 altogether so are the weights.
    """
    rows = (blocks.base + tau * s).reshape(-1, blocks.K)
    beta = _projected(blocks, rows)
    by_side[:] = _by_side(blocks, beta)
    depth = np.zeros_like(rows)  # below the threshold of the side
    for side in _sides(blocks):
        first = np.where(side, beta, -1.0).argmax(axis=1)[:, None]
        threshold = np.take_along_axis(rows - beta, first, 1)
        depth = np.where(side, threshold - rows, depth)
    near = np.where(depth < 2 * blur, 1 / (1 + (2 * depth / (blur if blur > 0 else 1.0)) ** 2), 0.0)
    moving = beta.any(axis=1) & (blocks.totals > 0)
    weights.reshape(rows.shape)[:] = np.where(moving[:, None], np.where(beta > 0, 1.0, near), 0.0)


def block_pairs(
    blocks: Blocks,
    weights: Vector,
    by_side: NDArray[np.uint8],
    first: NDArray[np.int64],
    examples: NDArray[np.int64],
    values: Vector,
) -> int:
    r"""The entries totals_i P'_kl, as lists of examples for each pair k <= l of labels, without signs.

    The pair (k, l) has the number k K - k (k - 1) / 2 + l - k, and its list begins at first[number]. With empty lists
    only ``first`` is set. Returns how many there are. An example whose support is one label has none.
    """
    shape = len(blocks.totals), blocks.K
    m = weights.reshape(shape)
    dense = np.zeros((*shape, blocks.K))
    sides = _sides(blocks)
    groups = [
        (~(by_side != 0)[:, None]) & np.ones(shape, dtype=bool),
        *((by_side != 0)[:, None] & side for side in sides),
    ]
    for group in groups:
        own = np.where(group, m, 0.0)
        mass = np.maximum(own.sum(axis=1), np.finfo(float).tiny)[:, None, None]
        single = np.count_nonzero(own, axis=1) <= 1
        block = own[:, :, None] * np.eye(blocks.K) - own[:, :, None] * own[:, None, :] / mass
        dense += np.where(single[:, None, None], 0.0, block)
    dense *= blocks.totals[:, None, None]
    k, l = np.triu_indices(blocks.K)
    by_pair = dense[:, k, l].T
    number, example = np.nonzero(by_pair)
    first[:] = np.r_[0, np.cumsum(np.bincount(number, minlength=len(k)))]
    if examples.size:
        examples[:], values[:] = example, by_pair[number, example]
    return int(first[-1])
