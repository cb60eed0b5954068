"""The kernels of the packing: an order of keys, numbers in fewer bytes, rows as another type, facts of columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pragam import _kernels
from pragam._kernels import twins

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")
BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]

KEYS = st.one_of(
    arrays(np.uint64, st.integers(0, 200)),
    arrays(np.uint64, st.integers(0, 200), elements=st.integers(2**63, 2**63 + 5)),
    st.integers(0, 2**32).map(lambda seed: np.random.PCG64(seed).random_raw(5000)),
)


@pytest.mark.parametrize("get", BOTH)
@given(keys=KEYS)
def test_keys_are_ordered_and_equal_ones_stay(get, keys):
    order = np.full(len(keys), -1, np.int64)
    get("key_order")(keys, order)
    assert sorted(order) == list(range(len(keys)))
    places = sorted(range(len(keys)), key=lambda i: (int(keys[i]), i))
    assert order.tolist() == places


#: A type, one of fewer bytes, what that holds, and what it does not.
EDGES = [
    (np.float32, np.uint8, [0, 1, 255], [-0.0, -1, 0.5, 256, 1e30, -1e30]),
    (np.float64, np.uint8, [0, 255], [-0.0, 255.0000001, 256, 1e300, -1e300]),
    (np.float32, np.uint16, [0, 65535], [-0.0, 65536, 3e38, 0.25]),
    (np.float64, np.uint16, [0, 65535], [65535.5, 5e-324]),
    (np.int32, np.uint8, [0, 255], [256, -1, 2**31 - 1, -(2**31)]),
    (np.int64, np.uint8, [0, 255], [256, -1, 2**40]),
    (np.int32, np.uint16, [0, 65535], [65536, -1]),
    (np.int64, np.uint16, [0, 65535], [65536, 2**62]),
    (np.float64, np.float32, [0, -0.0, 0.1875, 2.0**-126, float(np.finfo(np.float32).max)],
     [0.1, 2.0**-127, 2.0**-149, 1e-300, 1e39, -1e300]),
]  # fmt: skip


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("dtype, kind, held, others", EDGES)
def test_a_type_holds_the_numbers_that_it_has_to_the_bit(get, dtype, kind, held, others):
    held = np.array(held, dtype)
    for many in (held, np.tile(held, 3000)):
        out = np.zeros(len(many), kind)
        assert get("narrowed")(many, out)
        assert out.astype(dtype).tobytes() == many.tobytes()
        for other in np.array(others, dtype):
            for place in (0, len(many) // 2, len(many)):
                values = np.insert(many, place, other)
                assert not get("narrowed")(values, np.empty(len(values), kind)), other
    assert get("narrowed")(held[:0], np.empty(0, kind))


@compiled
@given(values=arrays(np.float64, st.integers(0, 40), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_any_numbers_are_narrowed_as_the_twin_does(values):
    for kind in (np.uint8, np.uint16, np.float32):
        outs = np.zeros(len(values), kind), np.zeros(len(values), kind)
        fits = [_kernels.get("narrowed")(values, outs[0]), twins.narrowed(values, outs[1])]
        assert fits[0] == fits[1] and (not fits[0] or outs[0].tobytes() == outs[1].tobytes())


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("stored, kind", [
    (np.uint8, np.uint8), (np.uint8, np.float32), (np.uint16, np.float64), (np.uint8, np.int32), (np.uint16, np.int64),
    (np.int64, np.int32), (np.float32, np.float64), (np.float64, np.float64), (np.int32, np.uint16),
])  # fmt: skip
def test_entries_of_rows_are_taken_as_another_type(get, stored, kind):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 20, 50)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    entries = rng.integers(0, 200, indptr[-1]).astype(stored)
    rows = rng.integers(0, 50, 80)
    ends = np.concatenate([[0], np.cumsum(counts[rows])])
    out = np.empty(ends[-1], kind)
    get("entries_take")(entries, indptr, rows, out, ends)
    assert out.tolist() == [entries[p] for i in rows for p in range(indptr[i], indptr[i + 1])]


@compiled
def test_a_type_that_cannot_hold_the_entries_is_refused():
    few = np.array([0, 1])
    for stored, kind in ((np.float64, np.float32), (np.float32, np.int32), (np.int32, np.uint8), (np.bool_, np.int32)):
        with pytest.raises(TypeError):
            _kernels.get("entries_take")(np.ones(1, stored), few, few[:1], np.empty(1, kind), few)
    for stored, kind in ((np.int32, np.float32), (np.float32, np.float32), (np.float64, np.int32)):
        with pytest.raises(TypeError):
            _kernels.get("narrowed")(np.ones(1, stored), np.empty(1, kind))


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_facts_of_columns(get, dtype, index):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        d, entries = int(rng.integers(1, 20)), int(rng.integers(0, 300))
        data, indices = rng.integers(-1, 2, entries).astype(dtype), rng.integers(0, d, entries).astype(index)
        mean, first = rng.standard_normal(d), rng.integers(-1, 2, d).astype(float)
        squares, stored, differs = np.empty(entries), np.full(d, np.nan), rng.random(d) < 0.2
        wanted = [was or any(data[indices == j] != first[j]) for j, was in enumerate(differs)]
        get("csr_column_facts")(data, indices, mean, first, squares, stored, differs)
        apart = [float(x) - mean[j] for x, j in zip(data, indices, strict=True)]
        assert squares.tolist() == [x * x for x in apart]
        assert stored.tolist() == [np.count_nonzero(indices == j) for j in range(d)]
        assert differs.tolist() == wanted


@compiled
def test_columns_out_of_range_and_arrays_of_unequal_length_are_refused():
    good = [np.ones(2), np.zeros(2, np.int32), *np.zeros((2, 1)), np.empty(2), np.empty(1), np.zeros(1, bool)]
    for column in (-1, 1):
        with pytest.raises(ValueError, match="csr_column_facts"):
            _kernels.get("csr_column_facts")(good[0], np.array([0, column], np.int32), *good[2:])
    for k in range(len(good)):
        with pytest.raises(ValueError, match="csr_column_facts"):
            _kernels.get("csr_column_facts")(*good[:k], good[k][:0], *good[k + 1 :])
    with pytest.raises(ValueError, match="key_order"):
        _kernels.get("key_order")(np.zeros(2, np.uint64), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="narrowed"):
        _kernels.get("narrowed")(np.zeros(2), np.zeros(1, np.uint8))
