r"""Chunks of tags, counted as conlleval counts them: IOB tags of both kinds, and BIOES (:mod:`pragam.structured.tags`).

A chunk begins at a B or an S, and at an I or an E whose type differs from that of the tag before it or that follows an
O, an E or an S. It ends before the next chunk, the next O or the end of its sequence. With the number of chunks that
are predicted right, begin, end and type,

    precision = right / predicted,    recall = right / true,    F1 = 2 precision recall / (precision + recall),

and 0 where that is 0 / 0 (Tjong Kim Sang and Buchholz, "Introduction to the CoNLL-2000 shared task: chunking", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The score of all chunks. A type of this name is "-all".
ALL = "all"


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


class ChunkScores(dict[str, ChunkScore]):
    """By type, those of all under "all". The empty name, which this was once, still reads it."""

    def __missing__(self, name: str) -> ChunkScore:
        if name == "" and ALL in self:
            return self[ALL]
        raise KeyError(name)


class Chunks(NamedTuple):
    """For each token: the token where its chunk ends, if one begins here, else -1; and the number of the tag's type."""

    end: NDArray[np.int64]
    type: NDArray[np.int64]


def chunk_scores(true: Sequence[str] | Any, predicted: Sequence[str] | Any, lengths: Any) -> ChunkScores:
    """Of all chunks, then of each type by name; tags without a type have none of their own."""
    gold, guess = list(map(str, true)), list(map(str, predicted))
    types = sorted({tag[2:] for tag in {*gold, *guess} if tag != "O"})
    one, other = (_chunks(tags, types, np.asarray(lengths)) for tags in (gold, guess))
    is_right = (one.end >= 0) & (one.end == other.end) & (one.type == other.type)
    counts = (
        np.bincount(chunks.type[where], minlength=len(types))
        for chunks, where in ((one, is_right), (other, other.end >= 0), (one, one.end >= 0))
    )
    per_type = np.stack(list(counts), axis=1)
    scores = ChunkScores({ALL: ChunkScore(*per_type.sum(axis=0).tolist())})
    named = ((name, row) for name, row in zip(types, per_type.tolist(), strict=True) if name)
    scores.update({f"-{name}" if name == ALL else name: ChunkScore(*row) for name, row in named})
    return scores


def _chunks(tags: list[str], types: list[str], lengths: NDArray[np.int64]) -> Chunks:
    number = {name: k for k, name in enumerate(types)}
    codes = {tag: (-1 if tag == "O" else number[tag[2:]], tag[0] in "BS", tag[0] in "ES") for tag in set(tags)}
    kind, begins, ends = (np.array([codes[tag][part] for tag in tags], dtype=np.int64) for part in range(3))
    before = np.concatenate([[-1], np.where(ends[:-1], -1, kind[:-1])])
    before[np.cumsum(lengths) - lengths] = -1
    is_begin = (kind >= 0) & ((begins > 0) | (before != kind))
    # A chunk ends at the last token before another kind, a new chunk or a new sequence.
    breaks = np.ones(len(tags) + 1, dtype=bool)
    breaks[:-1] = is_begin | (kind < 0)
    breaks[np.cumsum(lengths) - lengths] = True
    places = np.flatnonzero(breaks)
    following = places[np.searchsorted(places, np.arange(len(tags)), side="right")] - 1
    return Chunks(np.where(is_begin, following, -1), kind)
