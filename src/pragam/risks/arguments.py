"""The arguments of the risks, checked: labels, targets, weights and rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pragam.numerics.arguments import LEAST, array_of, check_flag, float_of, real_array
from pragam.numerics.constant import once
from pragam.numerics.rounding import is_zero
from pragam.numerics.vector import Vector
from pragam.operators import Operator, check_data
from pragam.operators.column_moments import standardising
from pragam.operators.storage import Blocked, Standardized, Storage
from pragam.polytopes import Box
from pragam.problem import Problem

#: A model of several labels has a dual variable for each label of each row. An array of so many takes 2 GiB. A solve
#: holds some ten such arrays: c and the origin, alpha, the best one and one that is judged, each with its repair, three
#: of momentum; for pairs also the signs of labels and of planes. With biases more. All else is worked through in
#: parts.
MOST_DUAL_VARIABLES = 2**28


def brought(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """(y, sample_weight); where y is None, those that data on the disk bring along (:func:`pragam.open_packed`)."""
    if y is not None or not isinstance(X, Blocked):
        return y, sample_weight
    own = getattr(X, "y", None)
    if own is None:
        raise ValueError("y is None, and the data have no labels of their own")
    return own, getattr(X, "weights", None) if sample_weight is None else sample_weight


def data_of(X: Any, standardize: bool, bias: bool, sample_weight: ArrayLike | None) -> Storage:
    """X as a storage, with standardised columns if asked for. Only without a free bias need they be centred."""
    check_flag("standardize", standardize)
    storage = check_data(X)
    if not standardize:
        return storage
    weights = None if sample_weight is None else example_weights(np.empty(storage.shape[0]), sample_weight, None)
    return Standardized(storage, standardising(storage, not bias, weights))


def check_labels(y: ArrayLike, n: int) -> NDArray[Any]:
    """y as a vector of n labels without NaN."""
    refuse_mixed(y)
    y = array_of("y", y)
    if y.dtype.kind == "c":
        raise ValueError(f"y must hold labels, not complex numbers ({y.dtype})")
    check_length(y, n, "label")
    if n == 0:
        raise ValueError("X has no rows")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity")
    missing = [i for i, label in enumerate(y) if not _is_label(label)] if y.dtype.kind in "OmM" else []
    if missing:
        raise ValueError(f"y has no label in row {missing[0]}, but {y[missing[0]]!r:.60}")
    return y


def refuse_mixed(y: Any) -> None:
    """Refuse strings among other labels: an array would make strings of all, and 1 and "1" one class."""
    if isinstance(y, (list, tuple)) and 0 < sum(isinstance(label, str) for label in y) < len(y):
        raise ValueError("y must hold labels of one kind: all strings, or none")


def check_length(y: NDArray[Any], n: int, what: str) -> None:
    """Refuse targets unless there is one for each row of X."""
    if y.ndim != 1 or len(y) != n:
        raise ValueError(f"y must hold one {what} for each of the {n} rows of X, not shape {y.shape}")


def _is_label(value: Any) -> bool:
    """Whether it can be told from others: None, NaN and what has no hash cannot."""
    try:
        hash(value)
        return value is not None and bool(value == value)
    except (TypeError, ValueError):
        return False


def classes_of(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """(the classes, sorted; the number of each label's class)."""
    try:
        classes, index = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"y must hold labels that can be sorted: {error}") from error
    return classes, index


def check_targets(y: ArrayLike, n: int) -> Vector:
    """y as a vector of n finite real numbers."""
    values = array_of("y", y)
    check_length(values, n, "number")
    if n == 0:
        raise ValueError("X has no rows")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"y must hold real numbers, not {values.dtype}")
    targets = np.array(values, dtype=np.float64)
    if not np.isfinite(targets).all():
        raise ValueError("y contains NaN or infinity")
    return targets


def check_cost(cost: ArrayLike | None, K: int) -> Vector:
    """cost as a (K, K) matrix of finite numbers >= 0 with a zero diagonal; by default 1 off the diagonal."""
    if cost is None:
        return 1.0 - np.eye(K)
    values = array_of("cost", cost)
    if values.shape != (K, K) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"cost must be a ({K}, {K}) matrix of real numbers, not {values.dtype} of shape {values.shape}"
        )
    matrix = values.astype(np.float64)
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise ValueError("cost must hold finite numbers >= 0")
    if np.diag(matrix).any():
        raise ValueError("cost must be 0 on its diagonal: the true class costs nothing")
    return matrix


def check_label_sets(Y: Any, n: int) -> NDArray[np.bool_]:
    """Y as an (n, K) matrix of bool, K >= 2."""
    is_sparse: bool = sparse.issparse(Y)
    values = Y.toarray() if is_sparse else array_of("Y", Y)
    check_shape(values.shape, n)
    if n == 0:
        raise ValueError("X has no rows")
    if values.dtype.kind not in "biuf" or not ((values == 0) | (values == 1)).all():
        raise ValueError("Y must hold zeros and ones")
    return values.astype(bool)


def check_shape(shape: tuple[int, ...], n: int) -> None:
    """Refuse label sets unless there is one for each row of X."""
    if len(shape) != 2 or shape[0] != n or shape[1] < 2:
        raise ValueError(f"Y must have a row for each of the {n} rows of X and two columns or more, not {shape}")


def curvature(numerator: float, size: Vector) -> Vector:
    """numerator / size, the curvature of an example of that size, weight / n; 0 where the weight is 0.

    The numerator is the gamma of a smoothed hinge, and 1/2 for a squared one, which overflows for no size.
    """
    with np.errstate(over="ignore"):
        kappa = np.divide(numerator, size, out=np.zeros(len(size)), where=size > 0)
        if np.isfinite(kappa).all():
            return kappa
    raise ValueError(f"gamma = {numerator:g} is too large: gamma n / weight overflows")


def check_room(n: int, K: int) -> None:
    """Refuse more dual variables than memory is likely to hold, before any is made."""
    if n * K > MOST_DUAL_VARIABLES:
        raise ValueError(
            f"{n} rows and {K} labels make {n * K} dual variables, and at most {MOST_DUAL_VARIABLES} are held, as a "
            "solve holds some ten numbers for each: take fewer rows, or pragam.hinge for one label after the other"
        )


def held_once(problem: Problem[Any, Box]) -> Problem[Any, Box]:
    """The same problem. Of data in blocks, which may have many rows, a column of one number is held once."""
    if not problem.A.storage.in_blocks:
        return problem
    box = Box(once(problem.Q.lower), once(problem.Q.upper))
    return replace(problem, c=once(problem.c), Q=box, B=problem.B.held_once())


def check_rows(A: Operator) -> None:
    if not np.isfinite(A.row_norms()).all():
        raise ValueError("X has rows whose norm overflows float64: scale X (and lam by the square) before training")


def signs(y: NDArray[Any]) -> Vector:
    """Two classes as -1.0 and +1.0. The larger label becomes +1. Labels -1/+1 may all have the same sign."""
    if y.dtype.kind in "iuf" and (np.abs(y) == 1).all():
        return y.astype(np.float64)
    classes, index = classes_of(y)
    if len(classes) != 2:
        raise ValueError(f"y must have two classes (or be -1 and +1), not {len(classes)}: {classes[:5].tolist()}")
    return np.where(index == 1, 1.0, -1.0)


def example_weights(y: NDArray[Any], sample_weight: ArrayLike | None, class_weight: Any) -> Vector:
    """sample_weight times class_weight: non-negative, finite, one for each example.

    class_weight is None, "balanced" (n / (number of classes * size of the class, weighted)) or a dict from label
    to weight. A label that is missing in the dict has weight 1.
    """
    if sample_weight is None:
        weights = np.ones(len(y))
    else:
        weights = real_array("sample_weight", sample_weight).astype(np.float64)
        if weights.ndim == 0:
            weights = np.full(len(y), float(weights))
        if weights.shape != y.shape:
            raise ValueError(f"sample_weight must hold {len(y)} numbers, not shape {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("sample_weight must hold finite numbers >= 0")
    if not weights.any() and len(weights):
        raise ValueError("sample_weight must not be zero in every row: there would be nothing to learn from")
    if class_weight is None:
        return weights
    classes, index = classes_of(y)
    weights = weights * _class_weights(class_weight, classes, np.bincount(index, weights).astype(np.float64))[index]
    if not weights.any():
        raise ValueError("class_weight must not be zero for every class: there would be nothing to learn from")
    return weights


def loss_weights(y: NDArray[Any], sample_weight: ArrayLike | None, class_weight: Any = None) -> Vector:
    """weight_i / n, the size of the dual variables of example i: 0, or a normal number.

    A smaller number is refused. Where processors read it as 0 (flush-to-zero), it would be another problem than
    elsewhere.
    """
    weights = example_weights(y, sample_weight, class_weight)
    sizes: Vector = weights / len(weights)
    lost = ~is_zero(weights) & (sizes < LEAST)
    if lost.any():
        i = int(np.argmax(lost))
        least = f"the weight over n = {len(weights)} is below {LEAST:.3g}, the least normal number"
        raise ValueError(
            f"sample_weight is as small as {weights[i]!s} in row {i}: {least}. Set it to 0, or multiply all weights "
            "and lam by the same number"
        )
    return sizes


def _class_weights(class_weight: Any, classes: NDArray[Any], mass: Vector) -> Vector:
    is_balanced = isinstance(class_weight, str) and class_weight == "balanced"
    if not (is_balanced or isinstance(class_weight, Mapping)):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {class_weight!r:.60}")
    if is_balanced:
        return np.divide(mass.sum(), len(classes) * mass, out=np.ones(len(classes)), where=mass > 0)
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ValueError(f"class_weight has labels that are not in y: {unknown[:5]}")
    values = np.array([float_of(class_weight.get(label, 1.0)) for label in classes.tolist()])
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError("class_weight must hold finite numbers >= 0")
    return values
