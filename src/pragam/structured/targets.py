"""What the builders of structured problems have in common: label sets, costs of labels, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.arguments import array_of, is_whole, real_array
from pragam.numerics.vector import Vector

LOSSES = ("hamming_mean", "hamming_sum")


def sorted_labels(y: NDArray[Any]) -> NDArray[Any]:
    """The labels that occur, in order. ValueError if they have none, such as strings and numbers."""
    try:
        return np.unique(y)
    except TypeError as error:
        raise ValueError(f"y must have labels of one kind, which can be sorted: {error}") from error


def label_numbers(
    y: NDArray[Any], labels: Any, lengths: NDArray[np.int64], kind: str
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The label set, and the number of each label in it. An error names the example, such as "sequence 3"."""
    if labels is None:
        classes = sorted_labels(y)
        index = np.searchsorted(classes, y)
        return classes, index.astype(np.int64)
    classes = np.asarray(labels)
    place = {label: k for k, label in enumerate(classes.tolist())}
    if classes.ndim != 1 or len(place) != classes.size or not place:
        raise ValueError("labels must hold different labels")
    unknown = next(((t, label) for t, label in enumerate(y.tolist()) if label not in place), None)
    if unknown is not None:
        i = int(np.searchsorted(np.cumsum(lengths), unknown[0], side="right"))
        raise ValueError(f"{kind} {i}: y contains the label {unknown[1]!r:.40}, which is not among labels")
    return classes, np.array([place[label] for label in y.tolist()], dtype=np.int64)


def check_lengths(lengths: Any, least: int = 1) -> NDArray[np.int64]:
    """The lengths of sequences: whole numbers >= ``least``, 1 or 0, whose sum is one that an array can have. There may
    be none at all if they may be 0."""
    sizes = array_of("lengths", lengths)
    values = sizes.tolist() if sizes.ndim == 1 else []
    if sizes.ndim != 1 or len(values) < least or not all(is_whole(size) for size in values):
        raise ValueError("lengths must be a list of whole numbers")
    if min(values, default=least) < least:
        raise ValueError(f"sequence {values.index(min(values))}: it is empty; leave it out")
    if sum(values) >= 2**62:  # of Python's own numbers, which do not overflow
        raise ValueError(f"lengths sum to {sum(values):.3g}, which is more than there can be")
    return np.array(values, dtype=np.int64)


def costs_of(loss: Any, lengths: NDArray[np.int64], K: int) -> tuple[Vector, Vector]:
    """What a label costs for each true one, (K, K), and how much that counts at each token or node."""
    tokens = int(lengths.sum())
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)} or a matrix of costs, not {loss!r:.40}")
        return 1.0 - np.eye(K), np.repeat(1.0 / lengths, lengths) if loss == "hamming_mean" else np.ones(tokens)
    cost = np.asarray(real_array("loss", loss), dtype=np.float64)
    if cost.shape != (K, K) or not (np.isfinite(cost) & (cost >= 0)).all() or cost.diagonal().any():
        raise ValueError(f"loss must be a {K} x {K} matrix of numbers >= 0 with a zero diagonal")
    return cost, np.ones(tokens)


def weights_of(name: str, given: ArrayLike | None, count: int) -> Vector:
    if given is None:
        return np.ones(count)
    weights = np.asarray(real_array(name, given), dtype=np.float64)
    if weights.shape != (count,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"{name} must hold {count} finite numbers >= 0")
    if not weights.any():
        raise ValueError(f"{name} must not be zero everywhere: there would be nothing to learn from")
    return weights
