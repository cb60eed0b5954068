"""The multilabel hinge risk: every right label should score above every wrong one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import check_flag, refuse_masked
from pragam.operators import LabelRows, Planes
from pragam.polytopes import Pairs
from pragam.problem import AnyProblem, Problem
from pragam.risks.arguments import brought, check_label_sets, check_room, check_rows, data_of, loss_weights
from pragam.risks.parameters import flag, number
from pragam.risks.record import Labels, Risk, Shape, Stated
from pragam.risks.rules import Rule, Sets
from pragam.risks.targets import LabelSets


def multilabel_hinge(
    X: Any,
    Y: Any,
    lam: float = 1e-4,
    bias: bool = False,
    sample_weight: ArrayLike | None = None,
    standardize: bool = False,
) -> Problem:
    r"""The multilabel SVM: one weight vector w_k for each of K labels, with or without an unpenalised bias each.

    ::

        J(w, b) = lam/2 sum_k |w_k|^2 + (1/n) sum_i weight_i [max over right a, wrong c of 1 + f_ic - f_ia]_+
        f_ik = <w_k, x_i> + b_k
        Q = product over i of { p, q >= 0 : sum p = sum q <= weight_i / n },  p on the wrong labels of i, q on the right
        A:  +<w_k, x_i> for a wrong label, -<w_k, x_i> for a right one;   c = 1 for a wrong label, else 0
        B:  +b_k and -b_k in the same way, so sum over wrong of p_k = sum over right of q_k for every k

    (Crammer and Singer, "A family of additive online algorithms for category ranking", JMLR 2003). An example without
    a wrong or without a right label costs nothing. w is the (K, d) matrix of label weights, flattened by rows. More
    than 2^28 = 268,435,456 dual variables n K are refused, as for :func:`pragam.multiclass_hinge`.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied.
    Y : (n, K) zeros and ones, or bool; array or scipy sparse matrix
        Entry (i, k) says whether label k is right for example i.
    lam : float > 0
    bias : bool
        Whether every label has an intercept, which is not penalised.
    sample_weight : (n,) numbers >= 0, optional
    standardize : bool
        Whether w belongs to standardised columns, of mean 0 and deviation 1: see :func:`pragam.hinge`.
    """
    check_flag("bias", bias)
    Y, sample_weight = brought(X, Y, sample_weight)
    refuse_masked(X=X, Y=Y, sample_weight=sample_weight)
    storage = data_of(X, standardize, bias, sample_weight)
    n = storage.shape[0]
    wrong = ~check_label_sets(Y, n)
    check_room(*wrong.shape)
    if not (wrong.any(axis=1) & ~wrong.all(axis=1)).any():
        raise ValueError("Y must have a row with both a right and a wrong label: others cost nothing, whatever w is")
    K, sign = wrong.shape[1], np.where(wrong.ravel(), 1.0, -1.0)
    A = LabelRows(storage, K, sign)
    check_rows(A)
    Q = Pairs(loss_weights(wrong[:, 0], sample_weight), wrong)
    B = Planes(sign, np.tile(np.arange(K), n), K) if bias else Planes.none(n * K)
    return Problem(A, wrong.ravel().astype(np.float64), Q, lam, B)


@dataclass(frozen=True, kw_only=True)
class MultilabelHinge(Risk):
    """The record of :func:`multilabel_hinge`: an output for each label, and a cut above which labels are predicted."""

    lam: float = number(1e-4, above=0)
    bias: bool = flag(False)

    name: ClassVar[str] = "multilabel_hinge"
    target: ClassVar[Any] = LabelSets()
    rule: ClassVar[Rule] = Sets()

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        sets = self.target.encode(samples.y, labels)
        return [multilabel_hinge(samples.X, sets, self.lam, self.bias, samples.weights)]

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        return [Stated(self.to_json(), self.target.encode(samples.y, labels), samples.weights)]

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(len(labels), len(labels) * self.bias)]

    def outputs(self, labels: Labels) -> list[str]:
        return [str(label) for label in labels.tolist()]
