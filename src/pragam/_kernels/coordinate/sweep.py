"""Dual coordinate ascent: the specification of ``dcd_sweep_csr``, ``_dense``, ``_pattern`` and ``_single``."""

from __future__ import annotations

from itertools import groupby
from math import copysign, inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.random import SplitMix64
from pragam._kernels.common.random_order import random_order
from pragam._kernels.common.rows import Row, csr_rows, dense_rows, pattern_rows
from pragam._kernels.coordinate.ascent_function import Function
from pragam._kernels.coordinate.joint_step import joint_maximum
from pragam._kernels.coordinate.records import (
    ALPHA,
    CURVATURE,
    LOWER,
    SLOPE,
    UPPER,
    Batch,
    Planes,
    Variables,
    Visits,
)

__all__ = ["dcd_sweep_csr", "dcd_sweep_dense", "dcd_sweep_pattern", "dcd_sweep_single"]

Answer = tuple[int, float, float, float, int, int, float, int, int]


def dcd_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), np.diff(indptr), *args)


def dcd_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweeps(dense_rows(X), np.full(len(X), X.shape[1]), *args)


def dcd_sweep_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(pattern_rows(indices, indptr), np.diff(indptr), *args)


def dcd_sweep_single(indices: Any, data: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), np.diff(indptr), *args)


def _sweeps(
    row: Row,
    lengths: NDArray[np.int64],
    variables: Variables,
    planes: Planes,
    lam: float,
    w: NDArray[Any],
    visits: Visits,
    batch: Batch,
) -> Answer:
    """Sweeps over the active variables in random order, in place on table, running, w and active.

    With ``joint``, neighbours among them that read one row are met together, by one product with it, and moved to the
    maximum over all of them. Two variables of a tube pull at one row from both sides: one by one they hardly move.

    ``block`` variables that are adjacent in memory are visited together. A variable held at its bound by a slope s
    becomes inactive if s^2 > ``reach`` q, or in later sweeps of the call if s^2 > ``caution2`` drift2 q. There is
    always a first sweep. Sweeps end after ``batch.rows`` visits, or visits to ``batch.entries`` entries, or when no
    variable is active, or when the gap is at most ``goal``.

    Returns ``(n_active, gap, gain, drift2, turns, free, before, met, last)``:

    - n_active: the number of variables that stay active, which are ``active[:n_active]``
    - gap: the sum of the variables' duality gaps, each at its visit
    - gain: the gain of the function in the call
    - drift2: the mean of (change of slope since the last visit)^2 / q, inf if there is none
    - turns: the number of moves from or onto a bound
    - free: the number of variables between their bounds
    - before: the gap of the previous sweep, or the given one after a single sweep
    - met, last: the number of visits in the call, and in the last sweep

    All but gain and met are those of the last sweep.
    """
    F, random, before = Function(row, variables, planes, lam), SplitMix64(visits.seed), batch.before
    gain, met, entries = 0.0, 0, 0
    while True:
        last, met_now = visits.n_active, visits.active[: visits.n_active].copy()
        n_active, gap, more, drift2, turns, free = _sweep(F, w, visits, random)
        gain, met = gain + more, met + last
        read = met_now if variables.number is None else variables.number[met_now]
        entries += int(lengths[[i for i, _ in groupby(read)] if variables.joint else read].sum())
        if entries >= batch.entries or met >= batch.rows or n_active == 0 or gap <= batch.goal:
            return n_active, gap, gain, drift2, turns, free, before, met, last
        before, visits = gap, visits._replace(n_active=n_active, reach=batch.caution2 * drift2)


class _Tally:
    """What a sweep has met so far."""

    def __init__(self) -> None:
        self.gap, self.gain, self.turns, self.free = 0.0, 0.0, 0, 0
        self.changes: list[float] = []
        self.gone: set[int] = set()


def _sweep(
    F: Function, w: NDArray[Any], visits: Visits, random: SplitMix64
) -> tuple[int, float, float, float, int, int]:
    """One sweep: the first six of the results above."""
    active, tally = visits.active[: visits.n_active].tolist(), _Tally()
    together = _runs(active, F.variables) if F.variables.joint else [[i] for i in active]
    for k in random_order(len(together), visits.block, random):
        if len(together[k]) == 1:
            _visit(F, together[k][0], w, visits.reach, tally)
        else:
            _visit_together(F, together[k], w, visits.reach, tally)
    stay = [i for i in active if i not in tally.gone]
    visits.active[: len(stay)] = stay
    drift2 = float(np.mean(tally.changes)) if tally.changes else np.inf
    return len(stay), tally.gap, tally.gain, drift2, tally.turns, tally.free


def _runs(active: list[int], variables: Variables) -> list[list[int]]:
    """The active variables, neighbours that read one row together."""
    if variables.number is None:
        return [[i] for i in active]
    number = variables.number
    return [list(run) for _, run in groupby(active, key=lambda i: int(number[i]))]


def _visit(F: Function, i: int, w: NDArray[Any], reach: float, tally: _Tally) -> None:
    """The exact step along variable i, and what it tells."""
    table, kappa, running = F.variables.table, F.variables.kappa, F.planes.running
    _, _, lower, upper, q, _, alpha, before = table[i].tolist()
    s = float(F.slope(i, alpha, w, running))
    if q > 0 and not isnan(s - before):
        tally.changes.append((s - before) ** 2 / q)
    table[i, SLOPE] = s
    if (alpha <= lower and s <= 0) or (alpha >= upper and s >= 0):
        if reach < inf and s * s > reach * q:
            tally.gone.add(i)
            table[i, SLOPE] = np.nan
        return
    tally.gap += _gap(alpha, s, lower, upper, 0.0 if kappa is None else float(kappa[i]))
    target = alpha + s / q if q > 0 else copysign(inf, s)
    moved = min(max(target, lower), upper)
    step = moved - alpha
    tally.free += lower < moved < upper
    if step == 0:
        return
    tally.gain += step * (s - 0.5 * q * step)
    tally.turns += not (lower < alpha < upper and lower < moved < upper)
    table[i, ALPHA], table[i, SLOPE] = moved, s - q * step
    F.move(i, step, w, running)


def _visit_together(F: Function, together: list[int], w: NDArray[Any], reach: float, tally: _Tally) -> None:
    """The same for several variables at once, which read one row."""
    table, kappa, running = F.variables.table, F.variables.kappa, F.planes.running
    q, lower, upper, alpha = (table[together, column] for column in (CURVATURE, LOWER, UPPER, ALPHA))
    s = np.array([F.slope(i, alpha_i, w, running) for i, alpha_i in zip(together, alpha, strict=True)])
    changed = (q > 0) & ~np.isnan(s - table[together, SLOPE])
    tally.changes.extend(((s - table[together, SLOPE])[changed] ** 2 / q[changed]).tolist())
    held = ((alpha <= lower) & (s <= 0)) | ((alpha >= upper) & (s >= 0))
    for k in np.flatnonzero(~held):
        curvature = 0.0 if kappa is None else float(kappa[together[k]])
        tally.gap += _gap(alpha[k], s[k], lower[k], upper[k], curvature)
    block = F.block(together)
    moved = alpha if held.all() else joint_maximum(s, block, alpha, lower, upper)
    step = moved - alpha
    falls = block.times(step)
    tally.gain += float((s - falls / 2) @ step)
    tally.free += int(np.count_nonzero((moved > lower) & (moved < upper)))
    was_inside, is_inside = (alpha > lower) & (alpha < upper), (moved > lower) & (moved < upper)
    tally.turns += int(np.count_nonzero((step != 0) & ~(was_inside & is_inside)))
    table[together, ALPHA], table[together, SLOPE] = moved, s - falls
    for i, step_i in zip(together, step.tolist(), strict=True):
        if step_i:
            F.move(i, step_i, w, running)
    leave = held & (step == 0) & (s * s > reach * q) if reach < np.inf else np.zeros(len(s), bool)
    for k in np.flatnonzero(leave):
        tally.gone.add(together[k])
        table[together[k], SLOPE] = np.nan


def _gap(alpha: float, s: float, lower: float, upper: float, kappa: float) -> float:
    """max over lower <= alpha + t <= upper of s t - kappa/2 t^2: the gap of a variable at its score."""
    bound = upper if s > 0 else lower
    if not kappa > 0:
        return s * (bound - alpha)
    t = min(max(alpha + s / kappa, lower), upper) - alpha
    return t * (s - 0.5 * kappa * t) if np.isfinite(t) else np.inf
