r"""Probabilities from decision values of rows that were not trained on.

*Sigmoid.* q(f) = 1 / (1 + exp(-z)), z = slope f + offset, minimises

    sum_i weight_i (log(1 + exp(z_i)) - t_i z_i),    t_i = (N+ + 1) / (N+ + 2) of a positive row, else 1 / (N- + 2),

N+ and N- the weights of both (Platt, "Probabilistic outputs for support vector machines", 1999: these targets keep q
from 0 and 1). It is convex in two unknowns, and found by Newton's method with a line search (Lin, Lin and Weng, "A note
on Platt's probabilistic outputs for support vector machines", Machine Learning 68, 2007).

*Isotonic.* The rising q with the least weighted squares of q(f_i) - t_i, t_i 1 or 0. It takes some thousand rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from pragam.models.probabilities import Isotonic, Probabilities, Sigmoid
from pragam.numerics.vector import Vector

METHODS = ("sigmoid", "isotonic")
#: Newton's method ends when no derivative exceeds this share of the weight of all rows, or after so many steps.
_GRADIENT, _STEPS = 1e-10, 100
#: Added to the Hessian, as a share of the weight of all rows: separated rows have none.
_RIDGE = 1e-12
#: A step is halved until it lowers the sum by this share of what its slope promises, or is this short.
_ENOUGH, _SHORTEST = 1e-4, 1e-10


def probabilities_of(method: str, decision: Vector, code: NDArray[np.int64], weights: Vector | None) -> Probabilities:
    """The map of decision values, (n,) or (n, classes), of rows whose classes have these numbers."""
    columns = decision.reshape(len(decision), -1)
    weights = np.ones(len(code)) if weights is None else np.asarray(weights, dtype=np.float64)
    positive = [code == (1 if columns.shape[1] == 1 else k) for k in range(columns.shape[1])]
    pairs = list(zip(columns.T, positive, strict=True))
    if method == "sigmoid":
        found = np.array([sigmoid(f, is_positive, weights) for f, is_positive in pairs])
        return Sigmoid(found[:, 0].copy(), found[:, 1].copy())
    return Isotonic([_isotonic(f, is_positive, weights) for f, is_positive in pairs])


def sigmoid(f: Vector, is_positive: NDArray[np.bool_], weights: Vector) -> tuple[float, float]:
    """(slope, offset)."""
    size = float(np.abs(f).max(initial=0.0)) or 1.0
    rows = np.column_stack([f / size, np.ones(len(f))])
    mass, more, less = float(weights.sum()), float(weights[is_positive].sum()), float(weights[~is_positive].sum())
    t = np.where(is_positive, (more + 1) / (more + 2), 1 / (less + 2))
    at = np.array([0.0, np.log((more + 1) / (less + 1))])
    value = _loss(rows @ at, t, weights)
    for _ in range(_STEPS):
        q = 1 / (1 + np.exp(-(rows @ at)))
        gradient = rows.T @ (weights * (q - t))
        if np.abs(gradient).max() <= _GRADIENT * mass:
            break
        hessian = rows.T @ ((weights * q * (1 - q))[:, None] * rows) + _RIDGE * mass * np.eye(2)
        way = -np.linalg.solve(hessian, gradient)
        step = 1.0
        while (lower := _loss(rows @ (at + step * way), t, weights)) > value + _ENOUGH * step * float(gradient @ way):
            step /= 2
            if step < _SHORTEST:
                return float(at[0] / size), float(at[1])
        at, value = at + step * way, lower
    return float(at[0] / size), float(at[1])


def _loss(z: Vector, t: Vector, weights: Vector) -> float:
    return float(weights @ (np.logaddexp(0.0, z) - t * z))


def _isotonic(f: Vector, is_positive: NDArray[np.bool_], weights: Vector) -> tuple[Vector, Vector]:
    fitted: Any = IsotonicRegression(y_min=0.0, y_max=1.0).fit(f, is_positive.astype(np.float64), weights)
    return np.asarray(fitted.X_thresholds_, dtype=np.float64), np.asarray(fitted.y_thresholds_, dtype=np.float64)
