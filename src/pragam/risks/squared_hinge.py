"""The squared hinge risk: linear support vector machines with a smooth loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.conjugates import Quadratic
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.risks.arguments import curvature, held_once
from pragam.risks.hinge import hinge
from pragam.risks.margins import Margin


def squared_hinge(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""A linear SVM with the mean squared hinge loss, with or without an unpenalised bias.

    ::

        J(w, b) = lam/2 |w|^2 + (1/n) sum_i weight_i [1 - y_i (<x_i, w> + b)]_+^2
        D(alpha) = sum_i alpha_i - sum_i kappa_i/2 alpha_i^2 - |sum_i y_i alpha_i x_i|^2 / (2 lam)
        Q = { alpha >= 0 },   kappa_i = n / (2 weight_i),   B = -y:  sum_i y_i alpha_i = 0     (only with a bias)

    since u s^2 = max over a >= 0 of a s - a^2/(4 u) for s >= 0. A row of weight 0 has alpha_i = 0. This is the
    "L2-loss SVM" of LIBLINEAR (Fan et al., JMLR 2008).

    Parameters
    ----------
    X, y, lam, bias, sample_weight, standardize : as for :func:`pragam.hinge`
    """
    plain = hinge(X, y, lam, bias, sample_weight, standardize=standardize)
    size = plain.Q.upper
    box = Box(0.0, np.where(size > 0, np.inf, 0.0))
    return held_once(replace(plain, Q=box, g=Quadratic(curvature(0.5, size))))


@dataclass(frozen=True, kw_only=True)
class SquaredHinge(Margin):
    """h(s) = [s]_+^2: the record of :func:`squared_hinge`."""

    name: ClassVar[str] = "squared_hinge"
    build = staticmethod(squared_hinge)
