"""How good predicted labels are: tokens, whole sequences, and chunks of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.sequences.chunks import ChunkScores, chunk_scores
from pragam.structured.tags import are_tags

#: Confusions that the text of an evaluation shows.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Predicted labels beside the true ones. ``print`` shows tables of them.

    Attributes
    ----------
    accuracy, sequence_accuracy : the share of tokens, and of whole sequences, that are right
    n_tokens, n_sequences : how many there are
    labels : the labels that occur, sorted
    confusion : (K, K) counts, true label by row, predicted label by column
    chunks : ChunkScore by type, and under "all" of all; empty unless all labels are tags of chunks
    """

    accuracy: float
    sequence_accuracy: float
    n_tokens: int
    n_sequences: int
    labels: list[Any]
    confusion: NDArray[np.int64]
    chunks: ChunkScores

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        scores = {
            name: {**one._asdict(), "precision": one.precision, "recall": one.recall, "f1": one.f1}
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

    def confusions(self) -> list[tuple[Any, Any, int]]:
        """(true label, predicted label, count) of wrong labels, the most frequent first."""
        wrong = np.array(self.confusion)
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[: np.count_nonzero(wrong)]
        rows, columns = np.unravel_index(order, wrong.shape)
        return [(self.labels[i], self.labels[j], int(wrong[i, j])) for i, j in zip(rows, columns, strict=True)]

    def __str__(self) -> str:
        lines = [
            f"tokens     {100 * self.accuracy:.2f} % of {self.n_tokens} right",
            f"sequences  {100 * self.sequence_accuracy:.2f} % of {self.n_sequences} right",
        ]
        if self.chunks:
            header = ("chunks", "precision, %", "recall, %", "F1, %", "right", "predicted", "true")
            shares = ((name, one, (one.precision, one.recall, one.f1)) for name, one in self.chunks.items())
            lines += _table(header, [(name, *(f"{100 * x:.2f}" for x in own), *one) for name, one, own in shares])
        if wrong := self.confusions():
            lines += _table(("true", "predicted", "tokens"), wrong[:_SHOWN])
        return "\n".join(lines)


def evaluate(true: Any, predicted: Any, lengths: Any = None, scheme: str | None = None) -> Evaluation:
    """Compare labels.

    Parameters
    ----------
    true, predicted : a list of the labels of each sequence, as ``predict`` returns it, or those of all tokens in a row
        Sequences without tokens do not count.
    lengths : of the sequences, for labels in a row; by default they are one sequence
    scheme : None or the name of a scheme of tags (:mod:`pragam.structured.tags`)
        None counts chunks as conlleval does, whatever the scheme, and tags that break its rules too. With a name only
        chunks that keep its rules count, and labels that are none of its tags are refused.
    """
    true, predicted, sizes = flat_labels(true, predicted, lengths)
    labels, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    rows, columns = codes[: len(true)], codes[len(true) :]
    K = len(labels)
    confusion = np.bincount(rows * K + columns, minlength=K * K).reshape(K, K)
    is_right = rows == columns
    whole = np.logical_and.reduceat(is_right, np.cumsum(sizes) - sizes)
    has_chunks = scheme is not None or are_tags(labels.tolist())
    chunks = chunk_scores(true, predicted, sizes, scheme) if has_chunks else ChunkScores()
    return Evaluation(
        float(is_right.mean()), float(whole.mean()), len(true), len(sizes), labels.tolist(), confusion, chunks
    )


def flat_labels(true: Any, predicted: Any, lengths: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """The labels of all tokens, and the lengths of the sequences, all >= 1."""
    if _has_sequences(true) or _has_sequences(predicted):
        if lengths is not None or not (_has_sequences(true) and _has_sequences(predicted)):
            raise ValueError("true and predicted must both be lists of sequences, without lengths, or neither")
        if len(true) != len(predicted):
            raise ValueError(f"true and predicted must have as many sequences, not {len(true)} and {len(predicted)}")
        for i, (own, other) in enumerate(zip(true, predicted, strict=True)):
            if len(own) != len(other):
                raise ValueError(f"sequence {i}: true and predicted have {len(own)} and {len(other)} labels")
        lengths = [len(own) for own in true if len(own)]
        true, predicted = map(_joined, (true, predicted))
    true, predicted = np.asarray(true), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ValueError(f"true and predicted must be labels of as many tokens, not {true.shape} and {predicted.shape}")
    sizes = np.array([len(true)] if lengths is None else lengths, dtype=np.int64)
    if sizes.sum() != len(true) or not (sizes >= 0).all():
        raise ValueError(f"lengths sum to {sizes.sum()}, and there are {len(true)} labels")
    return true, predicted, sizes[sizes > 0]


def _joined(parts: Any) -> NDArray[Any]:
    return np.concatenate([np.asarray(own) for own in parts if len(own)] or [np.empty(0)])


def _has_sequences(labels: Any) -> bool:
    has_parts = getattr(labels, "ndim", 1) > 0 and hasattr(labels, "__len__") and len(labels) > 0
    return has_parts and all(isinstance(own, (list, tuple, np.ndarray)) for own in labels)


def _table(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    """The lines of a table, its columns as wide as they must be."""
    cells = [header, *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["   ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return ["", lines[0], "\u2500" * (sum(widths) + 3 * len(widths) - 3), *lines[1:]]
