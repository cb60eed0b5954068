"""The binary hinge risk: linear support vector machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import check_flag, refuse_masked
from pragam.operators import Planes, ScaledRows
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.risks.arguments import brought, check_labels, check_rows, data_of, held_once, loss_weights, signs
from pragam.risks.margins import Margin


def hinge(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    bias: bool = True,
    sample_weight: ArrayLike | None = None,
    class_weight: Any = None,
    standardize: bool = False,
) -> Problem:
    r"""A linear SVM: the mean hinge loss, with or without an unpenalised bias.

    ::

        J(w) = lam/2 |w|^2 + min over b of (1/n) sum_i weight_i [1 - y_i (<x_i, w> + b)]_+
        D(alpha) = sum_i alpha_i - |sum_i y_i alpha_i x_i|^2 / (2 lam)
        Q = { 0 <= alpha_i <= weight_i / n },   B = -y:  sum_i y_i alpha_i = 0     (only with a bias)
        w(alpha) = (1/lam) sum_i y_i alpha_i x_i

    So A = -diag(y) X, c = 1, and b is the multiplier of the plane (the paper's appendix on g*). In scikit-learn's
    form, which sums the losses, C = 1/(n lam).

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied. Or a packed data set
        (:func:`pragam.open_packed`), which may have y and weights of its own.
    y : (n,) labels of two classes
        The larger one is the positive class. Labels -1/+1 may all have the same sign. None: those of packed data.
    lam : float > 0
    bias : bool
        Whether the model has an intercept, which is not penalised.
    sample_weight : (n,) numbers >= 0, optional
    class_weight : dict or "balanced", optional
        Each weight scales the loss of its examples, and so the size of their boxes.
    standardize : bool
        Whether w belongs to standardised columns, z_ij = (x_ij - mean_j) / deviation_j, by the means and deviations of
        X with the weights of ``sample_weight``. Sparse X stays sparse. With a bias the columns are only scaled, since
        centring would move the bias alone; without one, sparse columns that are centred have no rows to walk, and
        some solvers are refused. ``problem.A.storage.columns.in_columns(w[None])`` are the weights in the units of X.
    """
    check_flag("bias", bias)
    y, sample_weight = brought(X, y, sample_weight)
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = data_of(X, standardize, bias, sample_weight)
    n = storage.shape[0]
    labels = check_labels(y, n)
    sign = signs(labels)
    upper = loss_weights(labels, sample_weight, class_weight)
    minus_y = -sign
    A = ScaledRows(storage, minus_y)
    check_rows(A)
    return held_once(Problem(A, np.ones(n), Box(np.zeros(n), upper), lam, Planes(minus_y, K=int(bias))))


@dataclass(frozen=True, kw_only=True)
class Hinge(Margin):
    """h(s) = [s]_+: the record of :func:`hinge`."""

    name: ClassVar[str] = "hinge"
    build = staticmethod(hinge)
