"""Reading and writing svmlight/LIBSVM text: ``label [qid:K] index:value ... # comment``, one sample per line.

The text, decompressed if necessary, is read in blocks. The kernel ``svmlight_parse`` turns each block into flat arrays,
which are joined at the end. So the whole text is never in memory, and a plain file takes the same path as a compressed
one or a pipe. A memory map would be about a fifth faster on plain files. But then a file that is truncated while it is
being read would kill the process.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from pragam.files.atomic import replacing
from pragam.files.blocks import Block, LineError, blocks
from pragam.files.source import Path, Source, opened
from pragam.files.svmlight_reader import Reader

_BLOCK = 1 << 20


def load_svmlight(
    path: Path,
    n_features: int | None = None,
    *,
    dtype: Any = np.float64,
    zero_based: bool | Literal["auto"] = "auto",
) -> tuple[sparse.csr_array, np.ndarray]:
    """The samples X (CSR, shape (n, d)) and labels y (float64) of an svmlight file.

    ``path`` is a file name or a binary file object. It is read once from beginning to end, so a pipe works too.
    gzip, bzip2 and xz are recognised by their first bytes.
    d is ``n_features``, or what the highest index needs. Indices count from 1, or from 0 if ``zero_based``.
    "auto" means from 0 if and only if the index 0 occurs. ``dtype`` is that of X: float64, or float32 (the
    float64 rounded once more). Indices are int32 where they fit, else int64.

    Numbers are decimal and rounded correctly, exactly as ``float`` does. Infinities and NaN are refused. So are
    an index repeated in a row and an index outside ``n_features``. Within a row the indices may come in any
    order, which is kept. Explicit zeros stay stored. Comments, blank lines, query ids, tabs and CRLF are
    skipped. Anything else in the text raises a ValueError that names the file and the line.
    """
    with opened(path) as source:
        return read_svmlight(source, n_features, dtype, zero_based).finish()


def read_svmlight(
    source: Source,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool | Literal["auto"] = "auto",
    rewrite: Callable[[Block], Block] | None = None,
) -> Reader:
    """The reader of an opened input, after all of it has been read. ``rewrite`` makes numbers of other labels."""
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(f"dtype must be float64 or float32, not {dtype!r}")
    if zero_based not in ("auto",) and not isinstance(zero_based, bool):
        raise ValueError(f"zero_based must be True, False or 'auto', not {zero_based!r}")
    if n_features is not None and not 0 <= operator.index(n_features) < 2**63:
        raise ValueError(f"n_features must be a whole number below 2^63, not {n_features!r}")
    reader = Reader(source.name, dtype, zero_based, n_features)
    try:
        for block in blocks(source.content(), _BLOCK):
            reader.feed(block if rewrite is None else rewrite(block))
    except LineError as error:
        reader.fail_after_last_line(str(error))
    return reader


def save_svmlight(path: str | os.PathLike[str], X: Any, y: Any) -> None:
    """Write X (sparse or dense) and y as svmlight text with indices from 1. load_svmlight reads them back.

    Numbers are written with the fewest digits that give the same float64 again. The file appears whole or
    not at all. The text does not contain the number of features. Pass it to ``load_svmlight`` if the last
    columns of X may be empty.
    """
    X = sparse.csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    y = np.asarray(y, dtype=np.float64)
    if y.shape != X.shape[:1]:
        raise ValueError(f"y has shape {y.shape}, but X has {X.shape[0]} rows")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError("X and y must be finite")
    with replacing(path) as stream:
        for label, start, stop in zip(y.tolist(), X.indptr[:-1], X.indptr[1:], strict=True):
            entries = zip((X.indices[start:stop] + 1).tolist(), X.data[start:stop].tolist(), strict=True)
            line = " ".join([_shortest(label), *(f"{index}:{_shortest(value)}" for index, value in entries)])
            stream.write(line.encode() + b"\n")


def _shortest(value: float) -> str:
    return repr(value).removesuffix(".0")
