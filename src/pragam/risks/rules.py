"""From scores (n, outputs) to predictions, and which of these no further optimisation can change.

``proven(low, high)``: the rows whose prediction is the same wherever the scores are between low and high;
``refuted(code, low, high)``: those whose prediction is another one than ``code`` wherever they are. ``cut`` is a score
that a fit may choose on its training data (:meth:`Rule.calibrate`); 0 else.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import gamma
from pragam.numerics.vector import Vector

Labels = NDArray[Any]


class Rule:
    """The base: nothing to calibrate, and the prediction is monotone in every score."""

    calibrates = False

    def calibrate(self, scores: Vector, code: Any) -> dict[str, float]:
        """What the rule takes from the scores of the training data, whose encoded targets are ``code``."""
        return {}

    def decision(self, scores: Vector, cut: float = 0.0) -> Vector:
        """The scores as ``decision_function`` has them: a vector if there is one output."""
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def decision_bounds(self, low: Vector, high: Vector, cut: float = 0.0) -> Vector:
        """(n, 2) or (n, columns, 2): between which numbers ``decision`` lies for all scores between low and high."""
        return np.stack([self.decision(low, cut), self.decision(high, cut)], axis=-1)

    def shown(self, weights: Vector) -> Vector:
        """The weights (or intercepts) of the outputs, as ``coef_`` shows them."""
        return weights

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        """A prediction for each row."""
        raise NotImplementedError

    def proven(self, low: Vector, high: Vector, labels: Labels, cut: float = 0.0) -> NDArray[np.bool_]:
        """Which rows have the same prediction for all scores between ``low`` and ``high``."""
        same = self.predict(low, labels, cut) == self.predict(high, labels, cut)
        return same.reshape(len(low), -1).all(axis=1)

    def refuted(self, code: Any, low: Vector, high: Vector, labels: Labels, cut: float = 0.0) -> NDArray[np.bool_]:
        """Which rows have another prediction than ``code``, the number of a label, for all such scores."""
        numbers = np.arange(len(labels))
        least, most = self.predict(low, numbers, cut), self.predict(high, numbers, cut)
        return ((code < least) | (code > most)).reshape(len(low), -1).any(axis=1)


class Largest(Rule):
    """The class of the largest score. A single column is the score of the second of two classes; the first has 0."""

    def decision(self, scores: Vector, cut: float = 0.0) -> Vector:
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else super().decision(scores)

    def decision_bounds(self, low: Vector, high: Vector, cut: float = 0.0) -> Vector:
        if low.shape[1] != 2:
            return super().decision_bounds(low, high)
        ends = [np.nextafter(low[:, 1] - high[:, 0], -np.inf), np.nextafter(high[:, 1] - low[:, 0], np.inf)]
        return np.stack(ends, axis=-1)

    def shown(self, weights: Vector) -> Vector:
        """Of two classes with weights of their own, the difference: one row, as for any two classes."""
        return weights[1:] - weights[:1] if len(weights) == 2 else weights

    def of_classes(self, low: Vector, high: Vector, K: int) -> tuple[Vector, Vector]:
        """(n, K) each: what every class has at least and at most; the first of the largest wins."""
        return _all_classes(low), _all_classes(high)

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        return labels[self.of_classes(scores, scores, len(labels))[0].argmax(axis=1)]

    def proven(self, low: Vector, high: Vector, labels: Labels, cut: float = 0.0) -> NDArray[np.bool_]:
        """Where the least score of one class is above the greatest of all others."""
        least, most = self.of_classes(low, high, len(labels))
        best = least.argmax(axis=1)
        return _of(least, best) > _but(most, best).max(axis=1)

    def refuted(self, code: Any, low: Vector, high: Vector, labels: Labels, cut: float = 0.0) -> NDArray[np.bool_]:
        """Where the least score of another class is above the greatest of this one."""
        least, most = self.of_classes(low, high, len(labels))
        return _but(least, code).max(axis=1) > _of(most, code)


class Votes(Largest):
    """A score for each pair i < j of three classes or more, positive for i: the most votes, of equal ones the first."""

    def of_classes(self, low: Vector, high: Vector, K: int) -> tuple[Vector, Vector]:
        least, most = np.zeros((2, len(low), K))
        for pair, (i, j) in enumerate(combinations(range(K), 2)):
            least[:, i] += low[:, pair] > 0
            most[:, i] += high[:, pair] > 0
            least[:, j] += high[:, pair] <= 0
            most[:, j] += low[:, pair] <= 0
        earlier_first = np.arange(K) / K
        return least - earlier_first, most - earlier_first


class Value(Rule):
    """The scores themselves. Two numbers are never proven equal, so no prediction is."""

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        return self.decision(scores)


@dataclass(frozen=True)
class Ranked(Value):
    """The scores of a row, sorted: column ``order[k]`` has the k-th smallest, so that no two quantiles cross."""

    order: tuple[int, ...]

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        ranked = np.empty_like(scores)
        ranked[:, list(self.order)] = np.sort(scores, axis=1)
        return self.decision(ranked)


class Above(Rule):
    """Levels by thresholds: score j says how far a row is above threshold j, and level k is above the first k of them.

    The level with the largest sum of the scores below it wins. With thresholds in order that is the number of positive
    scores. It only rises with any score, so equal predictions at both ends of an interval prove it.
    """

    def decision(self, scores: Vector, cut: float = 0.0) -> Vector:
        """(n,) for two levels, else (n, levels): the largest is predicted."""
        return scores[:, 0] if scores.shape[1] == 1 else _sums_below(scores)

    def decision_bounds(self, low: Vector, high: Vector, cut: float = 0.0) -> Vector:
        ends = super().decision_bounds(low, high)
        room = gamma(low.shape[1] + 2) * np.maximum(*(self.decision(np.abs(each)) for each in (low, high)))
        return ends if low.shape[1] == 1 else _outward(ends, room[..., None])

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        return labels[_sums_below(scores).argmax(axis=1)]


class Sets(Rule):
    """All labels with a score above ``cut``. The risk knows differences of scores alone, so the cut is calibrated."""

    calibrates = True

    def calibrate(self, scores: Vector, code: Any) -> dict[str, float]:
        """The cut with the fewest wrong labels on the training data, half-way between two scores: one sort."""
        order = np.argsort(scores, axis=None, kind="stable")
        values, right = scores.ravel()[order], code.ravel()[order]
        wrong = np.concatenate([[0], np.cumsum(np.where(right, 1, -1))])  # of a cut behind the k lowest, but a constant
        ends = np.concatenate([[values[0] - 1], 0.5 * values[:-1] + 0.5 * values[1:], [values[-1]]])
        is_between = np.concatenate([[True], values[:-1] < values[1:], [True]])
        return {"cut": float(ends[np.where(is_between, wrong, wrong.max() + 1).argmin()])}

    def decision(self, scores: Vector, cut: float = 0.0) -> Vector:
        return scores - cut

    def decision_bounds(self, low: Vector, high: Vector, cut: float = 0.0) -> Vector:
        return _outward(super().decision_bounds(low, high, cut), 0.0)

    def predict(self, scores: Vector, labels: Labels, cut: float = 0.0) -> Any:
        return (scores > cut).astype(np.int64)


def _outward(ends: Vector, room: Any) -> Vector:
    """Intervals that are wider by ``room`` on either side, and by a rounding."""
    with np.errstate(invalid="ignore"):
        wider = np.nextafter(ends + np.array([-1.0, 1.0]) * room, np.array([-np.inf, np.inf]))
    return np.where(np.isnan(wider), np.array([-np.inf, np.inf]), wider)


def _of(scores: Vector, code: NDArray[Any]) -> Vector:
    """The score of one class in each row."""
    return scores[np.arange(len(code)), code]


def _but(scores: Vector, code: NDArray[Any]) -> Vector:
    """Those of the others."""
    others = scores.copy()
    others[np.arange(len(code)), code] = -np.inf
    return others


def _all_classes(scores: Vector) -> Vector:
    return np.hstack([np.zeros((len(scores), 1)), scores]) if scores.shape[1] == 1 else scores


def _sums_below(scores: Vector) -> Vector:
    return np.hstack([np.zeros((len(scores), 1)), scores.cumsum(axis=1)])
