r"""How good predicted labels are: tokens, whole sequences, and chunks of IOB tags as conlleval counts them.

A tag is ``O``, ``B-type`` or ``I-type``. A chunk begins at a B, and at an I whose type differs from that of the tag
before it or that follows an O; it ends before the next chunk, the next O or the end of its sequence. With the number of
chunks that are predicted right, begin, end and type,

    precision = right / predicted,    recall = right / true,    F1 = 2 precision recall / (precision + recall),

and 0 where that is 0 / 0 (Tjong Kim Sang and Buchholz, "Introduction to the CoNLL-2000 shared task: chunking", 2000).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TAG = re.compile(r"O|[BI](-.+)?")


class ChunkScore(NamedTuple):
    """Counts of chunks, of one type or of all."""

    right: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.predicted + self.true) if self.predicted + self.true else 0.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Predicted labels beside the true ones.

    Attributes
    ----------
    accuracy, sequence_accuracy : the share of tokens, and of whole sequences, that are right
    n_tokens, n_sequences : how many there are
    labels : the labels that occur, sorted
    confusion : (K, K) counts, true label by row, predicted label by column
    chunks : ChunkScore by type, and under "" of all; empty unless all labels are IOB tags
    """

    accuracy: float
    sequence_accuracy: float
    n_tokens: int
    n_sequences: int
    labels: list[Any]
    confusion: NDArray[np.int64]
    chunks: dict[str, ChunkScore]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        scores = {
            name or "all": {**one._asdict(), "precision": one.precision, "recall": one.recall, "f1": one.f1}
            for name, one in self.chunks.items()
        }
        return {
            "accuracy": self.accuracy,
            "sequence_accuracy": self.sequence_accuracy,
            "n_tokens": self.n_tokens,
            "n_sequences": self.n_sequences,
            "chunks": scores,
            "labels": self.labels,
            "confusion": self.confusion.tolist(),
        }


def evaluate(true: ArrayLike, predicted: ArrayLike, lengths: ArrayLike | None = None) -> Evaluation:
    """Compare the labels of all tokens; ``lengths`` are those of the sequences, by default there is one."""
    true, predicted = np.asarray(true), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ValueError(f"true and predicted must be labels of as many tokens, not {true.shape} and {predicted.shape}")
    sizes = np.array([len(true)] if lengths is None else lengths, dtype=np.int64)
    if sizes.sum() != len(true) or not (sizes > 0).all():
        raise ValueError(f"lengths sum to {sizes.sum()}, and there are {len(true)} labels")
    labels, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    rows, columns = codes[: len(true)], codes[len(true) :]
    K = len(labels)
    confusion = np.bincount(rows * K + columns, minlength=K * K).reshape(K, K)
    is_right = rows == columns
    whole = np.logical_and.reduceat(is_right, np.cumsum(sizes) - sizes)
    chunks = chunk_scores(true, predicted, sizes) if is_iob(labels.tolist()) else {}
    return Evaluation(
        float(is_right.mean()), float(whole.mean()), len(true), len(sizes), labels.tolist(), confusion, chunks
    )


def is_iob(labels: Iterable[Any]) -> bool:
    """Whether all labels are IOB tags and one of them begins a chunk."""
    tags = list(labels)
    return all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in tags) and any(tag != "O" for tag in tags)


class Chunks(NamedTuple):
    """For each token: the token where its chunk ends, if one begins here, else -1; and the number of the tag's type."""

    end: NDArray[np.int64]
    type: NDArray[np.int64]


def chunk_scores(true: Sequence[str] | Any, predicted: Sequence[str] | Any, lengths: Any) -> dict[str, ChunkScore]:
    """Of all chunks under "", then of each type by name."""
    gold, guess = list(map(str, true)), list(map(str, predicted))
    types = sorted({tag[2:] for tag in {*gold, *guess} if tag != "O"})
    one, other = (_chunks(tags, types, np.asarray(lengths)) for tags in (gold, guess))
    is_right = (one.end >= 0) & (one.end == other.end) & (one.type == other.type)
    counts = (
        np.bincount(chunks.type[where], minlength=len(types))
        for chunks, where in ((one, is_right), (other, other.end >= 0), (one, one.end >= 0))
    )
    per_type = np.stack(list(counts), axis=1)
    scores = {"": ChunkScore(*per_type.sum(axis=0).tolist())}
    return scores | {name: ChunkScore(*row) for name, row in zip(types, per_type.tolist(), strict=True)}


def _chunks(tags: list[str], types: list[str], lengths: NDArray[np.int64]) -> Chunks:
    number = {name: k for k, name in enumerate(types)}
    codes = {tag: (-1 if tag == "O" else number[tag[2:]], tag[0] == "B") for tag in set(tags)}
    kind = np.array([codes[tag][0] for tag in tags], dtype=np.int64)
    is_b = np.array([codes[tag][1] for tag in tags], dtype=bool)
    before = np.concatenate([[-1], kind[:-1]])
    before[np.cumsum(lengths) - lengths] = -1
    is_begin = (kind >= 0) & (is_b | (before != kind))
    # A chunk ends at the last token before another kind, a new chunk or a new sequence.
    breaks = np.ones(len(tags) + 1, dtype=bool)
    breaks[:-1] = is_begin | (kind < 0)
    breaks[np.cumsum(lengths) - lengths] = True
    places = np.flatnonzero(breaks)
    following = places[np.searchsorted(places, np.arange(len(tags)), side="right")] - 1
    return Chunks(np.where(is_begin, following, -1), kind)
