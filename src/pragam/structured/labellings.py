"""A dual point as labellings with weights: what every structure with an oracle can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pragam.vector import Vector

#: Labellings whose weight is below this share everywhere are left out of a mixture.
_FORGOTTEN = 1e-15


@dataclass(frozen=True, eq=False)
class Labellings:
    """For each example i the labelling j with probability weights[j, i] / sum over j of weights[j, i].

    Attributes
    ----------
    weights : (J, n) array of numbers >= 0, or (J, 1) if they are those of all examples
    labels : J labellings of all examples, each in the form of the structure
    """

    weights: Vector
    labels: tuple[Any, ...]

    @classmethod
    def of(cls, labels: Any) -> Labellings:
        """One labelling."""
        return cls(np.ones((1, 1)), (labels,))

    def copy(self) -> Labellings:
        """Itself: nobody changes it."""
        return self

    def checked(self, n: int) -> Labellings:
        """Itself, if its weights fit n examples. ValueError if not."""
        J = len(self.labels)
        if self.weights.shape not in ((J, n), (J, 1)) or not (np.isfinite(self.weights) & (self.weights >= 0)).all():
            raise ValueError(f"the weights of {J} labellings must be a ({J}, {n}) or ({J}, 1) array of numbers >= 0")
        if not (self.weights.sum(axis=0) > 0).all():
            raise ValueError("an example has labellings of weight 0 only")
        return self

    @property
    def shares(self) -> Vector:
        """The probabilities, each right to J + 1 roundings."""
        return np.asarray(self.weights / self.weights.sum(axis=0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A convex combination of dual points of any kinds."""

    weights: Vector
    points: tuple[Any, ...]

    def copy(self) -> Mixture:
        """With points of its own."""
        return Mixture(self.weights, tuple(point.copy() for point in self.points))

    def checked(self) -> Mixture:
        """Itself, if its weights are those of a mixture. ValueError if not: then it need not be in Q."""
        weights, J = np.asarray(self.weights), len(self.points)
        if weights.shape != (J,) or weights.dtype.kind != "f" or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(f"the weights of a mixture of {J} points must be {J} finite numbers >= 0")
        if not weights.sum() > 0:
            raise ValueError("the weights of a mixture are all 0")
        return self


def check_point(point: Any, n: int, check_labels: Callable[[Any], None], check_other: Callable[[Any], Any]) -> Any:
    """A dual point of n examples that was given: labellings, mixtures, or what ``check_other`` knows."""
    if isinstance(point, Labellings):
        for labels in point.checked(n).labels:
            check_labels(labels)
        return point
    if isinstance(point, Mixture):
        for each in point.checked().points:
            check_point(each, n, check_labels, check_other)
        return point
    return check_other(point)


def check_labelling(labels: Any, count: int, K: int) -> None:
    """Refuse, with a ValueError, what is no labelling of ``count`` tokens or nodes with K labels."""
    if not isinstance(labels, np.ndarray) or labels.shape != (count,) or labels.dtype.kind not in "iu":
        raise ValueError(f"a labelling must be an array of {count} whole numbers")
    if labels.size and not (labels.min() >= 0 and labels.max() < K):
        raise ValueError(f"a labelling must have labels from 0 to {K - 1}")


def mix(weights: ArrayLike, points: Sequence[Any]) -> Labellings | Mixture:
    """The combination of dual points with these weights >= 0, which sum to 1."""
    weights = np.asarray(weights, dtype=np.float64)
    if not all(isinstance(point, Labellings) for point in points):
        return Mixture(weights, tuple(points))
    parts = [weight * point.shares for weight, point in zip(weights, points, strict=True)]
    labels = [each for point in points for each in point.labels]
    width = max(part.shape[1] for part in parts)
    stack = np.concatenate([np.broadcast_to(part, (len(part), width)) for part in parts])
    keep = np.flatnonzero((stack > _FORGOTTEN * stack.sum(axis=0)).any(axis=1))
    return Labellings(stack[keep], tuple(labels[j] for j in keep))
