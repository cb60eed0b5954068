"""Small data in every storage that the kernels on rows take."""

from __future__ import annotations

import numpy as np

from pragam._kernels import twins
from pragam._kernels.coordinate.records import Single

N, D = 23, 9
LAM = 0.3


def dense(dtype, order, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)).astype(np.float32).astype(dtype)
    X[3] = 0  # an empty row; all values are exact in float32, so every storage holds the same numbers
    return np.asarray(X, order=order)


def csr(dtype, index, seed=0):
    X = dense(dtype, "C", seed)
    rows, columns = np.nonzero(X)
    indptr = np.r_[0, np.cumsum(np.bincount(rows, minlength=N))].astype(np.int64)
    return X[rows, columns], columns.astype(index), indptr


def single(seed=0, index=np.uint16):
    """(indices, data, indptr) in single precision, the rows padded to eight entries."""
    data, indices, indptr = csr(np.float64, np.int32, seed)
    ends = np.r_[0, np.cumsum(-(-np.diff(indptr) // 8) * 8)].astype(np.int64)
    copy = Single(np.empty(ends[-1], index), np.empty(ends[-1], np.float32), ends)
    assert twins.csr_single(data, indices, indptr, np.arange(N), copy)
    return copy


STORAGES = {
    f"csr {np.dtype(t).name} {np.dtype(i).name}": ("csr", lambda s, t=t, i=i: csr(t, i, s))
    for t in (np.float32, np.float64)
    for i in (np.int32, np.int64)
} | {
    f"dense {np.dtype(t).name} {o}": ("dense", lambda s, t=t, o=o: (dense(t, o, s),))
    for t in (np.float32, np.float64)
    for o in "CF"
}
