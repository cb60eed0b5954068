"""Dual coordinate ascent: the specification of ``dcd_sweep_csr``, ``_dense`` and ``_pattern``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.records import ALPHA, SLOPE, Batch, Planes, Variables, Vector, Visits
from pragam._kernels.twins.random import SplitMix64
from pragam._kernels.twins.rows import Row, csr_rows, dense_rows, pattern_rows

__all__ = ["dcd_sweep_csr", "dcd_sweep_dense", "dcd_sweep_pattern"]

Answer = tuple[int, float, float, float, int, int, float, int, int]


def dcd_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), np.diff(indptr), *args)


def dcd_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweeps(dense_rows(X), np.full(len(X), X.shape[1]), *args)


def dcd_sweep_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(pattern_rows(indices, indptr), np.diff(indptr), *args)


class Function(NamedTuple):
    """F, the function that the sweeps maximise over the box, which is quadratic::

        <c, alpha> - 1/2 sum own_i alpha_i^2 - |A' alpha + tilt + R m|^2 / (2 lam) + sum_k (b_k r_k - rho/2 r_k^2)

    with w = -(A' alpha + tilt) / lam, the residuals r_k of the planes and R, their sum. With lift = A m and moment =
    <m, w> its slope along variable i, which lies on plane k, is

        c_i + <a_i, w> - own_i alpha_i - lift_i R/lam + sigma_i (b_k - rho r_k - |m|^2 R/lam + moment).
    """

    row: Row
    variables: Variables
    planes: Planes
    lam: float

    def read(self, i: int) -> tuple[Any, Vector]:
        """The columns and the values of row i of A."""
        table, number, _ = self.variables
        columns, values = self.row(i if number is None else int(number[i]))
        return columns, table[i, 0] * values

    def slope(self, i: int, alpha: float, w: Vector, running: Vector, is_difference: bool = False) -> float:
        """F' along variable i at a point, or -H u for a difference u of points."""
        columns, values = self.read(i)
        _, c, _, _, _, own, _, _ = self.variables.table[i]
        s = (0.0 if is_difference else c) + float(values @ w[columns]) - own * alpha
        if len(self.planes.multiplier):
            sigma, lift = self.planes.terms[i]
            k, total, moment = self.plane(i), running[:-1].sum(), running[-1]
            b = 0.0 if is_difference else self.planes.multiplier[k]
            s -= lift * total / self.lam
            s += sigma * (b - self.planes.rho * running[k] - self.planes.centre2 / self.lam * total + moment)
        return s

    def move(self, i: int, step: float, w: NDArray[Any], running: Vector) -> None:
        """What a step along variable i changes of w and of what is running."""
        columns, values = self.read(i)
        np.add.at(w, columns, -step / self.lam * values)
        if len(self.planes.multiplier):
            sigma, lift = self.planes.terms[i]
            running[self.plane(i)] += step * sigma
            running[-1] -= step * lift / self.lam

    def plane(self, i: int) -> int:
        return 0 if self.planes.group is None else int(self.planes.group[i])


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
        entries += int(lengths[read].sum())
        if entries >= batch.entries or met >= batch.rows or n_active == 0 or gap <= batch.goal:
            return n_active, gap, gain, drift2, turns, free, before, met, last
        before, visits = gap, visits._replace(n_active=n_active, reach=batch.caution2 * drift2)


def _sweep(
    F: Function, w: NDArray[Any], visits: Visits, random: SplitMix64
) -> tuple[int, float, float, float, int, int]:
    """One sweep: the first six of the results above."""
    table, kappa, running = F.variables.table, F.variables.kappa, F.planes.running
    gap, gain, changes, turns, free, leave = 0.0, 0.0, [], 0, 0, set()
    for k in _random_order(visits.n_active, visits.block, random):
        i = int(visits.active[k])
        _, _, lower, upper, q, _, alpha, before = table[i]
        s = F.slope(i, alpha, w, running)
        if q > 0 and not np.isnan(s - before):
            changes.append((s - before) ** 2 / q)
        table[i, SLOPE] = s
        if (alpha <= lower and s <= 0) or (alpha >= upper and s >= 0):
            if visits.reach < np.inf and s * s > visits.reach * q:
                leave.add(i)
                table[i, SLOPE] = np.nan
            continue
        gap += _gap(alpha, s, lower, upper, 0.0 if kappa is None else float(kappa[i]))
        target = alpha + s / q if q > 0 else np.copysign(np.inf, s)
        moved = min(max(target, lower), upper)
        step = moved - alpha
        free += bool(lower < moved < upper)
        if step == 0:
            continue
        gain += step * (s - 0.5 * q * step)
        turns += bool(alpha <= lower or alpha >= upper or moved <= lower or moved >= upper)
        table[i, ALPHA], table[i, SLOPE] = moved, s - q * step
        F.move(i, step, w, running)
    stay = [i for i in visits.active[: visits.n_active] if i not in leave]
    visits.active[: len(stay)] = stay
    return len(stay), gap, gain, float(np.mean(changes)) if changes else np.inf, turns, free


def _gap(alpha: float, s: float, lower: float, upper: float, kappa: float) -> float:
    """max over lower <= alpha + t <= upper of s t - kappa/2 t^2: the gap of a variable at its score."""
    bound = upper if s > 0 else lower
    if not kappa > 0:
        return s * (bound - alpha)
    t = min(max(alpha + s / kappa, lower), upper) - alpha
    return t * (s - 0.5 * kappa * t) if np.isfinite(t) else np.inf


def _random_order(n: int, size: int, random: SplitMix64) -> list[int]:
    """0 .. n-1 in blocks of neighbours, with the blocks in random order and each block shuffled."""
    blocks = _shuffled([range(first, min(first + size, n)) for first in range(0, n, size)], random)
    return [k for block in blocks for k in _shuffled(list(block), random)]


def _shuffled(items: list[Any], random: SplitMix64) -> list[Any]:
    for k in range(len(items) - 1, 0, -1):
        j = random.below(k + 1)
        items[k], items[j] = items[j], items[k]
    return items
