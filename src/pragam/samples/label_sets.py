"""Sets of labels as a matrix: the targets of multilabel risks, in the forms that users bring."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_label_sets(y: Any) -> bool:
    """Whether y is a list of label sets: each a set, or a list of strings. Lists of numbers are rows of a matrix."""
    is_list = isinstance(y, (list, tuple)) or (isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1)
    return is_list and len(y) > 0 and all(map(_is_label_set, y))


def labels_in(sets: Any) -> NDArray[Any]:
    """The labels that occur, sorted. ValueError if they are of several kinds, or fewer than two."""
    found = {label for own in sets for label in own}
    if 0 < sum(isinstance(label, str) for label in found) < len(found):
        raise ValueError("Y must hold labels of one kind: all strings, or none")
    if len(found) < 2:
        raise ValueError(f"Y must have at least two labels, not {len(found)}: {sorted(found)}")
    return np.array(sorted(found))


def indicator(sets: Any, labels: NDArray[Any]) -> NDArray[np.bool_]:
    """(n, K): which of the labels each set has. ValueError if one has another."""
    place = {label: k for k, label in enumerate(labels.tolist())}
    unknown = list(dict.fromkeys(label for own in sets for label in own if label not in place))
    if unknown:
        raise ValueError(f"Y has labels that the model does not know: {unknown[:5]}")
    found = np.zeros((len(sets), len(labels)), dtype=bool)
    for row, own in zip(found, sets, strict=True):
        row[[place[label] for label in own]] = True
    return found


def _is_label_set(own: Any) -> bool:
    if isinstance(own, (list, tuple)):
        return all(isinstance(label, str) for label in own)
    return isinstance(own, (set, frozenset))
