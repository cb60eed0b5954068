"""The forms in which sequences come in, and how predictions go back in the same form.

* flat: a (tokens, d) array or sparse matrix with the ``lengths`` of the sequences; without lengths it is one sequence;
* matrices: a list of such matrices, one for each sequence;
* tokens: a list of sequences, each a list of tokens that are dictionaries or lists of strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.arguments import array_of, refuse_masked
from pragam.structured.targets import check_lengths, sorted_labels

FLAT, MATRICES, TOKENS = "flat", "matrices", "tokens"


class Sequences(NamedTuple):
    """Checked input. ``data`` is one matrix of all tokens or, of the form TOKENS, the list as it came.

    Where sequences may be empty, there may be no tokens: then ``data`` says nothing of their features.
    """

    data: Any
    lengths: NDArray[np.int64]
    form: str

    def split(self, values: Any) -> Any:
        """One value for each token, in the form of the input."""
        if self.form == FLAT:
            return values
        parts = np.split(values, np.cumsum(self.lengths))[:-1]
        return parts if self.form == MATRICES else [part.tolist() for part in parts]


def sequences_of(X: Any, lengths: Any = None, least: int = 1) -> Sequences:
    """The sequences in X. ValueError, naming the sequence, if one has less than ``least`` tokens, 1 or 0, or is not of
    the form of the others."""
    refuse_masked(X=X)
    is_sparse = sparse.issparse(X)
    if is_sparse and len(X.shape) != 2:
        raise ValueError(f"X must be two-dimensional, not of shape {X.shape}")
    if is_sparse or (not isinstance(X, (list, tuple)) and np.ndim(X) == 2):
        sizes = check_lengths([X.shape[0]] if lengths is None else lengths, least)
        if sizes.sum() != X.shape[0]:
            raise ValueError(f"lengths sum to {sizes.sum()}, and X has {X.shape[0]} rows")
        return Sequences(_finite(X if is_sparse else np.asarray(X), sizes), sizes, FLAT)
    if lengths is not None:
        raise ValueError("lengths must not be given when X is a list: each sequence has its own")
    if isinstance(X, str) or not hasattr(X, "__len__") or len(X) < least:
        raise ValueError(f"X must be a matrix or a list of sequences, not {X!r:.60}")
    X = [_matrix(part) for part in X]
    sizes = check_lengths([_length(part, i) for i, part in enumerate(X)], least)
    if not sizes.any():
        return Sequences(X, sizes, MATRICES if any(np.ndim(part) == 2 for part in X) else TOKENS)
    if _has_tokens(X[int(np.argmax(sizes > 0))]):
        return Sequences(X, sizes, TOKENS)
    return Sequences(_finite(_stacked(X, sizes), sizes), sizes, MATRICES)


def labels_of(y: Any, sequences: Sequences) -> NDArray[Any]:
    """The labels of all tokens. They come in the form of X: one array, or a list of the labels of each sequence."""
    refuse_masked(y=y)
    lengths = sequences.lengths
    if sequences.form != FLAT:
        if isinstance(y, str) or not hasattr(y, "__len__") or len(y) != len(lengths):
            raise ValueError(f"y must be a list of the labels of {len(lengths)} sequences, as X is")
        for i, own in enumerate(y):
            if isinstance(own, str) or np.ndim(own) != 1 or len(own) != lengths[i]:
                raise ValueError(f"sequence {i}: {lengths[i]} tokens and {np.size(own)} labels")
        y = [label for own in y for label in (own.tolist() if isinstance(own, np.ndarray) else own)]
    _check_kinds(y)
    flat = array_of("y", y)
    if flat.shape != (lengths.sum(),):
        raise ValueError(f"y must hold {lengths.sum()} labels, one for each token, not of shape {flat.shape}")
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        bad = int(np.argmin(np.isfinite(flat)))
        raise ValueError(f"sequence {_sequence_of(bad, lengths)}: a label is {flat[bad]}")
    return flat


def _check_kinds(labels: Any) -> None:
    """Refuse strings among other labels: an array would make strings of all."""
    if isinstance(labels, (list, tuple)) and 0 < sum(isinstance(label, str) for label in labels) < len(labels):
        raise ValueError("labels must be of one kind: all strings, or none")


def label_set(y: NDArray[Any], labels: Any) -> list[Any]:
    """The labels that occur, sorted; or ``labels`` if they are given."""
    if labels is None:
        return list(sorted_labels(y).tolist())
    _check_kinds(labels)
    given = array_of("labels", labels)
    if given.ndim != 1:
        raise ValueError(f"labels must be a list of labels, not {labels!r:.60}")
    return list(given.tolist())


def _sequence_of(token: int, lengths: NDArray[np.int64]) -> int:
    return int(np.searchsorted(np.cumsum(lengths), token, side="right"))


def _length(part: Any, i: int) -> int:
    if isinstance(part, (str, Mapping)) or not (hasattr(part, "__len__") or sparse.issparse(part)):
        raise ValueError(f"sequence {i}: it must be a matrix or a list of tokens, not {part!r:.40}")
    if len(getattr(part, "shape", ())) == 2:
        return int(part.shape[0])
    token = next(iter(part), None)
    if isinstance(token, str):
        raise ValueError(f"sequence {i}: tokens are dictionaries or lists of strings, not words as {str(token)!r:.40}")
    return len(part)


def _matrix(part: Any) -> Any:
    """A table, such as a data frame, as an array; everything else as it is."""
    is_table = hasattr(part, "__array__") and not sparse.issparse(part) and np.ndim(part) == 2
    return np.asarray(part) if is_table else part


def _has_tokens(sequence: Any) -> bool:
    """Whether the tokens of a sequence have features by name."""
    if sparse.issparse(sequence) or (isinstance(sequence, np.ndarray) and sequence.dtype.kind != "O"):
        return False
    token = next(iter(sequence))
    if isinstance(token, Mapping):
        return True
    is_list = isinstance(token, (list, tuple, set, frozenset, np.ndarray))
    return is_list and (not len(token) or isinstance(next(iter(token)), str))


def _stacked(X: Any, lengths: NDArray[np.int64]) -> Any:
    parts, width = [], None
    for i in np.flatnonzero(lengths).tolist():
        part = X[i]
        if not sparse.issparse(part):
            try:
                part = np.asarray(part)
            except ValueError:
                raise ValueError(f"sequence {i}: its tokens have different numbers of features") from None
        if part.ndim != 2 or (width is not None and part.shape[1] != width):
            expected = "a matrix" if width is None else f"a matrix of {width} columns"
            raise ValueError(f"sequence {i}: it must be {expected}, not of shape {part.shape}")
        width = part.shape[1]
        parts.append(part)
    return sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.concatenate(parts)


def _finite(X: Any, lengths: NDArray[np.int64]) -> Any:
    """X as float64 or float32, dense or CSR, if all its numbers are finite."""
    is_sparse = sparse.issparse(X)
    if is_sparse:
        X = sparse.csr_array(X)
    if X.dtype.kind not in "biufO":
        raise ValueError(f"X must hold real numbers, not {X.dtype}")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    values = X.data if is_sparse else X
    if np.isfinite(np.sum(values, dtype=np.float64)):  # no copy in the usual case
        return X
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row = int(bad[0, 0]) if values.ndim == 2 else int(np.searchsorted(X.indptr, bad[0, 0], side="right")) - 1
        raise ValueError(f"sequence {_sequence_of(row, lengths)}: X contains NaN or infinity")
    return X
