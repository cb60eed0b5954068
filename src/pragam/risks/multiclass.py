"""The multiclass hinge risk of Crammer and Singer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.arguments import check_flag, refuse_masked
from pragam.operators import LabelRows, Planes
from pragam.polytopes import Simplices
from pragam.problem import AnyProblem, Problem
from pragam.risks.arguments import (
    brought,
    check_cost,
    check_labels,
    check_room,
    check_rows,
    classes_of,
    data_of,
    loss_weights,
)
from pragam.risks.levels import in_order
from pragam.risks.parameters import choice, class_weights, flag, matrix, number
from pragam.risks.record import Labels, Risk, Shape, Stated
from pragam.risks.rules import Largest, Rule
from pragam.risks.targets import Classes


def multiclass_hinge(
    X: Any,
    y: ArrayLike | None = None,
    lam: float = 1e-4,
    cost: ArrayLike | None = None,
    bias: bool = False,
    sample_weight: ArrayLike | None = None,
    class_weight: Any = None,
    classes: Any = None,
    standardize: bool = False,
) -> Problem:
    r"""The Crammer-Singer SVM (JMLR 2001): one weight vector w_k for each of K classes, and perhaps a bias each.

    ::

        J(w, b) = lam/2 sum_k |w_k|^2 + (1/n) sum_i weight_i max over k of cost[y_i, k] + f_ik - f_iy_i
        f_ik = <w_k, x_i> + b_k
        Q = { alpha_i >= 0, sum_k alpha_ik = weight_i / n },   a simplex for each example
        A:  <w_k, x_i>;   c_ik = cost[y_i, k];   origin_ik = weight_i / n if k = y_i, else 0
        B:  b_k, so sum_i alpha_ik = (1/n) sum of weight_i over class k     (only with biases)
        w_k(alpha) = (1/lam) sum_i (origin_ik - alpha_ik) x_i

    The origin subtracts the score of the true class. w is the (K, d) matrix of class weights, flattened by rows. A
    solve holds some ten arrays of n K numbers, and more than 2^28 = 268,435,456 of these (2 GiB an array) are refused.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        float32 or float64; dense in any order, CSR or CSC. It is not copied.
    y : (n,) labels
    lam : float > 0
    cost : (K, K) numbers >= 0 with a zero diagonal, optional
        cost[j, k] is the margin asked for between class j, the true one, and class k: 1 unless given.
    bias : bool
        Whether every class has an intercept, which is not penalised.
    sample_weight, class_weight : as for :func:`pragam.hinge`
    classes : sequence of at least two labels, optional
        The classes in order: those of y, sorted, unless given. Given ones need not all occur in y, so that part of the
        data poses the problem of all classes. A class that does not occur is never the true one; its bias, if there is
        one, has no minimum.
    standardize : bool
        Whether w belongs to standardised columns, of mean 0 and deviation 1: see :func:`pragam.hinge`.
    """
    check_flag("bias", bias)
    y, sample_weight = brought(X, y, sample_weight)
    refuse_masked(X=X, y=y, cost=cost, sample_weight=sample_weight)
    storage = data_of(X, standardize, bias, sample_weight)
    n = storage.shape[0]
    labels = check_labels(y, n)
    index, K = _numbers(labels, classes)
    check_room(n, K)
    A = LabelRows(storage, K)
    check_rows(A)
    totals = loss_weights(labels, sample_weight, _of_these(class_weight, labels, classes))
    truth = np.zeros((n, K))
    truth[np.arange(n), index] = totals
    B = Planes(np.ones(n * K), np.tile(np.arange(K), n), K) if bias else Planes.none(n * K)
    return Problem(A, check_cost(cost, K)[index].ravel(), Simplices(totals, K), lam, B, origin=truth.ravel())


def _numbers(labels: NDArray[Any], classes: Any) -> tuple[NDArray[np.int64], int]:
    """(the number of each label's class, how many classes there are)."""
    found, index = classes_of(labels) if classes is None else in_order(labels, classes, "classes")
    if len(found) < 2:
        what = "y must have" if classes is None else "classes must hold"
        count = "one class" if len(found) == 1 else len(found)
        raise ValueError(f"{what} at least two classes, not {count}: {np.asarray(found).tolist()}")
    return index, len(found)


def _of_these(class_weight: Any, labels: NDArray[Any], classes: Any) -> Any:
    """Without the weights of classes that do not occur among these labels."""
    if classes is None or not isinstance(class_weight, Mapping):
        return class_weight
    absent = set(classes) - set(labels.tolist())
    return {label: weight for label, weight in class_weight.items() if label not in absent}


@dataclass(frozen=True, kw_only=True)
class MulticlassHinge(Risk):
    """The record of :func:`multiclass_hinge`: an output for each class, compared with each other in one problem."""

    lam: float = number(1e-4, above=0)
    cost: Any = choice(None, None, otherwise=matrix)
    bias: bool = flag(False)
    class_weight: Any = class_weights()

    name: ClassVar[str] = "multiclass_hinge"
    target: ClassVar[Any] = Classes()
    rule: ClassVar[Rule] = Largest()

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        code = self.target.encode(samples.y, labels)
        weights = self.target.weights(code, labels, samples.weights, self.class_weight)
        every = np.arange(len(labels))
        return [multiclass_hinge(samples.X, code, self.lam, self.cost, self.bias, weights, classes=every)]

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        code = self.target.encode(samples.y, labels)
        weights = self.target.weights(code, labels, samples.weights, self.class_weight)
        own = {name: value for name, value in self.to_json().items() if name != "class_weight"}
        return [Stated({**own, "n_classes": len(labels)}, code, weights)]

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(len(labels), len(labels) * self.bias)]

    def outputs(self, labels: Labels) -> list[str]:
        return [str(label) for label in labels.tolist()]
