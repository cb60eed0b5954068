"""The features of pairs of neighbouring tokens as sweeps read them: a copy in compressed rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pragam._kernels.flows.records import Pairs
from pragam.numerics.remade import remade
from pragam.operators.storage import Storage

#: Pairs that are copied at a time.
_CHUNK = 2**16


@remade
def pair_rows(storage: Storage | None, dtype: Any) -> Pairs:
    """The copy, with values of this type; of nothing if there are no such features."""
    if storage is None:
        return Pairs(np.empty(0, dtype), np.empty(0, np.int32), np.empty(0, np.int64), 0)
    n, count = storage.shape
    parts = [_compressed(storage.part(first, min(first + _CHUNK, n))) for first in range(0, n, _CHUNK)]
    whole = sparse.vstack(parts, format="csr") if parts else sparse.csr_array((0, count))
    return Pairs(
        whole.data.astype(dtype, copy=False), whole.indices.astype(np.int32, copy=False),
        whole.indptr.astype(np.int64, copy=False), count,
    )  # fmt: skip


def _compressed(storage: Storage) -> Any:
    kind, arrays = storage.rows()
    return sparse.csr_array(arrays[0] if kind == "dense" else arrays, shape=storage.shape)
