"""A dual point as labellings with weights: what every structure with an oracle can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import real_array
from pragam.numerics.vector import Vector

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _float64(self.weights))

    @classmethod
    def of(cls, labels: Any) -> Labellings:
        """One labelling."""
        return cls(np.ones((1, 1)), (labels,))

    def copy(self) -> Labellings:
        """Itself: nobody changes it."""
        return self

    def checked(self, n: int) -> Labellings:
        """Itself, if its weights fit n examples. ValueError if not."""
        if not isinstance(self.labels, (tuple, list)):
            raise ValueError(f"the labels of labellings must be a tuple, not {self.labels!r:.40}")
        J = len(self.labels)
        if self.weights.shape not in ((J, n), (J, 1)) or not (np.isfinite(self.weights) & (self.weights >= 0)).all():
            raise ValueError(f"the weights of {J} labellings must be a ({J}, {n}) or ({J}, 1) array of numbers >= 0")
        _check_sums(self.weights, "an example has labellings")
        return self

    @property
    def shares(self) -> Vector:
        """The probabilities, each right to J + 1 roundings, but for what is below TINY."""
        return np.asarray(self.weights / self.weights.sum(axis=0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A convex combination of dual points of any kinds."""

    weights: Vector
    points: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _float64(self.weights))

    def copy(self) -> Mixture:
        """With points of its own."""
        return Mixture(self.weights, tuple(point.copy() for point in self.points))

    def checked(self) -> Mixture:
        """Itself, if its weights are those of a mixture. ValueError if not: then it need not be in Q."""
        if not isinstance(self.points, (tuple, list)):
            raise ValueError(f"the points of a mixture must be a tuple, not {self.points!r:.40}")
        weights, J = self.weights, len(self.points)
        if weights.shape != (J,) or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(f"the weights of a mixture of {J} points must be {J} finite numbers >= 0")
        _check_sums(weights, "a mixture has points")
        return self


def _float64(weights: Any) -> Vector:
    """Shares are quotients of weights and their sum, whose rounding is bounded in this precision."""
    return np.asarray(real_array("weights", weights), dtype=np.float64)


def _check_sums(weights: Vector, who: str) -> None:
    with np.errstate(over="ignore"):
        sums = weights.sum(axis=0)
    if not (sums > 0).all():
        raise ValueError(f"{who} of weight 0 only")
    if not np.isfinite(sums).all():
        raise ValueError(f"{who} whose weights sum to more than the largest number")


def check_point(point: Any, n: int, check_labels: Callable[[Any], None], check_other: Callable[[Any], Any]) -> Any:
    """A dual point of n examples that was given: labellings, mixtures, or what ``check_other`` knows."""
    if isinstance(point, Labellings):
        for labels in point.checked(n).labels:
            check_labels(labels)
        return point
    if isinstance(point, Mixture):
        points = tuple(check_point(each, n, check_labels, check_other) for each in point.checked().points)
        return Mixture(point.weights, points)
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
