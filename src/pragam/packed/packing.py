"""``pragam.pack``: from blocks or files to a packed directory, in memory that does not depend on the number of rows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pragam.files.columns import is_too_wide
from pragam.numerics.arguments import is_whole
from pragam.packed.chunks import Chunks
from pragam.packed.column_table import ColumnTable
from pragam.packed.dataset import Packed, open_packed
from pragam.packed.dealing import Kind, deal, save
from pragam.packed.facts import Facts
from pragam.packed.files import Reading, source_of
from pragam.packed.layout import COLUMNS, Saved, write
from pragam.packed.manifest import VERSION, Chunk, Manifest
from pragam.packed.part import converted
from pragam.packed.runs import Spill, keep_memory
from pragam.packed.sources import Arrival, Source
from pragam.packed.work import Work, working
from pragam.runtime.screen import Screen

_INT32_MAX = np.iinfo(np.int32).max
#: Seconds after which what was learnt is written again.
_PAUSE = 10.0


def pack(
    source: Any,
    directory: str | os.PathLike[str],
    *,
    seed: int = 0,
    dtype: DTypeLike | None = None,
    chunk_bytes: int = 2**20,
    n_features: int | None = None,
    zero_based: Any = "auto",
    target: str | None = None,
    drop: Iterable[str] = (),
    categorical: Iterable[str] = (),
    missing: str | None = None,
    layer: str | None = None,
    verbose: bool = False,
) -> Packed:
    """Write a data set of any size as a packed directory, its rows in an order that the seed draws, and open it.

    What is interrupted or killed while it packs files goes on where it was when it is called again, to the same bytes.

    Parameters
    ----------
    source : iterable, path, or list of paths
        Blocks (X, y) or (X, y, weight), which are read once: X dense or sparse, all alike, y numbers, texts or None. Or
        files, by their names or patterns such as ``"part-*.svm"``: svmlight text, also compressed; ``.npz`` with a CSR
        matrix; ``.npy`` with its labels beside it; tables (CSV, TSV, parquet; the extra ``tables``);
        annotated matrices (``.h5ad``; the extra ``h5ad``).
    directory : path
        Of a new or empty directory. It holds a data set when its manifest stands, which comes last.
    seed : int >= 0
        Equal rows, seeds and settings give equal bytes, whatever the blocks.
    dtype : float32, float64 or None
        Of the values; None keeps float32 if all blocks have it.
    chunk_bytes : int >= 1
        About so many bytes make a chunk.
    n_features : int, optional
        The columns; else what the widest block has.
    zero_based : bool or "auto"
        Whether the indices of svmlight text count from 0; "auto": if the index 0 occurs.
    target : str, optional
        The files are tables with a header, or annotated matrices; this column, of these in ``obs``, has the labels.
    drop : iterable of str
        The columns of tables that are left out.
    categorical : iterable of str
        The columns of tables that are categories, though all their values are numbers.
    missing : "mean", "indicator" or None
        What a missing value of a table becomes, as in :class:`pragam.models.Encoding`; None refuses it.
    layer : str, optional
        Of annotated matrices; else X is read.
    verbose : bool
        Show on a terminal how far it is.
    """
    settings = _settings(seed, dtype, chunk_bytes, n_features)
    dropped, forced = (each if isinstance(each, str) else tuple(each) for each in (drop, categorical))
    reading = Reading(zero_based, target, dropped, forced, missing, layer)  # type: ignore[arg-type]
    rows = source_of(source, reading)
    own = rows.asked()
    asked = own and {**settings, **reading._asdict(), "version": VERSION, "source": own}
    with working(Path(directory), asked) as work, Screen(quiet=not verbose) as screen:
        if not work.is_done:
            _Packing(work, rows, settings, screen).run()
    return open_packed(directory)


def _settings(seed: Any, dtype: Any, chunk_bytes: Any, n_features: Any) -> dict[str, Any]:
    """The arguments as JSON can hold them."""
    if not is_whole(seed):
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r:.40}")
    if not is_whole(chunk_bytes) or not 1 <= chunk_bytes < 2**62:
        raise ValueError(f"chunk_bytes must be a whole number >= 1 and below 2^62, not {chunk_bytes!r:.40}")
    if n_features is not None and not (is_whole(n_features) and n_features < 2**63):
        raise ValueError(f"n_features must be a whole number below 2^63, not {n_features!r:.40}")
    try:
        kind = None if dtype is None else np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind not in (None, np.float32, np.float64):
        raise ValueError(f"dtype must be float32, float64 or None, not {dtype!r:.40}")
    return {
        "seed": int(seed), "dtype": kind and kind.str, "chunk_bytes": int(chunk_bytes),
        "n_features": None if n_features is None else int(n_features),
    }  # fmt: skip


class _Packing:
    """One packing: the passes, and what they hand on."""

    def __init__(self, work: Work, source: Source, settings: dict[str, Any], screen: Screen) -> None:
        self._work, self._source, self._settings, self._screen = work, source, settings, screen
        self._facts = Facts(**work.state.get("facts", {}))

    def run(self) -> None:
        """All of it."""
        keep_memory()
        self._learn()
        self._gather()
        facts = self._facts
        if not facts.rows:
            raise ValueError("there are no rows to pack: every block is empty, or there is none")
        shift = self._shift
        width, d = max(facts.width - shift, 0), self._settings["n_features"]
        d = width if d is None else d
        if width > d:  # an index 0 came late
            raise ValueError(f"the data have {width} columns, as their indices count from 0, where n_features={d}")
        _check_width(d, facts.stored)
        if (table := self._source.encoding()) is not None and d != table.n_columns:
            raise ValueError(f"the columns of the table become {table.n_columns}, where n_features={d}")
        index_dtype = "" if facts.is_dense else "<i4" if d <= _INT32_MAX else "<i8"
        kind = Kind(d, facts.dtype, index_dtype, facts.y_dtype or "", shift)
        chunks, known = self._deal(kind)
        columns = write(self._work.folder / COLUMNS, known.rows())
        self._manifest(kind, chunks, columns).write(self._work.folder)

    @property
    def _shift(self) -> int:
        """By how much the indices that were read exceed those of the columns."""
        return int(self._source.zero_based() is False)

    def _learn(self) -> None:
        """Of tables in files the pass that says what their columns are, from where it ended."""
        source, work, kept = self._source, self._work, time.monotonic()
        for rows in source.learn(work.learnt()):
            self._show(rows, "rows looked at")
            if time.monotonic() - kept >= _PAUSE:
                work.keep(source.learnt())
                kept = time.monotonic()
        if (learnt := source.learnt()) is not None:
            work.keep(learnt)

    def _gather(self) -> None:
        """The pass over the rows, from where it ended."""
        state, facts = self._work.state, self._facts
        spill = Spill(self._work.own, self._settings["seed"], state.get("runs", 0), facts.rows)
        at = state.get("at")
        for arrival in self._source.read(at):
            self._check(arrival)
            part = converted(arrival.part, self._settings["dtype"], arrival.where)
            facts.add(part, arrival.where, arrival.source)
            at = arrival.at
            if spill.add(part):
                self._flush(spill, at)
            self._show(facts.rows, "rows read")
        self._flush(spill, at)

    def _show(self, rows: int, what: str) -> None:
        """How far a pass over the source is."""
        if (progress := self._source.progress()) is None:
            self._screen.show(what, rows)
        else:
            done, total = (size // 10**6 for size in progress)
            self._screen.show(f"{rows:,} {what}, MB", done, total)

    def _flush(self, spill: Spill, at: Any) -> None:
        spill.flush()
        self._work.save(runs=spill.number, facts=self._facts.to_json(), at=at)

    def _check(self, arrival: Arrival) -> None:
        """Refuse what is wider than was asked for."""
        d, width = self._settings["n_features"], arrival.part.width - self._shift
        if d is not None and (width > d or (arrival.part.is_dense and width != d)):
            raise ValueError(f"{arrival.where}: X has {width} columns, where n_features={d}")

    def _deal(self, kind: Kind) -> tuple[list[Chunk], ColumnTable]:
        """The last pass, from where it ended. What is known of the columns is learned from all chunks in order."""
        work, facts = self._work, self._facts
        table = ColumnTable(kind.d, facts.has_weights)
        runs, chunks = work.runs(work.state["runs"]), work.chunks()
        before = Chunks(work.folder, self._manifest(kind, chunks, Saved(0, "")))
        for k in range(len(chunks)):
            table.add(before.part(k))
        size, done = _size(kind, facts), sum(chunk.rows for chunk in chunks)
        for part in deal(runs, size, kind, self._settings["chunk_bytes"], done):
            chunks.append(save(part, work.folder, len(chunks)))
            work.note(chunks[-1])
            table.add(part)
            done += part.rows
            self._screen.show("rows packed", done, facts.rows)
        return chunks, table

    def _manifest(self, kind: Kind, chunks: list[Chunk], columns: Saved) -> Manifest:
        facts, settings, zero_based = self._facts, self._settings, self._source.zero_based()
        known = {} if zero_based is None else {"zero_based": zero_based}
        return Manifest(
            n=facts.rows,
            d=kind.d,
            stored=facts.stored,
            kind="dense" if facts.is_dense else "csr",
            dtype=kind.dtype,
            index_dtype=kind.index_dtype,
            y_dtype=kind.y_dtype,
            weights=facts.has_weights,
            seed=settings["seed"],
            chunk_bytes=settings["chunk_bytes"],
            sources=tuple({"name": name, "rows": rows, **known} for name, rows in facts.rows_of.items()),
            columns=columns,
            chunks=tuple(chunks),
            table=self._source.encoding(),
        )


def _size(kind: Kind, facts: Facts) -> int:
    """What all rows take in memory, with the key and the end of each."""
    entry = np.dtype(kind.dtype).itemsize + (np.dtype(kind.index_dtype).itemsize if kind.index_dtype else 0)
    y_bytes = np.dtype(kind.y_dtype).itemsize if kind.y_dtype else 0
    return facts.stored * entry + facts.rows * (16 + y_bytes + 8 * facts.has_weights)


def _check_width(d: int, stored: int) -> None:
    """What is known of the columns takes some vectors of this length."""
    if is_too_wide(d, stored):
        raise ValueError(
            f"the data have {d} columns and {stored} stored entries: every vector would take {8 * d / 1e9:.3g} GB"
        )
