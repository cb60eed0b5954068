r"""Chunks of tags, of any scheme (:mod:`pragam.structured.tags`), counted as conlleval counts them.

A chunk begins at a B or an S, and at an I or an E whose type differs from that of the tag before it or that follows an
O, an E or an S; L is read as E, and U as S. It ends before the next chunk, the next O or the end of its sequence. So
tags that no scheme allows, such as an I without a B, are chunks too. If a scheme is named, only those chunks count all
of whose tags have beside them what the scheme says that they need: tags that break its rules are in no chunk.

With the number of chunks that are predicted right, begin, end and type,

    precision = right / predicted,    recall = right / true,    F1 = 2 precision recall / (precision + recall),

and 0 where that is 0 / 0 (Tjong Kim Sang and Buchholz, "Introduction to the CoNLL-2000 shared task: chunking", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.structured.tags import needs_of

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


def chunk_scores(
    true: Sequence[str] | Any, predicted: Sequence[str] | Any, lengths: Any, scheme: str | None = None
) -> ChunkScores:
    """Of all chunks, then of each type by name; tags without a type have none of their own. ``scheme`` is None, as
    conlleval counts, or the one whose rules chunks must keep to count."""
    gold, guess = list(map(str, true)), list(map(str, predicted))
    types, sizes = sorted({tag[2:] for tag in {*gold, *guess} if tag != "O"}), np.asarray(lengths, dtype=np.int64)
    one, other = (_chunks(tags, types, sizes[sizes > 0], scheme) for tags in (gold, guess))
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


def _chunks(tags: list[str], types: list[str], lengths: NDArray[np.int64], scheme: str | None) -> Chunks:
    number = {name: k for k, name in enumerate(types)}
    codes = {tag: (-1 if tag == "O" else number[tag[2:]], tag[0] in "BSU", tag[0] in "ESLU") for tag in set(tags)}
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
    if scheme is not None:
        broken = np.concatenate([[0], np.cumsum(~_kept(tags, lengths, scheme))])
        is_begin &= broken[following + 1] == broken[:-1]
    return Chunks(np.where(is_begin, following, -1), kind)


def _kept(tags: list[str], lengths: NDArray[np.int64], scheme: str) -> NDArray[np.bool_]:
    """Whether each tag has beside it what the scheme says that it needs."""
    names, codes = np.unique(np.array(tags, dtype=str), return_inverse=True)
    needs, last = needs_of(scheme, names.tolist()), np.cumsum(lengths) - 1
    is_kept = needs.before[np.roll(codes, 1), codes]
    is_kept[last - lengths + 1] = needs.starts[codes[last - lengths + 1]]
    has_behind = needs.behind[codes, np.roll(codes, -1)]
    has_behind[last] = needs.ends[codes[last]]
    return np.asarray(is_kept & has_behind)
