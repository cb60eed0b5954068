"""What y looks like. A target learns the labels of y, encodes y by them, and says what a prediction is worth.

``worth(truth, predicted)`` is one number for each row, token or node, the more the better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import array_of
from pragam.numerics.vector import Vector
from pragam.risks.arguments import (
    check_label_sets,
    check_labels,
    check_targets,
    classes_of,
    example_weights,
    refuse_mixed,
)
from pragam.risks.levels import categories_of

Labels = NDArray[Any]
_NUMBERS = "biuf"


@dataclass(frozen=True)
class Classes:
    """Labels of classes, of which there are at least two and at most ``most``."""

    most: float = inf
    has_labels: ClassVar[bool] = True

    def learn(self, y: Any) -> Labels:
        """The classes that occur, sorted."""
        found = classes_of(_labels(y))[0]
        if not 2 <= len(found) <= self.most:
            wanted = "exactly two classes" if self.most == 2 else "at least two classes"
            count = "one class" if len(found) == 1 else str(len(found))
            raise ValueError(f"y must have {wanted}, not {count}: {found[:5].tolist()}")
        return found

    def encode(self, y: Any, labels: Labels) -> NDArray[np.int64]:
        """The number of each label's class."""
        y = _labels(y)
        if (y.dtype.kind in _NUMBERS) != (labels.dtype.kind in _NUMBERS) and "O" not in (
            y.dtype.kind,
            labels.dtype.kind,
        ):
            raise ValueError(f"y has labels that the model does not know: {np.unique(y)[:5].tolist()}")
        order = np.argsort(labels, kind="stable")
        known = labels[order]
        place = np.minimum(np.searchsorted(known, y), len(known) - 1)
        is_unknown = known[place] != y
        if is_unknown.any():
            raise ValueError(f"y has labels that the model does not know: {np.unique(y[is_unknown])[:5].tolist()}")
        return order[place]

    def weights(self, code: NDArray[np.int64], labels: Labels, given: Any, class_weight: Any) -> Vector:
        """Those of the rows times those of their classes.

        As in scikit-learn a weight of a label that does not occur is passed over if every class has one, as in a fold,
        and refused if not: then it is a slip.
        """
        if type(class_weight) is tuple:
            place = {label: k for k, label in enumerate(labels.tolist())}
            unknown = [label for label, _ in class_weight if label not in place]
            if unknown and len(class_weight) - len(unknown) < len(labels):
                raise ValueError(f"class_weight has labels that are not in y: {unknown[:5]}")
            present = set(np.unique(code).tolist())
            class_weight = {place[k]: weight for k, weight in class_weight if place.get(k) in present}
        return example_weights(code, given, class_weight)

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """1 for a right prediction."""
        return (np.asarray(truth) == predicted).astype(np.float64)


@dataclass(frozen=True)
class Levels(Classes):
    """Ordered labels: numbers in their own order, an ordered Categorical, or any labels in an order that is given."""

    def learn(self, y: Any, order: tuple[Any, ...] | None = None) -> Labels:
        """The levels, the lowest first; of an order that is given also those that do not occur."""
        if order is not None:
            return np.array(order)
        known = categories_of(y)
        if known is not None:
            return np.array(known)
        if np.asarray(y).dtype.kind not in _NUMBERS:
            kind = np.asarray(y).dtype
            raise ValueError(f"y holds labels without an order ({kind}): pass order=[lowest, .., highest]")
        return super().learn(y)

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """1 for the right level."""
        return super().worth(truth, predicted)


@dataclass(frozen=True)
class Numbers:
    """Real numbers: there are no labels to learn."""

    has_labels: ClassVar[bool] = False

    def learn(self, y: Any) -> Labels:
        """None, after a look at y."""
        self.encode(y, np.empty(0))
        return np.empty(0)

    def encode(self, y: Any, labels: Labels) -> Vector:
        """Finite numbers."""
        y = array_of("y", y)
        return check_targets(y, y.size if y.ndim == 1 else len(y))

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """Minus the absolute error."""
        return -np.abs(np.asarray(truth, dtype=np.float64) - predicted)


@dataclass(frozen=True)
class LabelSets:
    """(n, K) zeros and ones: which of K labels are right."""

    has_labels: ClassVar[bool] = True

    def learn(self, y: Any) -> Labels:
        """The numbers of the labels: the columns."""
        return np.arange(check_label_sets(y, np.shape(y)[0]).shape[1])

    def encode(self, y: Any, labels: Labels) -> NDArray[np.bool_]:
        """As truth values."""
        sets = check_label_sets(y, np.shape(y)[0])
        if sets.shape[1] != len(labels):
            raise ValueError(f"Y has {sets.shape[1]} columns, and the model {len(labels)} labels")
        return sets

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """The share of the labels that are right or rightly missing."""
        truth = check_label_sets(truth, np.shape(truth)[0])
        return (truth == np.asarray(predicted).astype(bool)).mean(axis=1)


def _labels(y: Any) -> Labels:
    """As many as there are."""
    refuse_mixed(y)
    y = array_of("y", y)
    return check_labels(y, y.size)
