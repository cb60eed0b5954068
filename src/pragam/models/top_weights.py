"""Which weights of a labeller of sequences are the largest, under their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import is_whole
from pragam.numerics.vector import Vector
from pragam.structured.rules import Rules


class FeatureWeight(NamedTuple):
    """What a feature of a token, of value 1, adds to the score of a label."""

    feature: str
    weight: float


class TransitionWeight(NamedTuple):
    """What is added to the score of a labelling where one label follows another."""

    before: Any
    after: Any
    weight: float


def top_features(
    coef: Vector, names: Sequence[str] | None, labels: NDArray[Any], label: Any, n: int, against: bool
) -> list[FeatureWeight]:
    """The n features that weigh most for a label, or against it; fewer if fewer have such a weight. Columns without
    names are x0, x1, ..."""
    known = labels.tolist()
    if label not in known:
        raise ValueError(f"label must be one of {', '.join(map(repr, known[:10]))}, not {label!r:.40}")
    weights = coef[known.index(label)]
    return [
        FeatureWeight(f"x{j}" if names is None else names[j], float(weights[j])) for j in _largest(weights, n, against)
    ]


def top_transitions(
    transitions: Vector, rules: Rules | None, labels: NDArray[Any], n: int, against: bool
) -> list[TransitionWeight]:
    """The n pairs of labels that weigh most for their labelling, or against it; those that rules forbid have no
    weight."""
    weights = transitions if rules is None else np.where(rules.transitions, transitions, 0.0)
    known, K = labels.tolist(), len(labels)
    pairs = (divmod(k, K) for k in _largest(weights.ravel(), n, against))
    return [TransitionWeight(known[i], known[j], float(weights[i, j])) for i, j in pairs]


def _largest(weights: Vector, n: int, against: bool) -> list[int]:
    """Where the n largest weights above 0 are, the largest first; against: the smallest below 0."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n must be a whole number >= 1, not {n!r:.40}")
    signed = -weights if against else weights
    order = np.argsort(-signed, kind="stable")[: int(n)]
    return [int(j) for j in order if signed[j] > 0]
