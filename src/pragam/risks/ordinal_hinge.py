"""The ordinal hinge risk: one direction, and a threshold between any two neighbouring levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import refuse_masked
from pragam.operators import Planes, SharedRows
from pragam.polytopes import Box
from pragam.problem import AnyProblem, Problem
from pragam.risks.arguments import brought, check_rows, data_of, held_once, loss_weights
from pragam.risks.levels import levels_of
from pragam.risks.parameters import choice, labels, number, parameter
from pragam.risks.record import Labels, Risk, Shape, Stated
from pragam.risks.rules import Above, Rule
from pragam.risks.targets import Levels


def ordinal_hinge(
    X: Any,
    y: Any = None,
    lam: float = 1e-4,
    thresholds: str = "all",
    order: Any = None,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""Ordinal regression with hinge losses: K levels, one weight vector, K - 1 unpenalised thresholds.

    ::

        J(w, b) = lam/2 |w|^2 + (1/n) sum_i weight_i sum over k of [1 - t_ik (<x_i, w> + b_k)]_+
        t_ik = +1 if y_i > k, else -1;    y_i in {0 .. K-1},  k in {0 .. K-2}
        D(alpha) = sum_ik alpha_ik - |sum_ik t_ik alpha_ik x_i|^2 / (2 lam)
        Q = { 0 <= alpha_ik <= weight_i / n },   B:  sum_i t_ik alpha_ik = 0 for every k

    The thresholds are theta_k = -b_k: <x_i, w> should be above theta_k by 1 for levels above k, and below it by 1 for
    the others. The sum runs over all k, or over the two next to the level, k = y_i - 1 and k = y_i (Shashua and Levin
    2002; Chu and Keerthi 2005; Rennie and Srebro 2005). Over all k the optimal thresholds are in order. Dual variables
    (i, k) share data row i and are in the order of i, then k.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied.
    y : (n,) numbers, or an ordered pandas Categorical, or any labels with ``order``
        Levels keep the order of their type. Categories that do not occur are levels too, with a warning.
    lam : float > 0
    thresholds : "all" or "immediate"
        Which thresholds an example counts for.
    order : sequence of levels, lowest first, optional
        Needed where the labels have no order of their own, as strings. Levels that do not occur are allowed.
    sample_weight : (n,) numbers >= 0, optional
    standardize : bool
        Whether w belongs to standardised columns, of mean 0 and deviation 1: see :func:`pragam.hinge`.
    """
    if not isinstance(thresholds, str) or thresholds not in ("all", "immediate"):
        raise ValueError(f"thresholds must be 'all' or 'immediate', not {thresholds!r:.60}")
    y, sample_weight = brought(X, y, sample_weight)
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = data_of(X, standardize, True, sample_weight)
    n = storage.shape[0]
    level, K = levels_of(y, order, n)
    k = np.arange(K - 1)
    near = (k == level[:, None] - 1) | (k == level[:, None]) if thresholds == "immediate" else np.ones((n, K - 1), bool)
    number, plane = np.nonzero(near)
    minus_t = np.where(level[number] > plane, -1.0, 1.0)
    A = SharedRows(storage, number, minus_t)
    check_rows(A)
    upper = loss_weights(level, sample_weight)[number]
    box = Box(np.zeros(len(number)), upper)
    return held_once(Problem(A, np.ones(len(number)), box, lam, Planes(minus_t, plane, K - 1)))


@dataclass(frozen=True, kw_only=True)
class OrdinalHinge(Risk):
    """The record of :func:`ordinal_hinge`: one direction, and a threshold between neighbouring levels."""

    lam: float = number(1e-4, above=0)
    thresholds: str = choice("all", "all", "immediate")
    order: Any = parameter(None, labels)

    name: ClassVar[str] = "ordinal_hinge"
    target: ClassVar[Any] = Levels()
    rule: ClassVar[Rule] = Above()
    may_lack: ClassVar[bool] = True

    def learn(self, samples: Any) -> Labels:
        return self.target.learn(samples.y, self.order)

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        level = self.target.encode(samples.y, labels)
        every = np.arange(len(labels))
        return [ordinal_hinge(samples.X, level, self.lam, self.thresholds, every, samples.weights)]

    def check_labels(self, labels: Labels) -> None:
        if self.order is not None and labels.tolist() != list(self.order):
            raise ValueError(f"its levels are {labels.tolist()!r:.60}, and its order {list(self.order)!r:.60}")

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        own = {"name": self.name, "lam": self.lam, "thresholds": self.thresholds, "n_levels": len(labels)}
        return [Stated(own, self.target.encode(samples.y, labels), samples.weights)]

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(1, len(labels) - 1)]

    def outputs(self, labels: Labels) -> list[str]:
        return [f"above {label}" for label in labels.tolist()[:-1]] if len(labels) > 2 else [""]
