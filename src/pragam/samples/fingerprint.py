"""What a certificate belongs to: a fingerprint of the data, the same however they are stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from pragam.operators import check_data
from pragam.operators.storage import Storage

_BLOCK = 1 << 18


def data_fingerprint(X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> dict[str, Any]:
    """``{"n", "d", "nnz", "sha256"}`` of a data set; equal data have equal fingerprints.

    Equal means the same numbers: dense or sparse, float32 or float64, sorted or not, repeated entries (which
    add up) and explicit zeros make no difference. Hashed are the shape, then, row by row without zeros, the
    number of entries, their columns and their values as float64, each as one stream; then the labels and the
    weights. X is read in blocks of rows, about a quarter of a million entries each (CSC becomes CSR once).
    """
    storage = check_data(X)
    n, d = storage.shape
    streams = [hashlib.sha256() for _ in range(3)]  # one for each array, so that the blocks leave no trace
    nnz = 0
    for block in _blocks(storage):
        nnz += block.nnz
        for stream, array in zip(streams, (np.diff(block.indptr), block.indices, block.data), strict=True):
            stream.update(array.astype("<f8" if array.dtype.kind == "f" else "<i8", copy=False).tobytes())
    whole = hashlib.sha256(f"pragam-data 1, {n} x {d}".encode())
    for stream in streams:
        whole.update(stream.digest())
    for vector in (y, sample_weight):
        whole.update(hashlib.sha256(_bytes(vector)).digest())
    return {"n": n, "d": d, "nnz": nnz, "sha256": whole.hexdigest()}


def _blocks(storage: Storage) -> Iterator[sparse.csr_array]:
    """X as consecutive blocks of rows: float64, sorted, without repeated entries and zeros."""
    kind, arrays = storage.rows()
    n, d = storage.shape
    if kind == "dense":
        rows = max(1, _BLOCK // max(d, 1))
        for i in range(0, n, rows):
            yield sparse.csr_array(np.asarray(arrays[0][i : i + rows], dtype=np.float64))
        return
    data, indices, indptr = arrays
    i = 0
    while i < n:
        j = int(np.searchsorted(indptr, indptr[i] + _BLOCK, side="right")) - 1
        j = min(max(j, i + 1), i + _BLOCK, n)
        entries = slice(indptr[i], indptr[j])
        columns = indices[entries].astype(np.int64)  # a copy: what follows sorts it in place
        block = sparse.csr_array(
            (data[entries].astype(np.float64), columns, indptr[i : j + 1] - indptr[i]), shape=(j - i, d)
        )
        block.sum_duplicates()
        block.eliminate_zeros()
        yield block
        i = j


def _bytes(vector: ArrayLike | None) -> bytes:
    """Numbers as float64 (-0 as 0), other labels as JSON."""
    if vector is None:
        return b"none"
    vector = np.asarray(vector)
    if vector.dtype.kind in "biuf":
        return b"numbers" + (vector.astype("<f8") + 0.0).tobytes()
    return b"labels" + json.dumps(vector.tolist()).encode()
