"""The rows of svmlight text, a block of about a megabyte at a time: the text is never in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pragam.files.blocks import LineError, blocks
from pragam.files.source import Source
from pragam.files.svmlight_reader import Reader
from pragam.packed.part import Part, narrowed
from pragam.packed.sources import Read

_BLOCK = 1 << 20


class TextRows:
    """Of all texts together: their indices count from 0 if and only if the index 0 occurs in one of them.

    Text has no precision of its own: values are float32 where that holds all of them exactly, else float64.

    zero_based : True, False or "auto"
    ``at`` is [bytes of the plain text, lines, the lowest index so far].
    """

    def __init__(self, zero_based: Any = "auto") -> None:
        self._zero_based = zero_based
        self._lowest: int | None = None

    @property
    def zero_based(self) -> bool:
        """Whether the indices that were read count from 0."""
        return self._lowest == 0 if self._zero_based == "auto" else bool(self._zero_based)

    def read(self, opened: Source, at: Any) -> Iterator[Read]:
        """The rows behind ``at``, with indices as they are written."""
        begin, lines, self._lowest = (0, 0, self._lowest) if at is None else at
        reader = Reader(opened.name, np.float64, self._zero_based, None, lines)
        first = lines + 1
        try:
            for block in blocks(opened.content(begin), _BLOCK):
                reader.feed(block)
                if block.unfinished or reader.is_empty:
                    continue
                at = [begin + block.end, reader.lines, self._lower(reader.lowest)]
                yield Read(_part(*reader.taken()), f"{opened.name}, lines {first} to {reader.lines}", at)
                first = reader.lines + 1
        except LineError as error:
            reader.fail_after_last_line(str(error))
        if at is None:
            raise ValueError(f"{opened.name}: no samples")

    def _lower(self, lowest: int) -> int:
        self._lowest = lowest if self._lowest is None else min(lowest, self._lowest)
        return self._lowest


def _part(labels: Any, ends: Any, indices: Any, values: Any) -> Part:
    """Rows whose indices increase."""
    indptr = np.concatenate([np.zeros(1, np.int64), ends])
    width = int(indices.max(initial=-1)) + 1
    if not _are_sorted(indices, ends):
        X = sparse.csr_array((values, indices, indptr), shape=(len(labels), width))
        X.sort_indices()
        values, indices = X.data, X.indices
    single = narrowed(values, np.float32)
    return Part((values if single is None else single, indices, np.diff(indptr)), width, labels)


def _are_sorted(indices: Any, ends: Any) -> bool:
    """Whether the indices increase in every row."""
    rises = indices[1:] > indices[:-1]
    begins = ends[(ends > 0) & (ends < len(indices))]
    rises[begins - 1] = True
    return bool(rises.all())
