"""Ascent over one example after the other: the specification of ``block_sweep_csr`` and ``block_sweep_dense``."""

from __future__ import annotations

from math import inf, isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.blocks.function import Function
from pragam._kernels.blocks.records import BlockPlanes, Blocks, Shape, Table
from pragam._kernels.common.random import SplitMix64
from pragam._kernels.common.random_order import random_order
from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam._kernels.coordinate.records import Batch, Visits
from pragam.numerics.vector import Vector

__all__ = ["block_sweep_csr", "block_sweep_dense"]

Answer = tuple[int, float, float, float, int, int, float, int, int]
#: How far a target without curvature lies from its block, in units of it.
_FAR = 1e100


def block_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), np.diff(indptr), *args)


def block_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweeps(dense_rows(X), np.full(len(X), X.shape[1]), *args)


def _sweeps(
    row: Row,
    lengths: NDArray[np.int64],
    blocks: Blocks,
    planes: BlockPlanes,
    lam: float,
    table: Table,
    visits: Visits,
    batch: Batch,
) -> Answer:
    """Sweeps over the active examples in random order, in place on alpha, margin, running, table and active.

    An example moves to the maximum of F over its block. It is *held* if it is at a vertex (on a box: all of its
    variables at bounds) that is the maximum, by the *margin* of its slopes; then it becomes inactive if margin^2 >
    ``reach`` q, or in later sweeps of the call if margin^2 > ``caution2`` drift2 q. Between two sweeps the multipliers
    of the planes make a step, b <- b - rho r.

    The number of sweeps and the answer ``(n_active, gap, gain, drift2, turns, free, before, met, last)`` are those of
    ``dcd_sweep``, with examples for variables: turns counts those whose support changed, free those not at a vertex,
    and drift2 is the mean of (change of margin since the last visit)^2 / q. What the residuals of the planes may change
    of the gap counts with it against ``goal``.
    """
    F, random, before = Function(row, blocks, planes, lam), SplitMix64(visits.seed), batch.before
    gain, met, entries = 0.0, 0, 0
    while True:
        last, met_now = visits.n_active, visits.active[: visits.n_active].copy()
        tally = _sweep(F, table, visits, random)
        drift2 = float(np.mean(tally.changes)) if tally.changes else inf
        gain, met, entries = gain + tally.gain, met + last, entries + int(lengths[met_now].sum())
        n_active = last - len(tally.gone)
        excess = F.excess()
        if entries >= batch.entries or met >= batch.rows or n_active == 0 or tally.gap + excess <= batch.goal:
            return n_active, tally.gap, gain, drift2, tally.turns, tally.free, before, met, last
        planes.multiplier[:] -= planes.rho * planes.running[: len(planes.multiplier)]
        before, visits = tally.gap, visits._replace(n_active=n_active, reach=batch.caution2 * drift2)


class _Tally:
    """What a sweep has met so far."""

    def __init__(self) -> None:
        self.gap, self.gain, self.turns, self.free = 0.0, 0.0, 0, 0
        self.changes: list[float] = []
        self.gone: set[int] = set()


def _sweep(F: Function, table: Table, visits: Visits, random: SplitMix64) -> _Tally:
    active, tally = visits.active[: visits.n_active].tolist(), _Tally()
    for k in random_order(len(active), visits.block, random):
        _visit(F, active[k], table, visits.reach, tally)
    stay = [i for i in active if i not in tally.gone]
    visits.active[: len(stay)] = stay
    return tally


def _visit(F: Function, i: int, table: Table, reach: float, tally: _Tally) -> None:
    """The exact step of example i, and what it tells."""
    blocks, running = F.blocks, F.planes.running
    alpha, total, q = F.of(blocks.alpha, i), float(blocks.totals[i]), float(blocks.q[i])
    s = F.slopes(i, table, running)
    found = _judge(F, i, alpha, s)
    change = found.margin - blocks.margin[i]
    if q > 0 and not isnan(change):
        tally.changes.append(change * change / q)
    blocks.margin[i] = found.margin
    if found.is_held:
        if reach < inf and found.margin**2 > reach * q:
            tally.gone.add(i)
            blocks.margin[i] = np.nan
        return
    tally.gap += max(found.gap, 0.0)  # below 0 by rounding alone
    with np.errstate(all="ignore"):
        target = alpha + s * (1 / q if q > 0 else inf)
    if not np.isfinite(target).all():
        size = float(np.abs(s).max())
        target = s / size * (_FAR * max(total, 1 / _FAR)) if size > 0 else np.zeros(len(s))
    moved = F.project(i, target)
    step = moved - alpha
    tally.free += bool(((moved > 0) & (moved < total)).any())
    if not step.any():
        return
    tally.turns += bool((((alpha == 0) != (moved == 0)) | ((alpha == total) != (moved == total))).any())
    tally.gain += float(step @ (s - 0.5 * q * step))
    alpha[:] = moved
    F.move(i, step, table, running)
    blocks.margin[i] = _judge(F, i, alpha, s - q * step).margin


class _Judged(NamedTuple):
    gap: float  # how much the best point of the block exceeds this one
    margin: float  # by how much the slopes prefer it to its neighbours
    is_held: bool


def _judge(F: Function, i: int, alpha: Vector, s: Vector) -> _Judged:
    total = float(F.blocks.totals[i])
    if F.shape is Shape.SIMPLEX:
        return _judge_simplex(alpha, s, total)
    if F.shape is Shape.PAIRS:
        return _judge_pairs(alpha, s, total, F.sign(i) > 0)
    held = ((alpha <= 0) & (s <= 0)) | ((alpha >= total) & (s >= 0))
    gap = float(np.sum(np.where(s > 0, s * (total - alpha), -s * alpha)))
    return _Judged(gap, float(np.min(np.where(held, np.abs(s), 0.0))), bool(held.all()))


def _judge_simplex(alpha: Vector, s: Vector, total: float) -> _Judged:
    """The main label against the others."""
    main = int(alpha.argmax())
    margin = float(s[main] - np.delete(s, main).max(initial=-inf))
    return _Judged(total * float(s.max()) - float(alpha @ s), margin, bool(alpha[main] == total) and margin >= 0)


def _judge_pairs(alpha: Vector, s: Vector, total: float, wrong: NDArray[np.bool_]) -> _Judged:
    """No pair against the best one; or the main pair against the others, and against none."""
    height = float(s[wrong].max(initial=-inf) + s[~wrong].max(initial=-inf))
    gap = total * max(height, 0.0) - float(alpha @ s)
    if not alpha.any() or wrong.all() or not wrong.any():
        return _Judged(gap, -height, height <= 0 or total == 0)
    main = [int(np.where(side, alpha, -inf).argmax()) for side in (wrong, ~wrong)]
    own = np.where(wrong, s[main[0]], s[main[1]])
    others = ~np.isin(np.arange(len(s)), main)
    margin = min(height, float((own - s)[others].min(initial=inf)))
    is_vertex = not alpha[others].any() and bool((alpha[main] == total).all())
    return _Judged(gap, margin, is_vertex and margin >= 0)
