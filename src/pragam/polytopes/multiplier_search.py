r"""Three ways to find the multiplier of a box-constrained diagonal QP with one linear equality.

The minimiser of  1/2 sum d_i^2 (alpha_i - m_i)^2  over  lower <= alpha <= upper, <sigma, alpha> = z  is

    alpha_i(t) = clip(m_i + t sigma_i / d_i^2, lower_i, upper_i), t a root of  phi(t) = <sigma, alpha(t)> - z.

phi is non-decreasing and piecewise linear with at most 2n kinks, where a row meets one of its bounds.

- :func:`newton`: semismooth Newton, safeguarded by a bracket (Cominetti, Mascarenhas and Silva 2014).
- :func:`median`: bisection over the kinks by their median (Pardalos and Kovoor 1990). This is the paper's Algorithm 2,
  corrected: the median is one of the kinks, each step drops it with all its ties, and the last piece may be flat.
- :func:`sort`: bisection over the sorted kinks.

The last two find the linear piece that contains the root and leave the rest to :func:`newton`, which is exact there.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.polytopes.base import Vector

EPS = float(np.finfo(np.float64).eps)
SAMPLE_FROM = 1 << 16  # with at least this many rows, a cold start comes from a sample of the blocks
SAMPLE_EVERY = 16
BISECT_FROM = 12  # Newton evaluations after which every second step bisects


class DiagonalQP(NamedTuple):
    """The data of the QP. ``m`` has length n. The other columns have length n, or 1 if they are constant."""

    m: Vector
    lower: Vector
    upper: Vector
    sigma: Vector
    d: Vector
    z: float

    def evaluate(self, t: float, every: int = 1) -> tuple[float, float, float]:
        """(phi(t), its slope, the size of its terms), in one pass over every ``every``-th block of rows."""
        total, slope, size = _kernels.get("box_plane_sums")(*self[:5], t, every)
        return total - self.z, slope, size + abs(self.z)

    def next_kink(self, t: float, forward: bool) -> float:
        """The kink nearest to t on one side of it. Infinite if there is none."""
        kink: float = _kernels.get("box_plane_kink")(*self[:5], t, forward)
        return kink

    def point(self, t: float) -> tuple[Vector, float, float]:
        """(alpha(t), phi(t), the size of its terms)."""
        alpha = np.empty(self.m.size)
        total, _, size = _kernels.get("box_plane_point")(*self[:5], t, alpha)
        return alpha, total - self.z, size + abs(self.z)


def newton(qp: DiagonalQP, start: float | None = None, tol: float = 4 * EPS) -> float:
    """A root of phi, usually after 2 to 6 evaluations and after at most 150.

    Once |phi| is below ``tol`` times the size of its terms, the next Newton step is the answer.
    """
    t = _sampled_start(qp) if start is None else start
    low, high, phi_low, phi_high = -np.inf, np.inf, -np.inf, np.inf
    for step in count():
        phi, slope, size = qp.evaluate(t)
        if abs(phi) <= tol * size or np.isnan(phi):
            return t - phi / slope if slope > 0 else t
        if phi < 0:
            low, phi_low = t, phi
        else:
            high, phi_high = t, phi
        proposal = t - phi / slope if slope > 0 else qp.next_kink(t, phi < 0)
        if slope == 0 and np.isinf(proposal):  # flat to the end, so only rounding hides the root
            return t
        if proposal == t:
            proposal = float(np.nextafter(t, low if phi > 0 else high))
        if not low < proposal < high:
            proposal = low + (high - low) * (phi_low / (phi_low - phi_high))
        if not low < proposal < high or (step > BISECT_FROM and step % 2):
            proposal = _middle(low, high)
        if not low < proposal < high:  # neighbouring floating-point numbers
            return low if -phi_low < phi_high else high
        t = proposal
    raise AssertionError("unreachable")


def median(qp: DiagonalQP) -> float:
    """Expected O(n). Each step halves the kinks and then reads only rows with a kink in the bracket."""
    rows, offset = _moving_rows(qp)
    slope = 0.0  # the sum over the settled rows is offset + slope t
    low, high = -np.inf, np.inf
    while True:
        first, last, down, up, level, speed = rows
        over, under = last <= low, first >= high
        across = ~over & ~under & (first <= low) & (last >= high)
        offset += sum(x.compress(on).sum() for x, on in ((up, over), (down, under & ~over), (level, across)))
        slope += speed.compress(across).sum()
        rows = rows.compress(~(over | under | across), axis=1)  # faster than a mask as index
        if rows.shape[1] == 0:
            break
        first, last, down, up, level, speed = rows
        kinks = np.concatenate([k.compress((low < k) & (k < high)) for k in (first, last)])
        t = float(np.partition(kinks, kinks.size // 2)[kinks.size // 2])
        with np.errstate(over="ignore", invalid="ignore"):
            beta = np.where(t <= first, down, np.where(t >= last, up, level + speed * t))
        phi = offset + slope * t + beta.sum()
        if phi == 0:
            return t
        low, high = (t, high) if phi < 0 else (low, t)
    end = min(low, high, key=abs) if np.isfinite([low, high]).any() else 0.0
    return float(end - (offset + slope * end) / slope) if slope > 0 else float(end)


def sort(qp: DiagonalQP) -> float:
    """O(n log n). Bisection over the sorted kinks down to the two that enclose the root."""
    kinks = _moving_rows(qp)[0][:2].ravel()
    kinks = np.unique(kinks[np.isfinite(kinks)])
    begin, end = 0, kinks.size  # phi < 0 at the kinks before begin, and > 0 at end and after it
    while begin < end:
        middle = (begin + end) // 2
        phi = qp.evaluate(float(kinks[middle]))[0]
        if phi == 0:
            return float(kinks[middle])
        begin, end = (middle + 1, end) if phi < 0 else (begin, middle)
    around = kinks[max(begin - 1, 0) : begin + 1]
    return float(around[0] + (around[-1] - around[0]) / 2) if around.size else 0.0


def _moving_rows(qp: DiagonalQP) -> tuple[NDArray[np.float64], float]:
    """The rows that t moves, as columns (first kink, last kink, beta before, beta after, level, speed).

    Here beta = sigma alpha, which is level + speed t between the kinks. Also returns the sum of beta over the other
    rows, minus z.
    """
    with np.errstate(over="ignore"):
        m, lower, upper, sigma, rate = np.broadcast_arrays(*qp[:4], qp.sigma / qp.d / qp.d)
        moving = (rate != 0) & (lower < upper)
        fixed = (sigma * np.clip(m, lower, upper))[~moving].sum() - qp.z
        m, lower, upper, sigma, rate = (x.compress(moving) for x in (m, lower, upper, sigma, rate))
        near, far = np.where(sigma > 0, (lower, upper), (upper, lower))
        kinks = (near - m) / rate, (far - m) / rate
        return np.stack([*kinks, sigma * near, sigma * far, sigma * m, sigma * rate]), float(fixed)


def _sampled_start(qp: DiagonalQP) -> float:
    """A multiplier to start from: 0, or for many rows the result of a few Newton steps on a sample of them."""
    t = 0.0
    if qp.m.size < SAMPLE_FROM:
        return t
    for _ in range(8):
        phi, slope, size = qp.evaluate(t, SAMPLE_EVERY)
        step = t - phi / slope if slope > 0 else np.inf
        if not np.isfinite(step) or abs(phi) <= size * (SAMPLE_EVERY / qp.m.size) ** 0.5:
            break  # the rest is sampling noise
        t = step
    return t


def _middle(low: float, high: float) -> float:
    """The middle of an interval in the order of the floats. 64 halvings exhaust any interval."""
    bits = np.array([low, high]).view(np.int64)
    ranks = [int(b) if b >= 0 else -(int(b) & 0x7FFF_FFFF_FFFF_FFFF) for b in bits]
    rank = (ranks[0] + ranks[1]) // 2
    magnitude = float(np.array(abs(rank)).view(np.float64))
    return magnitude if rank >= 0 else -magnitude
