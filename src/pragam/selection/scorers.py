"""What a model is worth on samples that it was not trained on: a score, and its standard error."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

from pragam.sequences.evaluation import evaluate


class Score(NamedTuple):
    """The more the better. ``error`` is its standard error, NaN if unknown; it is a mean of ``size`` values.

    ``measured`` has the shares among what was measured, by name.
    """

    value: float
    error: float
    size: int
    measured: dict[str, float] = {}  # noqa: RUF012 (never changed)


Scorer = Callable[[Any, Any], Score]


def mean_worth(model: Any, held: Any) -> Score:
    """The mean of ``risk.worth``: the share of right labels, minus the mean loss of regressions.

    Its error takes rows, tokens or nodes as independent; for a share p of m that is sqrt(p (1 - p) / m).
    """
    worth = model.worth(held)
    value = float(worth.mean())
    measured = {"accuracy": value} if model.risk.has_labels else {}
    return Score(value, float(worth.std() / len(worth) ** 0.5), len(worth), measured)


def chunk_f1(model: Any, held: Any) -> Score:
    """F1 of the chunks of sequences; the share of right tokens where labels are no tags of chunks."""
    own = model.features.of(held)
    found = evaluate(own.y, model.predicted(own), own.lengths)
    if not found.chunks:
        return mean_worth(model, held)
    f1 = found.chunks["all"].f1
    return Score(f1, nan, len(own.y), {"accuracy": found.accuracy, "chunk_f1": f1})
