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

from pragam.arguments import array_of, is_whole, refuse_masked
from pragam.structured.targets import sorted_labels

FLAT, MATRICES, TOKENS = "flat", "matrices", "tokens"


class Sequences(NamedTuple):
    """Checked input. ``data`` is one matrix of all tokens or, of the form TOKENS, the list as it came."""

    data: Any
    lengths: NDArray[np.int64]
    form: str

    def split(self, values: Any) -> Any:
        """One value for each token, in the form of the input."""
        if self.form == FLAT:
            return values
        parts = np.split(values, np.cumsum(self.lengths)[:-1])
        return parts if self.form == MATRICES else [part.tolist() for part in parts]


def sequences_of(X: Any, lengths: Any = None) -> Sequences:
    """The sequences in X. ValueError, naming the sequence, if one is empty or not of the form of the others."""
    refuse_masked(X=X)
    is_sparse = sparse.issparse(X)
    if is_sparse or (not isinstance(X, (list, tuple)) and np.ndim(X) == 2):
        sizes = _sizes([X.shape[0]] if lengths is None else lengths)
        if sizes.sum() != X.shape[0]:
            raise ValueError(f"lengths sum to {sizes.sum()}, and X has {X.shape[0]} rows")
        return Sequences(_finite(X if is_sparse else np.asarray(X), sizes), sizes, FLAT)
    if lengths is not None:
        raise ValueError("lengths must not be given when X is a list: each sequence has its own")
    if isinstance(X, str) or not hasattr(X, "__len__") or len(X) == 0:
        raise ValueError(f"X must be a matrix or a list of sequences, not {X!r:.60}")
    sizes = _sizes([_length(part, i) for i, part in enumerate(X)])
    if _has_tokens(X[0]):
        return Sequences(list(X), sizes, TOKENS)
    return Sequences(_finite(_stacked(X), sizes), sizes, MATRICES)


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
    flat = array_of("y", y)
    if flat.shape != (lengths.sum(),):
        raise ValueError(f"y must hold {lengths.sum()} labels, one for each token, not of shape {flat.shape}")
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        bad = int(np.argmin(np.isfinite(flat)))
        raise ValueError(f"sequence {_sequence_of(bad, lengths)}: a label is {flat[bad]}")
    return flat


def label_set(y: NDArray[Any], labels: Any) -> list[Any]:
    """The labels that occur, sorted; or ``labels`` if they are given."""
    return (sorted_labels(y) if labels is None else array_of("labels", labels).ravel()).tolist()


def _sequence_of(token: int, lengths: NDArray[np.int64]) -> int:
    return int(np.searchsorted(np.cumsum(lengths), token, side="right"))


def _sizes(lengths: Any) -> NDArray[np.int64]:
    sizes = array_of("lengths", lengths)
    if sizes.ndim != 1 or not len(sizes) or not all(is_whole(size) for size in sizes.tolist()):
        raise ValueError("lengths must be a list of whole numbers")
    if not (sizes > 0).all():
        raise ValueError(f"sequence {int(np.argmin(sizes))}: it is empty")
    return sizes.astype(np.int64)


def _length(part: Any, i: int) -> int:
    if isinstance(part, (str, Mapping)) or not (hasattr(part, "__len__") or sparse.issparse(part)):
        raise ValueError(f"sequence {i}: it must be a matrix or a list of tokens, not {part!r:.40}")
    return part.shape[0] if hasattr(part, "shape") else len(part)


def _has_tokens(sequence: Any) -> bool:
    """Whether the tokens of a sequence have features by name."""
    if sparse.issparse(sequence) or (isinstance(sequence, np.ndarray) and sequence.dtype.kind != "O"):
        return False
    token = sequence[0]
    return isinstance(token, Mapping) or (not len(token)) or isinstance(next(iter(token)), str)


def _stacked(X: Any) -> Any:
    parts, width = [], None
    for i, part in enumerate(X):
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
