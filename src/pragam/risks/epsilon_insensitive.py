"""The epsilon-insensitive risk: linear support vector regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import check_flag, check_number, refuse_masked
from pragam.operators import Planes, SharedRows
from pragam.polytopes import Box
from pragam.problem import AnyProblem, Problem
from pragam.risks.arguments import brought, check_rows, check_targets, data_of, held_once, loss_weights
from pragam.risks.parameters import number
from pragam.risks.record import Labels
from pragam.risks.regression import Regression


def epsilon_insensitive(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    epsilon: float = 0.1,
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""Linear support vector regression: what a residual exceeds epsilon by, with or without an unpenalised bias.

    ::

        J(w, b) = lam/2 |w|^2 + (1/n) sum_i weight_i [|y_i - <x_i, w> - b| - epsilon]_+
        D(p, q) = sum_i p_i (y_i - epsilon) - q_i (y_i + epsilon) - |sum_i (p_i - q_i) x_i|^2 / (2 lam)
        Q = { 0 <= p_i, q_i <= weight_i / n },   B:  sum_i p_i - q_i = 0     (only with a bias)
        w(p, q) = (1/lam) sum_i (p_i - q_i) x_i

    Two hinges that share a data row: p_i = alpha_2i has the score y_i - epsilon - <x_i, w> - b, q_i = alpha_2i+1 the
    score <x_i, w> + b - y_i - epsilon, so B = (-1, 1, -1, 1, ..) (Vapnik 1995; Smola and Schoelkopf 2004). The offsets
    c = +-y_i - epsilon are rounded once, and certificates speak of the problem with the rounded ones.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied.
    y : (n,) real numbers
    lam : float > 0
    epsilon : float >= 0
        Residuals up to this size cost nothing.
    bias : bool
        Whether the model has an intercept, which is not penalised.
    sample_weight : (n,) numbers >= 0, optional
    standardize : bool
        Whether w belongs to standardised columns, of mean 0 and deviation 1: see :func:`pragam.hinge`.
    """
    check_flag("bias", bias)
    width = check_number("epsilon", epsilon, least=0)
    y, sample_weight = brought(X, y, sample_weight)
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = data_of(X, standardize, bias, sample_weight)
    n = storage.shape[0]
    targets = check_targets(y, n)
    number, sign = np.repeat(np.arange(n), 2), np.tile([-1.0, 1.0], n)
    upper = np.repeat(loss_weights(targets, sample_weight), 2)
    offsets = np.empty((n, 2))
    A = SharedRows(storage, number, sign)
    check_rows(A)
    with np.errstate(over="ignore"):
        np.subtract(targets, width, out=offsets[:, 0])
        np.subtract(-targets, width, out=offsets[:, 1])
    if not np.isfinite(offsets).all():
        raise ValueError(f"epsilon = {width:g} is too large: y - epsilon or y + epsilon overflows")
    box = Box(np.zeros(2 * n), upper)
    return held_once(Problem(A, offsets.reshape(-1), box, lam, Planes(sign, K=int(bias))))


@dataclass(frozen=True, kw_only=True)
class EpsilonInsensitive(Regression):
    """loss(r) = [|r| - epsilon]_+: the record of :func:`epsilon_insensitive`."""

    epsilon: float = number(0.1, least=0)

    name: ClassVar[str] = "epsilon_insensitive"

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        y = self.target.encode(samples.y, labels)
        return [epsilon_insensitive(samples.X, y, self.lam, self.epsilon, self.bias, samples.weights)]
