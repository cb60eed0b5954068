"""The second pass: the runs are merged by their keys, a window of all runs at a time, and cut into chunks.

A chunk ends before the row with which it would have more bytes than were asked for. So the cuts depend on the rows
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.packed.layout import chunk_path, write
from pragam.packed.manifest import Chunk
from pragam.packed.part import Part, joined
from pragam.packed.runs import KEYS, RUN, Run, order_of


class Kind(NamedTuple):
    """The columns and the types of the packed arrays, and by how much indices are less than those of the runs."""

    d: int
    dtype: str
    index_dtype: str
    y_dtype: str
    shift: int = 0


def deal(runs: Sequence[Run], size: int, kind: Kind, chunk_bytes: int, done: int = 0) -> Iterator[Part]:
    """The rows, ``size`` bytes in all, as chunks in the order of their keys; the first ``done`` rows are left out."""
    windows = max(1, -(-size // RUN))
    rest: Part | None = None
    for low, high in pairwise(KEYS * k // windows for k in range(windows + 1)):
        if done and (count := sum(run.count(high) - run.count(low) for run in runs)) <= done:
            done -= count
            continue
        window = _window(runs, low, high, kind, rest)
        begin, indptr, done = done, window.indptr(), 0
        for end in _ends(window, indptr, begin, chunk_bytes):
            yield window.cut(begin, end, indptr)
            begin = end
        rest = window.cut(begin, window.rows, indptr).narrow()
    if rest is not None and rest.rows:
        yield rest.take(np.arange(rest.rows), kind.dtype, kind.index_dtype)


def save(part: Part, folder: Path, number: int) -> Chunk:
    """Write a chunk, with the squared norms of its rows: what costs a reading of X to find out."""
    X = part.storage()
    if part.is_dense:
        arrays = {"X": part.arrays[0]}
    else:
        arrays = {"data": part.arrays[0], "indices": part.arrays[1], "indptr": part.indptr()}
    arrays["norms2"] = X.row_norms2
    if not np.isfinite(arrays["norms2"]).all():
        raise ValueError("X has rows whose norm overflows float64: scale X before packing")
    longest = int(np.max(X.counts, initial=0))
    given = {name: each for name, each in (("y", part.y), ("weight", part.weight)) if each is not None}
    files = {name: write(chunk_path(folder, number, name), each) for name, each in {**arrays, **given}.items()}
    return Chunk(part.rows, part.stored, longest, files)


def _window(runs: Sequence[Run], low: int, high: int, kind: Kind, rest: Part | None) -> Part:
    """The rows whose keys lie in between, sorted, behind the rest of the window before."""
    found = [run.between(low, high) for run in runs]
    order = order_of(np.concatenate([keys for keys, _ in found]))
    parts = [part for _, part in found]
    found.clear()
    if kind.shift:
        for part in parts:
            np.subtract(part.arrays[1], kind.shift, out=part.arrays[1])
    if rest is not None:
        order = np.concatenate([np.arange(rest.rows), order + rest.rows])
        parts.insert(0, rest)
    whole = joined(parts, kind.y_dtype)
    parts.clear()
    return whole.take(order, kind.dtype, kind.index_dtype)._replace(width=kind.d)


def _ends(part: Part, indptr: NDArray[np.int64], begin: int, chunk_bytes: int) -> Iterator[int]:
    """Where chunks end. What may have room for rows that follow is left."""
    entry = sum(each.itemsize for each in part.arrays[:2])
    own = 0 if part.is_dense else indptr.itemsize
    own += sum(each.itemsize for each in (part.y, part.weight) if each is not None)
    ends = indptr * (part.width * entry if part.is_dense else entry) + own * np.arange(len(indptr))
    while True:
        end = max(int(np.searchsorted(ends, ends[begin] + chunk_bytes, "right")) - 1, begin + 1)
        if end >= part.rows:
            return
        yield end
        begin = end
