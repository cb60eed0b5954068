"""The copy of rows in single precision: what it holds, what it refuses, and that it equals its twin."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.coordinate.records import Single

from .storages import N, csr

KERNELS = [twins.csr_single] + ([_kernels.get("csr_single")] if _kernels.compiled else [])


def places(indptr, order, index=np.uint16):
    """An empty copy with room for the rows in this order, each padded to a multiple of eight."""
    ends = np.r_[0, np.cumsum(-(-np.diff(indptr)[order] // 8) * 8)].astype(np.int64)
    return Single(np.full(ends[-1], 7, index), np.full(ends[-1], np.nan, np.float32), ends)


@pytest.fixture(params=KERNELS, ids=lambda kernel: type(kernel).__name__)
def kernel(request):
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("given", [np.int32, np.int64])
@pytest.mark.parametrize("index", [np.uint16, np.uint32])
def test_row_k_of_the_copy_is_row_order_k_and_the_rest_is_zero(kernel, dtype, given, index):
    for seed in range(5):
        data, indices, indptr = csr(dtype, given, seed)
        data = (data / 3).astype(dtype)  # values that are rounded
        order = np.random.default_rng(seed).permutation(N)
        copy = places(indptr, order, index)
        assert kernel(data, indices, indptr, order, copy)
        for k, i in enumerate(order):
            first, last = copy.indptr[k : k + 2]
            count = indptr[i + 1] - indptr[i]
            assert np.array_equal(copy.data[first : first + count], data[indptr[i] : indptr[i + 1]].astype(np.float32))
            assert np.array_equal(copy.indices[first : first + count], indices[indptr[i] : indptr[i + 1]])
            assert not copy.data[first + count : last].any() and not copy.indices[first + count : last].any()


@pytest.mark.parametrize("value", [1e39, -1e39, 1e-39, -1e-46])
def test_values_that_lose_their_digits_are_refused(kernel, value):
    data, indices, indptr = csr(np.float64, np.int32)
    data[len(data) // 2] = value
    order = np.arange(N)
    assert not kernel(data, indices, indptr, order, places(indptr, order))


def test_stored_zeros_and_the_largest_float_are_not_refused(kernel):
    data, indices, indptr = csr(np.float64, np.int32)
    data[:2] = 0.0, float(np.finfo(np.float32).max)
    order = np.arange(N)
    assert kernel(data, indices, indptr, order, places(indptr, order))


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
def test_wrong_orders_and_places_are_refused():
    compiled, (data, indices, indptr) = _kernels.get("csr_single"), csr(np.float64, np.int32)
    order = np.arange(N)
    copy = places(indptr, order)
    with pytest.raises(ValueError, match="out of range"):
        compiled(data, indices, indptr, np.r_[order[:-1], N], copy)
    with pytest.raises(ValueError, match="fit"):
        compiled(data, indices, indptr, order[:-1].copy(), copy)
    with pytest.raises(ValueError, match="its place"):
        compiled(data, indices, indptr, order, copy._replace(indptr=np.minimum(copy.indptr, 8)))
