r"""The risks, written down from their formulas: each becomes the one :class:`Form`.

u_i = weight_i / n is rounded once to nearest, as a problem stores it, and so are (q - 1) u_i and q u_i, y_i - epsilon
and -y_i - epsilon, gamma / u_i and 1/2 / u_i: J and D are those of the problem with the rounded numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.exact import arguments as read
from pragam.certificate.exact.form import Form
from pragam.certificate.exact.numbers import Numbers, numbers
from pragam.certificate.exact.rows import Rows
from pragam.certificate.exact.sets import Box, Pairs, Set, Simplices

Vector = NDArray[np.float64]


class Stated(NamedTuple):
    """What a risk says of its dual variables; ``sign`` is both scale and sigma of the form, since f = <x, w> + b."""

    row: NDArray[Any]
    sign: Vector
    c: Vector
    Q: Set
    kappa: Vector | None = None
    origin: Vector | None = None
    output: NDArray[Any] | None = None
    plane: NDArray[Any] | None = None
    n_outputs: int = 1
    n_planes: int = 0


def hinge(y: Any, u: Vector, bias: bool) -> Stated:
    """u_i [1 - y_i f_i]_+ = max of alpha_i (1 - y_i f_i) over 0 <= alpha_i <= u_i."""
    y = read.signs(y, len(u))
    return Stated(np.arange(len(u)), -y, np.ones(len(u)), _box(np.zeros(len(u)), u), n_planes=int(bias))


def squared_hinge(y: Any, u: Vector, bias: bool) -> Stated:
    """u_i [1 - y_i f_i]_+^2: alpha_i >= 0 and kappa_i = 1/(2 u_i); alpha_i = 0 where u_i = 0."""
    Q = _box(np.zeros(len(u)), np.where(u > 0, np.inf, 0.0))
    return hinge(y, u, bias)._replace(Q=Q, kappa=_curvature(0.5, u))


def smoothed_hinge(y: Any, u: Vector, bias: bool, gamma: float) -> Stated:
    """u_i h(1 - y_i f_i), h(s) = s^2/(2 gamma) up to gamma and s - gamma/2 beyond: kappa_i = gamma / u_i."""
    return hinge(y, u, bias)._replace(kappa=_curvature(gamma, u))


def epsilon_insensitive(y: Any, u: Vector, bias: bool, epsilon: float) -> Stated:
    """u_i [|y_i - f_i| - epsilon]_+: two hinges a row, of y_i - epsilon - f_i and of f_i - y_i - epsilon."""
    n, sign = len(u), np.tile([-1.0, 1.0], len(u))
    with np.errstate(over="ignore"):
        offsets = -sign * np.repeat(read.vector("y", y, n), 2) - epsilon
    if not np.isfinite(offsets).all():
        raise ValueError("epsilon is too large: y - epsilon or y + epsilon overflows")
    return Stated(np.repeat(np.arange(n), 2), sign, offsets, _box(np.zeros(2 * n), np.repeat(u, 2)), n_planes=int(bias))


def quantile(y: Any, u: Vector, bias: bool, q: float) -> Stated:
    """u_i max(q r_i, (q - 1) r_i), r_i = y_i - f_i: (q - 1) u_i <= alpha_i <= q u_i."""
    Q = _box((q - 1) * u, q * u)
    return Stated(np.arange(len(u)), -np.ones(len(u)), read.vector("y", y, len(u)), Q, n_planes=int(bias))


def ordinal_hinge(y: Any, u: Vector, n_levels: int, thresholds: str) -> Stated:
    """u_i [1 - t_ik (<x_i, w> + b_k)]_+ over the thresholds k of level y_i: all, or y_i - 1 and y_i; t_ik = +-1."""
    level = read.codes(y, len(u), n_levels)
    ahead = level[:, None] - np.arange(n_levels - 1)
    row, plane = np.nonzero((ahead == 0) | (ahead == 1) if thresholds == "immediate" else np.ones(ahead.shape))
    sign = np.where(level[row] > plane, -1.0, 1.0)
    Q = _box(np.zeros(len(row)), u[row])
    return Stated(row, sign, np.ones(len(row)), Q, plane=plane, n_planes=n_levels - 1)


def multiclass_hinge(y: Any, u: Vector, n_classes: int, cost: Vector | None, bias: bool) -> Stated:
    """u_i max over k of cost[y_i, k] + f_ik - f_iy_i: a simplex of total u_i, less the truth's own point."""
    n, K, code = len(u), n_classes, read.codes(y, len(u), n_classes)
    matrix = 1.0 - np.eye(K) if cost is None else cost
    if matrix.shape != (K, K):
        raise ValueError(f"cost must be a ({K}, {K}) matrix, not {matrix.shape}")
    truth = np.zeros((n, K))
    truth[np.arange(n), code] = u
    stated = _outputs(n, K, np.ones(n * K), matrix[code].ravel(), Simplices(numbers(u), K), bias)
    return stated._replace(origin=truth.ravel())


def multilabel_hinge(y: Any, u: Vector, bias: bool) -> Stated:
    """u_i [max over right a, wrong c of 1 + f_ic - f_ia]_+: masses p on wrong labels, q on right ones, of one sum."""
    wrong = ~read.indicator(y, len(u))
    sign, Q = np.where(wrong, 1.0, -1.0).ravel(), Pairs(numbers(u), wrong.tolist())
    return _outputs(len(u), wrong.shape[1], sign, wrong.astype(np.float64).ravel(), Q, bias)


def _outputs(n: int, K: int, sign: Vector, c: Vector, Q: Set, bias: bool) -> Stated:
    """A dual variable for each row and output, and a bias for each output."""
    output = np.tile(np.arange(K), n)
    return Stated(
        np.repeat(np.arange(n), K), sign, c, Q, output=output, plane=output, n_outputs=K, n_planes=K * int(bias)
    )


def _box(lower: Vector, upper: Vector) -> Box:
    return Box(numbers(lower), numbers(upper))


def _curvature(numerator: float, u: Vector) -> Vector:
    """numerator / u_i, and 0 where u_i is 0."""
    with np.errstate(over="ignore"):
        kappa = np.divide(numerator, u, out=np.zeros(len(u)), where=u > 0)
    if not np.isfinite(kappa).all():
        raise ValueError("weights are too small: the curvature n / weight overflows")
    return kappa


_Kinds = dict[str, Callable[[str, Any], Any]]
_BIAS: _Kinds = {"bias": read.flag}
#: By its name, each risk and how its parameters are read.
RISKS: dict[str, tuple[Callable[..., Stated], _Kinds]] = {
    "hinge": (hinge, _BIAS),
    "squared_hinge": (squared_hinge, _BIAS),
    "smoothed_hinge": (smoothed_hinge, {**_BIAS, "gamma": read.positive}),
    "epsilon_insensitive": (epsilon_insensitive, {**_BIAS, "epsilon": read.not_negative}),
    "quantile": (quantile, {**_BIAS, "q": read.share}),
    "ordinal_hinge": (ordinal_hinge, {"n_levels": read.count, "thresholds": read.which_thresholds}),
    "multiclass_hinge": (multiclass_hinge, {**_BIAS, "n_classes": read.count, "cost": read.costs}),
    "multilabel_hinge": (multilabel_hinge, _BIAS),
}


def form_of(risk: Mapping[str, Any], y: Any, u: Vector, rows: Callable[[int], Rows]) -> Form:
    """The form of a risk with the loss weights u. ``rows(n_outputs)`` are those of X."""
    name = risk.get("name")
    if not isinstance(name, str) or name not in RISKS:
        raise ValueError(f"the risk must be one of {', '.join(RISKS)}, not {name!r:.40}")
    build, kinds = RISKS[name]
    given = read.parameters_of(risk, {"lam": read.positive, **kinds})
    lam = Fraction(given.pop("lam"))
    stated = build(y, u, **given)
    m, sign, zeros = len(stated.row), numbers(stated.sign), np.zeros(len(stated.row), np.int64)
    output, plane = (zeros if places is None else places for places in (stated.output, stated.plane))
    origin, kappa = (numbers(zeros if values is None else values) for values in (stated.origin, stated.kappa))
    planes = plane.tolist() if stated.n_planes else [-1] * m
    levels = _levels(sign, planes, origin, stated.n_planes)
    return Form(
        rows(stated.n_outputs), stated.row.tolist(), output.tolist(), stated.n_outputs, sign, numbers(stated.c), sign,
        planes, levels, origin, kappa, stated.Q, lam,
    )  # fmt: skip


def _levels(sign: Numbers, plane: list[int], origin: Numbers, n_planes: int) -> Numbers:
    """B' origin."""
    sums = [0] * n_planes
    for s, k, a in zip(sign.values, plane, origin.values, strict=True):
        if k >= 0:
            sums[k] += s * a
    return Numbers(sums, sign.unit * origin.unit)
