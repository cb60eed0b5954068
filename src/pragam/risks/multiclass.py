"""The multiclass hinge risk of Crammer and Singer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pragam.operators import CrammerSinger, check_data
from pragam.polytopes import Simplices
from pragam.problem import Problem
from pragam.risks.arguments import check_labels, example_weights, refuse_masked


def multiclass_hinge(
    X: Any,
    y: ArrayLike,
    lam: float = 1e-4,
    sample_weight: ArrayLike | None = None,
    class_weight: Any = None,
) -> Problem:
    r"""The Crammer-Singer SVM (JMLR 2001): one weight vector w_k for each of K classes, no bias.

    ::

        J(w) = lam/2 sum_k |w_k|^2 + (1/n) sum_i weight_i max over k of [k != y_i] + <w_k - w_{y_i}, x_i>
        Q = { alpha_i >= 0, sum_k alpha_ik = weight_i / n },   a simplex for each example
        c_ik = [k != y_i]

    w is the (K, d) matrix of class weights, flattened by rows. Classes are in sorted order.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
    y : (n,) labels of at least two classes
    lam : float > 0
    sample_weight, class_weight : as for :func:`pragam.hinge`
    """
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = check_data(X)
    n = storage.shape[0]
    labels = check_labels(y, n)
    classes, index = np.unique(labels, return_inverse=True)
    K = len(classes)
    if K < 2:
        raise ValueError(f"y must have at least two classes, not {K}: {classes.tolist()}")
    totals = example_weights(labels, sample_weight, class_weight) / n
    wrong = np.ones((n, K))
    wrong[np.arange(n), index] = 0.0
    return Problem(CrammerSinger(storage, index, K), wrong.ravel(), Simplices(totals, K), lam)
