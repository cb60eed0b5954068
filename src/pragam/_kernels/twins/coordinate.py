"""Dual coordinate ascent: the specification of ``dcd_sweep_csr``, ``_dense`` and ``_pattern``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.random import SplitMix64
from pragam._kernels.twins.rows import Row, csr_rows, dense_rows, pattern_rows

__all__ = ["dcd_sweep_csr", "dcd_sweep_dense", "dcd_sweep_pattern"]

Vector = NDArray[np.float64]
Swept = tuple[int, float, float, float, int, int]
Answer = tuple[int, float, float, float, int, int, float, int, int]


def dcd_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), indptr, *args)


def dcd_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweeps(dense_rows(X), X.shape[1] * np.arange(len(X) + 1), *args)


def dcd_sweep_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(pattern_rows(indices, indptr), indptr, *args)


def _sweeps(
    row: Row,
    ends: NDArray[np.int64],
    table: Vector,
    plane: Vector,
    lam: float,
    active: NDArray[np.int64],
    n_active: int,
    reach: float,
    w: Vector,
    running: Vector,
    bias: float,
    rho: float,
    centre2: float,
    block: int,
    seed: int,
    kappa2: float,
    before: float,
    goal: float,
    most_entries: int,
    most_rows: int,
) -> Answer:
    """Sweeps over ``active[:n_active]`` in random order, in place on w, table, active and running = (r, moment).

    ``block`` rows that are adjacent in memory are visited together. A row held at its bound by a slope s becomes
    inactive if s^2 > ``reach`` q, or in later sweeps of the call if s^2 > ``kappa2`` drift2 q. There is always a first
    sweep. Sweeps end after ``most_rows`` visits, or visits to ``most_entries`` entries, or when no row is active, or
    when the gap is at most ``goal``.

    The columns of ``table`` are scale, c, lower, upper, q, delta, alpha and slope. The columns of ``plane`` are sigma
    and lift; it has no rows if there is no equality.

    Returns ``(n_active, gap, gain, drift2, turns, free, before, met, last)``:

    - n_active: the number of rows that stay active, which are ``active[:n_active]``
    - gap: the sum of the rows' duality gaps, each at its visit
    - gain: the gain of the function in the call
    - drift2: the mean of (change of slope since the last visit)^2 / q, inf if there is none
    - turns: the number of moves from or onto a bound
    - free: the number of rows between their bounds
    - before: the gap of the previous sweep, or the given one after a single sweep
    - met, last: the number of visits in the call, and in the last sweep

    All but gain and met are those of the last sweep.
    """
    random, gain, met, entries = SplitMix64(seed), 0.0, 0, 0
    while True:
        last, rows = n_active, active[:n_active].copy()
        n_active, gap, more, drift2, turns, free = _sweep(
            row, table, plane, lam, active, last, reach, w, running, bias, rho, centre2, block, random
        )
        gain, met, entries = gain + more, met + last, entries + int((ends[rows + 1] - ends[rows]).sum())
        if entries >= most_entries or met >= most_rows or n_active == 0 or gap <= goal:
            return n_active, gap, gain, drift2, turns, free, before, met, last
        before, reach = gap, kappa2 * drift2


def _sweep(
    row: Row,
    table: Vector,
    plane: Vector,
    lam: float,
    active: NDArray[np.int64],
    n_active: int,
    reach: float,
    w: Vector,
    running: Vector,
    bias: float,
    rho: float,
    centre2: float,
    block: int,
    random: SplitMix64,
) -> Swept:
    """One sweep: the first six of the results above."""
    gap, gain, changes, turns, free, leave = 0.0, 0.0, [], 0, 0, set()
    for k in _random_order(n_active, block, random):
        i = int(active[k])
        scale, c, lower, upper, q, delta, alpha, before = table[i]
        columns, values = row(i)
        s = c + scale * float(values @ w[columns]) - delta * alpha
        if len(plane):
            (sigma, lift), (r, moment) = plane[i], running
            s -= lift * r / lam + sigma * (bias + (rho + centre2 / lam) * r - moment)
        if q > 0 and not np.isnan(s - before):
            changes.append((s - before) ** 2 / q)
        table[i, 7] = s
        if (alpha <= lower and s <= 0) or (alpha >= upper and s >= 0):
            if reach < np.inf and s * s > reach * q:
                leave.add(i)
                table[i, 7] = np.nan
            continue
        gap += s * ((upper if s > 0 else lower) - alpha)
        target = alpha + s / q if q > 0 else np.copysign(np.inf, s)
        moved = min(max(target, lower), upper)
        step = moved - alpha
        free += bool(lower < moved < upper)
        if step == 0:
            continue
        gain += step * (s - 0.5 * q * step)
        turns += bool(alpha <= lower or alpha >= upper or moved <= lower or moved >= upper)
        table[i, 6:] = moved, s - q * step
        np.add.at(w, columns, -step * scale / lam * values)
        if len(plane):
            running += (step * sigma, -step * lift / lam)
    stay = [i for i in active[:n_active] if i not in leave]
    active[: len(stay)] = stay
    return len(stay), gap, gain, float(np.mean(changes)) if changes else np.inf, turns, free


def _random_order(n: int, size: int, random: SplitMix64) -> list[int]:
    """0 .. n-1 in blocks of neighbours, with the blocks in random order and each block shuffled."""
    blocks = _shuffled([range(first, min(first + size, n)) for first in range(0, n, size)], random)
    return [k for block in blocks for k in _shuffled(list(block), random)]


def _shuffled(items: list[Any], random: SplitMix64) -> list[Any]:
    for k in range(len(items) - 1, 0, -1):
        j = random.below(k + 1)
        items[k], items[j] = items[j], items[k]
    return items
