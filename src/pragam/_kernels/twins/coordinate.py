"""Dual coordinate ascent: the specification of ``dcd_sweep_csr`` and ``dcd_sweep_dense``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.random import SplitMix64
from pragam._kernels.twins.rows import Row, csr_rows, dense_rows

__all__ = ["dcd_sweep_csr", "dcd_sweep_dense"]

Vector = NDArray[np.float64]
Answer = tuple[int, float, float, float, float]


def dcd_sweep_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sweep(csr_rows(data, indices, indptr), *args)


def dcd_sweep_dense(X: Any, *args: Any) -> Answer:
    return _sweep(dense_rows(X), *args)


def _sweep(
    row: Row,
    scale: Vector,
    c: Vector,
    lower: Vector,
    upper: Vector,
    q: Vector,
    lam: float,
    active: NDArray[np.int64],
    n_active: int,
    highest: float,
    lowest: float,
    w: Vector,
    alpha: Vector,
    sigma: Vector,
    lift: Vector,
    running: Vector,
    bias: float,
    rho: float,
    centre2: float,
    seed: int,
) -> Answer:
    """One sweep over ``active[:n_active]`` in random order, in place on w, alpha, active and running =
    (r, moment). Empty sigma and lift mean that there is no equality constraint.

    Returns ``(n_active, gap, gain, highest, lowest)``: how many rows stay active (the first so many of ``active``),
    the sum of the rows' duality gaps as they were met, what the function has gained, and the extreme slopes that
    violate optimality.
    """
    random = SplitMix64(seed)
    for k in range(n_active - 1, 0, -1):
        j = random.below(k + 1)
        active[k], active[j] = active[j], active[k]
    gap, gain, new_highest, new_lowest = 0.0, 0.0, -np.inf, np.inf
    k = 0
    while k < n_active:
        i = int(active[k])
        columns, values = row(i)
        s = c[i] + scale[i] * float(values @ w[columns])
        if sigma.size:
            r, moment = running
            s -= lift[i] * r / lam + sigma[i] * (bias + (rho + centre2 / lam) * r - moment)
        held = (alpha[i] <= lower[i] and s <= 0) or (alpha[i] >= upper[i] and s >= 0)
        if held and (s < lowest or s > highest):
            n_active -= 1
            active[k], active[n_active] = active[n_active], active[k]
            continue
        k += 1
        violation = 0.0 if held else s
        new_highest, new_lowest = max(new_highest, violation), min(new_lowest, violation)
        if held:
            continue
        gap += s * ((upper[i] if s > 0 else lower[i]) - alpha[i])
        target = alpha[i] + s / q[i] if q[i] > 0 else np.copysign(np.inf, s)
        moved = min(max(target, lower[i]), upper[i])
        step = moved - alpha[i]
        gain += step * (s - 0.5 * q[i] * step)
        alpha[i] = moved
        np.add.at(w, columns, -step * scale[i] / lam * values)
        if sigma.size:
            running += (step * sigma[i], -step * lift[i] / lam)
    return n_active, gap, gain, new_highest, new_lowest
