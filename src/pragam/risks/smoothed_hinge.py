"""The smoothed hinge risk: quadratic near the kink, with the hinge's slope beyond."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from pragam.conjugates import Quadratic
from pragam.numerics.arguments import check_number
from pragam.problem import Problem
from pragam.risks.arguments import curvature
from pragam.risks.hinge import hinge
from pragam.risks.margins import Margin
from pragam.risks.parameters import number


def smoothed_hinge(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    gamma: float = 0.5,
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""A linear SVM with a smoothed hinge loss, with or without an unpenalised bias.

    ::

        J(w, b) = lam/2 |w|^2 + (1/n) sum_i weight_i h(1 - y_i (<x_i, w> + b))
        h(s) = 0 for s <= 0,  s^2 / (2 gamma) for 0 <= s <= gamma,  s - gamma/2 beyond
        D(alpha) = sum_i alpha_i - sum_i kappa_i/2 alpha_i^2 - |sum_i y_i alpha_i x_i|^2 / (2 lam)
        Q = { 0 <= alpha_i <= weight_i / n },   kappa_i = gamma n / weight_i,   B = -y     (only with a bias)

    (Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent", JMLR 2013, section 5). As gamma goes to 0 it becomes
    the hinge.

    Parameters
    ----------
    X, y, lam, bias, sample_weight, standardize : as for :func:`pragam.hinge`
    gamma : float > 0
        The width over which the loss is quadratic.
    """
    width = check_number("gamma", gamma, above=0)
    plain = hinge(X, y, lam, bias, sample_weight, standardize=standardize)
    return replace(plain, g=Quadratic(curvature(width, plain.Q.upper)))


@dataclass(frozen=True, kw_only=True)
class SmoothedHinge(Margin):
    """h quadratic over a width gamma, slope 1 beyond: the record of :func:`smoothed_hinge`."""

    gamma: float = number(0.5, above=0)

    name: ClassVar[str] = "smoothed_hinge"
    build = staticmethod(smoothed_hinge)
