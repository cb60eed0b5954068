"""The steps of preprocessing that the records name. What a step learns, it learns from the training rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from pragam.datasets.record import Data, Drawn, Parts

# comp.*, misc.* and sci.* against the rest: ten newsgroups each, the split of news20-bigram's labels.
_COMP_MISC_SCI = (2, 3, 4, 5, 6, 7, 12, 13, 14, 15)


def without_empty_rows(parts: Parts) -> Parts:
    """Training rows without a stored entry are dropped. Test rows stay."""
    X, y = parts[0]
    full = np.diff(X.indptr) > 0
    return [(X[full], y[full]), *parts[1:]]


def tf_idf_unit_rows(parts: Parts) -> Parts:
    """Counts become tf-idf weights, rows of unit length. The document frequencies are those of the training rows."""
    idf = inverse_frequencies(parts[0][0])
    return [(weighted(X, idf), y) for X, y in parts]


def comp_misc_sci(parts: Parts) -> Parts:
    """The label is +1 for the newsgroups comp, misc and sci, -1 for the others."""
    return [(X, np.where(np.isin(y, _COMP_MISC_SCI), 1.0, -1.0)) for X, y in parts]


def signed(parts: Parts) -> Parts:
    """The labels of two classes become -1 (the lower one) and +1. Other labels stay."""
    classes = np.unique(parts[0][1])
    if len(classes) != 2:
        return parts
    return [(X, np.where(y == classes[1], 1.0, -1.0)) for X, y in parts]


def inverse_frequencies(counts: sparse.csr_array) -> np.ndarray:
    """log((1 + n) / (1 + df_j)) + 1, with df_j the number of the n rows that contain term j."""
    n, d = counts.shape
    df = np.bincount(counts.indices[counts.data != 0], minlength=d)
    return np.log((1 + n) / (1 + df)) + 1


def weighted(counts: sparse.csr_array, idf: np.ndarray) -> sparse.csr_array:
    """Rows x_ij = count_ij idf_j, scaled to unit length, as scikit-learn's TfidfTransformer. Empty rows stay empty."""
    X = counts.astype(np.float64, copy=True)
    X.data *= idf[X.indices]
    return unit_rows(X)


def unit_rows(X: sparse.csr_array) -> sparse.csr_array:
    """X itself, its rows scaled to unit length in place. Empty rows stay empty."""
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    X.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(X.indptr))
    return X


def drawn(rows: Data, split: Drawn) -> Parts:
    """The rows with the ``n_train`` smallest of n raw numbers of PCG64(seed) are for training, the others for the test.

    Both keep their order. NumPy promises the same raw numbers for ever, which it does not for permutations.
    """
    X, y = rows
    order = np.argsort(np.random.PCG64(split.seed).random_raw(len(y)), kind="stable")
    return [(X[chosen], y[chosen]) for chosen in (np.sort(order[: split.n_train]), np.sort(order[split.n_train :]))]


def joined(parts: Parts) -> Data:
    """The rows of all parts, one below the other."""
    if len(parts) == 1:
        return parts[0]
    d = max(X.shape[1] for X, _ in parts)
    return sparse.vstack([widened(X, d) for X, _ in parts], format="csr"), np.concatenate([y for _, y in parts])


def widened(X: sparse.csr_array, d: int) -> sparse.csr_array:
    """X with empty columns at the end, up to d of them in all."""
    return X if X.shape[1] == d else sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], d))
