"""Projection on a box cut by a plane, in a diagonal metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pragam import _kernels
from pragam.polytopes import multiplier_search
from pragam.polytopes.base import Vector
from pragam.polytopes.multiplier_search import EPS, DiagonalQP

Ends = tuple[float, float, float, float]

METHODS = ("newton", "median", "sort")
LIKELY_EXACT = 1e-8  # relative |phi| below which a Newton step should end on the linear piece of the root
ACCEPTED = 16 * EPS  # relative |phi| that an answer may have
REFINEMENTS = 40


def project_box_plane(
    m: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    sigma: ArrayLike,
    z: float,
    d: ArrayLike | None = None,
    *,
    method: str = "newton",
    start: float | None = None,
    return_multiplier: bool = False,
) -> Any:
    r"""The minimiser of a diagonal quadratic over a box cut by a plane,

        min 1/2 sum_i d_i^2 (alpha_i - m_i)^2   s.t.   lower <= alpha <= upper,   sum_i sigma_i alpha_i = z.

    It is alpha_i = clip(m_i + t sigma_i / d_i^2, lower_i, upper_i) with t the multiplier of the plane.

    Parameters
    ----------
    m : array of shape (n,)
        The point to project.
    lower, upper : float or array of shape (n,)
        The box. Bounds may be infinite, or equal.
    sigma : float or array of shape (n,)
        The normal of the plane. Entries may be 0.
    z : float
        The plane's level. Within rounding of an end of its range it is moved there.
    d : float or array of shape (n,), optional
        The positive weights of the metric (1 if not given).
    method : {"newton", "median", "sort"}
        How t is found: in a few passes, in expected O(n), or in O(n log n). The answers agree up to rounding. See
        :mod:`pragam.polytopes.multiplier_search`.
    start : float, optional
        A guess of t from which Newton's method starts.
    return_multiplier : bool
        Whether to return ``(alpha, t)`` instead of ``alpha``.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    qp = _checked(m, lower, upper, sigma, z, d)
    alpha, t = minimise(qp, plane_range(qp.lower, qp.upper, qp.sigma, qp.m.size), method, start)
    return (alpha, t) if return_multiplier else alpha


def plane_range(lower: Vector, upper: Vector, sigma: Vector, n: int) -> Ends:
    """(low, high) of <sigma, alpha> over the box, and the sizes of the two sums. Refuses an invalid box."""
    *ends, valid = _kernels.get("box_plane_range")(lower, upper, sigma, n)
    if not valid:
        for name, x in (("lower", lower), ("upper", upper), ("sigma", sigma)):
            if np.isnan(x).any():
                raise ValueError(f"{name} contains NaN")
        if np.isinf(sigma).any():
            raise ValueError("sigma must be finite")
        wrong = np.broadcast_to(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf), (n,))
        i = int(np.argmax(wrong))
        bounds = [float(np.broadcast_to(x, (n,))[i]) for x in (lower, upper)]
        raise ValueError(f"lower must not exceed upper, and some number lie between: row {i} has {bounds}")
    return tuple(ends)


def level_in_range(z: float, ends: Ends) -> float:
    """``z`` if the box attains it, the nearest end if z is outside only by rounding, else ValueError."""
    low, high, low_size, high_size = ends
    finite = [x for x in (low_size, high_size) if np.isfinite(x)]
    slack = 16 * EPS * (abs(z) + max(finite, default=0.0))
    if not low - slack <= z <= high + slack:
        raise ValueError(f"z = {z} is infeasible: over the box, sum sigma_i alpha_i ranges over [{low}, {high}]")
    if z <= low + 16 * EPS * low_size:
        return low
    return high if z >= high - 16 * EPS * high_size else z


def minimise(qp: DiagonalQP, ends: Ends, method: str = "newton", start: float | None = None) -> tuple[Vector, float]:
    """(alpha, t) of a QP with valid data. ``ends`` is its :func:`plane_range`."""
    z = level_in_range(qp.z, ends)
    if z in ends[:2]:
        return _at_end(qp, 1 if z == ends[1] else -1, start or 0.0)
    qp = qp._replace(z=z)
    if method != "newton":
        if not np.isfinite(qp.m).all():
            raise ValueError("m contains NaN or infinities")
        start = getattr(multiplier_search, method)(qp)
    t = multiplier_search.newton(qp, start, LIKELY_EXACT)
    alpha, phi, size = qp.point(t)
    if abs(phi) <= ACCEPTED * size:
        return alpha, t
    if not np.isfinite(phi):
        raise ValueError("m contains NaN or values too large to project")
    return _refined(qp, t)


def _refined(qp: DiagonalQP, start: float) -> tuple[Vector, float]:
    """The projection if ``start`` is not yet a root, or if no float is one because |m| is far above the box.

    Near the root the rows m + t sigma/d^2 are small, so the search continues from them, in finer steps of t.
    """
    rate = qp.sigma / qp.d / qp.d
    t, step = 0.0, multiplier_search.newton(qp, start)
    for _ in range(REFINEMENTS):
        alpha, phi, size = qp.point(step)
        t += step
        if abs(phi) <= ACCEPTED * size or step == 0:
            break
        qp = qp._replace(m=qp.m + step * rate)
        step = multiplier_search.newton(qp, 0.0)
    return alpha, t


def _at_end(qp: DiagonalQP, side: int, near: float) -> tuple[Vector, float]:
    """The projection if z is an end of its range. Every row with sigma != 0 is then at one of its bounds."""
    up = side * qp.sigma
    alpha = np.where(up > 0, qp.upper, np.where(up < 0, qp.lower, np.clip(qp.m, qp.lower, qp.upper)))
    if np.isnan(alpha).any() or np.isnan(qp.m).any():
        raise ValueError("m contains NaN")
    last = qp.next_kink(side * np.inf, forward=side < 0)
    if np.isinf(last):
        return alpha, near
    return alpha, max(near, last) if side > 0 else min(near, last)


def _checked(
    m: ArrayLike, lower: ArrayLike, upper: ArrayLike, sigma: ArrayLike, z: float, d: ArrayLike | None
) -> DiagonalQP:
    point = np.ascontiguousarray(m, dtype=np.float64)
    if point.ndim != 1:
        raise ValueError(f"m must have one dimension, not {point.ndim}")
    columns = {"lower": lower, "upper": upper, "sigma": sigma, "d": 1.0 if d is None else d}
    lower, upper, sigma, d = (column(x, point.size, name) for name, x in columns.items())
    if np.isnan(z) or np.isinf(z):
        raise ValueError(f"z must be finite, got {z}")
    if not np.all((d > 0) & (d < np.inf)):
        raise ValueError("d must be positive and finite")
    return DiagonalQP(point, lower, upper, sigma, d, float(z))


def column(x: ArrayLike, n: int, name: str) -> Vector:
    """``x`` as a contiguous float64 column: of length n, or of length 1 if it is a number."""
    x = np.ascontiguousarray(x, dtype=np.float64)  # of at least one dimension
    if x.shape != (n,) and x.shape != (1,):
        raise ValueError(f"{name} must be a number or have shape ({n},), not {x.shape}")
    return x
