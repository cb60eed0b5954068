"""Dual coordinate ascent: the specification of ``dcd_sweep_csr``, ``_dense`` and ``_pattern``."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.records.coordinate import (
    ALPHA,
    CURVATURE,
    LOWER,
    OWN,
    SCALE,
    SLOPE,
    UPPER,
    Batch,
    Planes,
    Variables,
    Vector,
    Visits,
)
from pragam._kernels.twins.random import SplitMix64
from pragam._kernels.twins.rows import Row, csr_rows, dense_rows, pattern_rows

__all__ = ["dcd_sweep_csr", "dcd_sweep_dense", "dcd_sweep_pattern"]

#: After so many halvings an interval is as short as the rounding of its first end.
_HALVINGS = 60

Answer = tuple[int, float, float, float, int, int, float, int, int]


def dcd_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(csr_rows(data, indices, indptr), np.diff(indptr), *args)


def dcd_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweeps(dense_rows(X), np.full(len(X), X.shape[1]), *args)


def dcd_sweep_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweeps(pattern_rows(indices, indptr), np.diff(indptr), *args)


class Block(NamedTuple):
    """-F'' in the variables of one row: diag(d) + p u u'."""

    d: Vector
    u: Vector
    p: float

    def times(self, step: Vector) -> Vector:
        return self.d * step + self.p * float(self.u @ step) * self.u


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
        table, number = self.variables.table, self.variables.number
        columns, values = self.row(i if number is None else int(number[i]))
        return columns, table[i, SCALE] * values

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

    def block(self, together: list[int]) -> Block:
        """-F'' in the variables of one row, where several are met together if sigma_i / scale_i is the same for all.

        Then a_i + sigma_i m = scale_i v, and the block is p scale scale' + diag(d): rho belongs to p if they are on one
        plane, to d if each is on its own. q_i = scale_i^2 p + d_i.
        """
        table, planes = self.variables.table, self.planes
        scale, d, q = table[together, SCALE], table[together, OWN].copy(), table[together, CURVATURE]
        if len(together) == 1:
            return Block(q, np.ones(1), 0.0)
        if planes.group is not None:
            d += planes.rho * planes.terms[together, 0] ** 2
        return Block(d, scale, max(q[0] - d[0], 0.0) / scale[0] ** 2)

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
    for k in _random_order(len(together), visits.block, random):
        _visit(F, together[k], w, visits.reach, tally)
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


def _visit(F: Function, together: list[int], w: NDArray[Any], reach: float, tally: _Tally) -> None:
    """The exact step along these variables, which read one row, and what it tells."""
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
    moved = alpha if held.all() else _joint_maximum(s, block, alpha, lower, upper)
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


def _joint_maximum(s: Vector, block: Block, alpha: Vector, lower: Vector, upper: Vector) -> Vector:
    """argmax of <s, t> - 1/2 sum d_j t_j^2 - p/2 <u, t>^2 over lower <= alpha + t <= upper.

    At the maximum z = p <u, t>, and t_j is the best step against the slope s_j - u_j z. z - p <u, t(z)> grows with z,
    which bisection finds. Where the best step jumps, the equation says what lies between.
    """
    d, u, p = block
    if len(s) == 1 or p == 0:
        q = d + p * u**2
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(q > 0, s / q, np.where(s == 0, 0.0, np.copysign(np.inf, s)))
        return np.clip(alpha + step, lower, upper)

    def best(z: float) -> Vector:
        slope = s - u * z
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.where(d > 0, slope / d, np.where(slope == 0, 0.0, np.copysign(np.inf, slope)))
        return np.clip(alpha + inside, lower, upper) - alpha

    high = float(np.abs(s / u).max())
    low = -high
    for _ in range(_HALVINGS):
        z = (low + high) / 2
        low, high = (low, z) if z - p * u @ best(z) >= 0 else (z, high)
    below, above = best(low), best(high)
    miss, jump = low / p - u @ below, u @ (above - below)
    return np.clip(alpha + below + (miss / jump if jump < 0 else 0.0) * (above - below), lower, upper)


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
