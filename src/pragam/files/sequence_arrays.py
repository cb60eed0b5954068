"""Sequences as arrays in an ``.npz`` file.

Of all tokens: ``data``, ``indices``, ``indptr`` and ``shape`` of a CSR matrix, as ``scipy.sparse.save_npz`` writes
them, or a dense ``X``; ``lengths``, the tokens of each sequence; and perhaps ``y``, their labels, strings or numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.files import source
from pragam.files.arrays import DAMAGE, read_arrays
from pragam.samples.forms import sequences_of

_CSR = ("data", "indices", "indptr", "shape")


class ArrayData(NamedTuple):
    """All tokens of a file, one sequence after the other."""

    X: Any
    lengths: NDArray[np.int64]
    y: NDArray[Any] | None


def read_sequences_npz(path: source.Path) -> ArrayData:
    """The sequences of a file; ValueError of one line if something is missing or wrong."""
    with source.opened(path) as opened:
        return read_opened(opened)


def read_opened(opened: source.Source) -> ArrayData:
    """The same of an input that is open."""
    try:
        arrays = read_arrays(opened.as_file(), (*_CSR, "X", "lengths", "y"), kinds="biufU")
        if "lengths" not in arrays:
            raise ValueError("no array 'lengths', the number of tokens of each sequence")
        found = sequences_of(_matrix(arrays), arrays["lengths"])
        y = arrays.get("y")
        if y is not None and y.shape != (found.lengths.sum(),):
            raise ValueError(f"labels of shape {y.shape} for {found.lengths.sum()} tokens")
        return ArrayData(found.data, found.lengths, None if y is None else np.array(y))
    except (ValueError, OverflowError, *DAMAGE) as error:
        raise ValueError(f"{opened.name}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error


def _matrix(arrays: dict[str, NDArray[Any]]) -> Any:
    if "X" in arrays:
        return arrays["X"]
    if missing := [name for name in _CSR if name not in arrays]:
        raise ValueError(f"no array {missing[0]!r}: sequences need X, or {', '.join(_CSR)} of a CSR matrix")
    data, indices, indptr, shape = (arrays[name] for name in _CSR)
    if shape.shape != (2,) or any(array.dtype.kind not in "iu" for array in (indices, indptr, shape)):
        raise ValueError("indices, indptr and shape must hold whole numbers, and shape two of them")
    X = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
    X.check_format(full_check=True)
    return X
