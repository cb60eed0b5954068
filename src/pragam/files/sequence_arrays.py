"""Sequences as arrays in an ``.npz`` file.

Of all tokens: ``data``, ``indices``, ``indptr`` and ``shape`` of a CSR matrix, as ``scipy.sparse.save_npz`` writes
them, or a dense ``X``; ``lengths``, the tokens of each sequence; and perhaps ``y``, their labels, strings or numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.files import source
from pragam.files.arrays import CSR, DAMAGE, csr_of, read_arrays
from pragam.samples.forms import sequences_of


class ArrayData(NamedTuple):
    """All tokens of a file, one sequence after the other."""

    X: Any
    lengths: NDArray[np.int64]
    y: NDArray[Any] | None


def read_sequences_npz(path: source.Path) -> ArrayData:
    """The sequences of a file; ValueError of one line if something is missing or wrong."""
    with source.opened(path) as opened:
        return read_opened(opened)


def read_opened(opened: source.Source, may_be_empty: bool = False) -> ArrayData:
    """The same of an input that is open; only some may have no sequences."""
    try:
        arrays = read_arrays(opened.as_file(), (*CSR, "X", "lengths", "y"), kinds="biufU")
        if "lengths" not in arrays:
            raise ValueError("no array 'lengths', the number of tokens of each sequence")
        lengths, X = arrays["lengths"], arrays["X"] if "X" in arrays else csr_of(arrays)
        if may_be_empty and not lengths.size:
            return ArrayData(X, np.empty(0, dtype=np.int64), None)
        found = sequences_of(X, lengths)
        y = arrays.get("y")
        if y is not None and y.shape != (found.lengths.sum(),):
            raise ValueError(f"labels of shape {y.shape} for {found.lengths.sum()} tokens")
        return ArrayData(found.data, found.lengths, None if y is None else np.array(y))
    except (ValueError, OverflowError, *DAMAGE) as error:
        raise ValueError(f"{opened.name}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error
