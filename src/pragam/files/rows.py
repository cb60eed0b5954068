"""Data from any input that the command line accepts. The format is recognised by the first bytes.

* svmlight text, plain or compressed: see :func:`pragam.datasets.load_svmlight`;
* ``.npz`` with the arrays data, indices, indptr and shape of a CSR matrix, as ``scipy.sparse.save_npz``
  writes them, and possibly the labels ``y``;
* ``.npy`` with a dense matrix. Its labels are in ``NAME.y.npy`` beside ``NAME.npy``, if any.

Text and ``.npz`` may come through a pipe. Arrays are memory-mapped where possible (:mod:`pragam.files.arrays`).
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from pragam.files import source
from pragam.files.arrays import CSR, DAMAGE, csr_of, read_arrays, read_npy, read_npz, real
from pragam.files.columns import check_width
from pragam.files.svmlight import read_svmlight
from pragam.files.svmlight_labels import LabelLists, Missing

#: How files of NumPy's arrays begin.
ARRAYS = (b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY")


class Samples(NamedTuple):
    """The content of an input.

    X is a CSR or a dense array, y the labels (float64) or None. ``cause`` names what determines the number of columns.
    ``zero_based`` says whether the indices of svmlight text count from 0. It is None for other formats.
    """

    X: Any
    y: Any
    cause: str
    zero_based: bool | None = None


def load(path: source.Path, n_features: int | None = None) -> tuple[Any, np.ndarray | None]:
    """The samples X, a CSR or a dense array, and the labels y (float64), None if the file has none.

    ``path`` is a file name or a binary file object. It is opened and read once. ``n_features`` sets the number of
    columns of a sparse X. A sparse X with more columns is refused, and a dense X must have exactly that many.

    Invalid content raises a ValueError of one line. So does a sparse X that is too wide, that is, if a vector of its
    width would take more than 1 GB and it has more than a hundred times as many columns as entries.
    """
    samples = read(path, n_features)
    if sparse.issparse(samples.X):
        check_width(samples.X, samples.cause)
    return samples.X, samples.y


def read(
    path: source.Path,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    labels: Literal["numbers", "any", "sets"] = "numbers",
) -> Samples:
    """The content of an input of any width. No vector of the length of a row is allocated.

    ``labels``: "numbers" are needed in every row; of "any", rows may have none, and then y is None; "sets"
    are several, ``1,5,7`` in a text or a matrix Y in an ``.npz``, and y is a list of labels or that matrix.
    """
    with source.opened(path) as opened:
        if not opened.head.startswith(ARRAYS):
            return _text(opened, n_features, zero_based, labels)
        return _sets(opened, n_features) if labels == "sets" else read_matrix(opened, n_features, labels == "any")


def read_matrix(opened: source.Source, n_features: int | None = None, may_lack: bool = False) -> Samples:
    """The content of an ``.npz`` or ``.npy``. Labels are numbers, or None if there are none; or if they may lack and
    some do."""
    try:
        X, y = _dense(opened) if opened.head.startswith(b"\x93") else read_npz(opened.as_file())
        X = _with_columns(X, n_features)
        cause = f"{opened.name}: the shape {X.shape}"
        return Samples(X, None if y is None else _checked_labels(y, X.shape[0], may_lack), cause)
    except (ValueError, OverflowError, OSError, *DAMAGE) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a seek before the start
            raise
        raise ValueError(f"{opened.name}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error


def _text(opened: source.Source, n_features: int | None, zero_based: Any, labels: str) -> Samples:
    kind = {"numbers": None, "any": Missing(), "sets": LabelLists()}[labels]
    reader = read_svmlight(opened, n_features, zero_based=zero_based, rewrite=kind)
    if labels == "any" and reader.is_empty:
        return Samples(sparse.csr_array((0, n_features or 0)), None, opened.name, None)
    cause = f"{opened.name}, line {reader.highest_line}: feature index {reader.highest}"
    if n_features is not None:
        cause = f"{opened.name}: n_features={n_features}"
    X, y = reader.finish()
    found: Any = y
    if isinstance(kind, Missing):
        found = None if kind.found else y
    elif isinstance(kind, LabelLists):
        if not X.shape[1]:
            raise ValueError(f"{opened.name}: no row has a feature of the form index:value")
        found = kind.lists
    return Samples(X, found, cause, reader.zero_based)


def _sets(opened: source.Source, n_features: int | None) -> Samples:
    """An ``.npz`` with Y, and X or the arrays of a CSR matrix."""
    try:
        arrays = read_arrays(opened.as_file(), ("X", "Y", *CSR))
        X = csr_of(arrays) if "X" not in arrays else arrays["X"]
        if X.ndim != 2:
            raise ValueError(f"X must be a matrix, not of shape {X.shape}")
        X = _with_columns(X, n_features)
        return Samples(X, arrays.get("Y"), f"{opened.name}: the shape {X.shape}")
    except (ValueError, OverflowError, *DAMAGE) as error:
        raise ValueError(f"{opened.name}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error


def _dense(opened: source.Source) -> tuple[np.ndarray, np.ndarray | None]:
    if not opened.is_file:
        raise ValueError("an .npy matrix cannot come through a pipe: give the name of its file, or send an .npz")
    X = read_npy(opened.as_file())
    if X.ndim != 2:
        raise ValueError(f"a matrix is needed, not an array of shape {X.shape}")
    labels = labels_beside(opened.name)
    if not labels.exists():
        return real(X), None
    with open(labels, "rb") as file:
        try:
            return real(X), read_npy(file)
        except ValueError as error:
            raise ValueError(f"its labels {labels}: {error}") from error


def labels_beside(path: str) -> Path:
    """Where the labels of a dense matrix are, if it has any."""
    place = Path(path)
    return place.with_name(place.stem + ".y.npy")


def _with_columns(X: Any, n_features: int | None) -> Any:
    if n_features is None or X.shape[1] == n_features:
        return X
    if isinstance(X, np.ndarray) or X.shape[1] > n_features:
        raise ValueError(f"{X.shape[1]} columns, where n_features={n_features}")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _checked_labels(y: np.ndarray, n: int, may_lack: bool) -> np.ndarray | None:
    """The labels as float64; None if they may be missing, and NaN stands for one."""
    if y.shape != (n,):
        raise ValueError(f"labels of shape {y.shape} for {n} rows")
    y = y.astype(np.float64)
    if may_lack and np.isnan(y).any():
        return None
    if not np.isfinite(y).all():
        raise ValueError("a label is not finite")
    return y
