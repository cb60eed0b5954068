"""The pinball risk: linear quantile regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import check_flag, float_of, refuse_masked
from pragam.numerics.vector import Vector
from pragam.operators import Planes, ScaledRows
from pragam.polytopes import Box
from pragam.problem import AnyProblem, Problem
from pragam.risks.arguments import brought, check_rows, check_targets, data_of, held_once, loss_weights
from pragam.risks.parameters import share
from pragam.risks.record import Labels
from pragam.risks.regression import Regression


def quantile(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    q: float = 0.5,
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""Linear quantile regression: the mean pinball loss, with or without an unpenalised bias.

    ::

        J(w) = lam/2 |w|^2 + min over b of (1/n) sum_i weight_i max(q r_i, (q - 1) r_i),   r_i = y_i - <x_i, w> - b
        D(alpha) = <y, alpha> - |sum_i alpha_i x_i|^2 / (2 lam)
        Q = { (q - 1) weight_i / n <= alpha_i <= q weight_i / n },   B = -1:  sum_i alpha_i = 0   (only with a bias)
        w(alpha) = (1/lam) sum_i alpha_i x_i

    so A = -X and c = y (Koenker and Bassett, "Regression quantiles", Econometrica 1978). q = 1/2 is half the absolute
    deviation.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied.
    y : (n,) real numbers
    lam : float > 0
    q : float, 0 < q < 1
        The share of the targets that should lie below the prediction.
    bias : bool
        Whether the model has an intercept, which is not penalised.
    sample_weight : (n,) numbers >= 0, optional
    standardize : bool
        Whether w belongs to standardised columns, of mean 0 and deviation 1: see :func:`pragam.hinge`.
    """
    return quantiles(X, y, lam, [q], bias, sample_weight, standardize)[0]


def quantiles(
    X: Any,
    y: ArrayLike | None,
    lam: float,
    qs: Sequence[float],
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> list[AnyProblem]:
    """:func:`quantile` for each of these q. The problems share A, and with it whatever is computed of X once."""
    check_flag("bias", bias)
    for q in qs:
        if not 0 < float_of(q) < 1:
            raise ValueError(f"q must be a number between 0 and 1, not {q!r:.60}")
    y, sample_weight = brought(X, y, sample_weight)
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = data_of(X, standardize, bias, sample_weight)
    n = storage.shape[0]
    targets = check_targets(y, n)
    weights = loss_weights(targets, sample_weight)
    sign = np.full(n, -1.0)
    A = ScaledRows(storage, sign)
    check_rows(A)
    planes = Planes(sign, K=int(bias))
    boxes = [Box((share - 1) * weights, share * weights) for share in map(float_of, qs)]
    return [held_once(Problem(A, targets, box, lam, planes)) for box in boxes]


@dataclass(frozen=True, kw_only=True)
class Quantile(Regression):
    """loss(r) = max(q r, (q - 1) r): the record of :func:`quantile`."""

    q: float = share(0.5)

    name: ClassVar[str] = "quantile"

    @property
    def title(self) -> str:
        return f"quantile {self.q:g}"

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        return self.posed_together([self], samples, labels)

    @staticmethod
    def posed_together(records: Sequence[Quantile], samples: Any, labels: Labels) -> list[AnyProblem]:
        """The problems of several records with one lam that have a bias all or none."""
        first = records[0]
        y = first.target.encode(samples.y, labels)
        return quantiles(samples.X, y, first.lam, [record.q for record in records], first.bias, samples.weights)

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """Minus the pinball loss."""
        residual = np.asarray(truth, dtype=np.float64) - predicted
        return -np.maximum(self.q * residual, (self.q - 1) * residual)
