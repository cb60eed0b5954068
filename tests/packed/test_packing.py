"""From blocks to a directory and back: every row, once, in the order that the seed draws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from packed_data import content_of, order_of, rows_of, small
from scipy import sparse

import pragam
from pragam.packed import runs

KINDS = st.sampled_from([np.float32, np.float64])
NUMBERS = st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False)


@st.composite
def data_sets(draw):
    """Rows with labels and perhaps weights, in blocks of any sizes."""
    dtype = draw(KINDS)
    shape = st.tuples(st.integers(1, 30), st.integers(1, 6))
    X = draw(arrays.arrays(dtype, shape, elements=NUMBERS | st.just(0.0)))
    n = len(X)
    y = draw(
        arrays.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0, 2.5]))
        | arrays.arrays(np.int64, n, elements=st.integers(-5, 5))
        | arrays.arrays("<U3", n, elements=st.text("abcé", max_size=3))
        | st.none()
    )
    weights = draw(st.none() | arrays.arrays(np.float64, n, elements=st.floats(1, 9)))
    cuts = sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=3))})
    return X, y, weights, list(pairwise(cuts))


@settings(max_examples=60)
@given(data_sets(), st.booleans(), st.sampled_from([np.int32, np.int64]), st.integers(0, 3), st.integers(1, 400))
def test_a_round_trip(tmp_path_factory, data, is_sparse, index_dtype, seed, chunk_bytes):
    X, y, weights, cuts = data
    folder = tmp_path_factory.mktemp("packed") / "set"

    def block(first, last):
        own = X[first:last]
        if is_sparse:
            own = sparse.csr_array(own)
            own.indices, own.indptr = own.indices.astype(index_dtype), own.indptr.astype(index_dtype)
        return own, *(None if each is None else each[first:last] for each in (y, weights))

    packed = pragam.pack((block(*cut) for cut in cuts), folder, seed=seed, chunk_bytes=chunk_bytes)
    order = order_of(len(X), seed)
    found = rows_of(packed)
    assert packed.shape == X.shape and len(packed) == len(X) and packed.is_sparse == is_sparse
    assert packed.dtype == X.dtype == found.dtype
    np.testing.assert_array_equal(found.toarray() if is_sparse else found, X[order])
    for mine, own in ((packed.y, y), (packed.weights, weights)):
        assert (mine is None) == (own is None)
        if own is not None:
            np.testing.assert_array_equal(mine, own[order])
    assert packed.ends[0] == 0 and packed.ends[-1] == len(X) and (np.diff(packed.ends) > 0).all()
    assert packed.stored == (np.count_nonzero(X) if is_sparse else X.size)
    assert packed.y is None or packed.y.dtype == y.dtype


def test_the_bytes_depend_on_rows_seed_and_settings_alone(tmp_path, monkeypatch):
    """Not on the blocks, nor on how much is held in memory at a time."""
    X, y = small(500)

    def packed(name, size, seed=0):
        blocks = ((X[i : i + size], y[i : i + size]) for i in range(0, 500, size))
        pragam.pack(blocks, tmp_path / name, chunk_bytes=1000, seed=seed)
        return content_of(tmp_path / name)

    whole = packed("whole", 500)
    assert len(whole) > 4 * 20
    monkeypatch.setattr(runs, "RUN", 3000)
    monkeypatch.setattr("pragam.packed.dealing.RUN", 2000)
    assert packed("small", 7) == whole
    assert packed("other", 7, seed=1).keys() == whole.keys() and content_of(tmp_path / "other") != whole


@pytest.mark.parametrize("is_sparse", [True, False])
def test_blocks_may_come_in_the_same_memory(tmp_path, is_sparse):
    X, y, weights = np.ones((30, 2)), np.empty(30), np.empty(30)
    sparse_X = sparse.csr_array(X)

    def blocks():
        for k in range(5):
            X[:], sparse_X.data[:], y[:], weights[:] = k + 1, k + 1, k, k
            yield sparse_X if is_sparse else X, y, weights

    packed = pragam.pack(blocks(), tmp_path / "set")
    rows = rows_of(packed).toarray() if is_sparse else rows_of(packed)
    expected = np.repeat(np.arange(5.0), 30)
    assert (np.sort(packed.y) == expected).all()
    np.testing.assert_array_equal(np.column_stack([rows, packed.weights]) - [1, 1, 0], packed.y[:, None] * np.ones(3))


ODD = {
    "Fortran order": lambda X: np.asfortranarray(X),
    "strides": lambda X: np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "foreign bytes": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
    "unaligned": lambda X: np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape),
}


@pytest.mark.parametrize("form", ODD)
def test_odd_forms_of_one_matrix_are_packed_alike(tmp_path, form):
    X, y = small(40)
    X = X.toarray()
    whole = pragam.pack([(X, y)], tmp_path / "whole")
    assert pragam.pack([(ODD[form](X), y)], tmp_path / "odd").fingerprint() == whole.fingerprint()


def test_small_types_and_rows_without_columns(tmp_path):
    X = np.arange(12).reshape(4, 3) % 5
    for kind in ("f2", "i1", "u8", "bool"):
        packed = pragam.pack([(X.astype(kind), [1, 2, 3, 4])], tmp_path / kind)
        np.testing.assert_array_equal(rows_of(packed), X.astype(kind)[packed.y - 1])
    assert pragam.pack([(X[:, :0], [1, 2, 3, 4])], tmp_path / "none").shape == (4, 0)
    assert pragam.pack([(sparse.csr_array((4, 0)), [1, 2, 3, 4])], tmp_path / "sparse").shape == (4, 0)


BAD = {
    "X has 3 columns, and before it had 2": [(np.ones((2, 2)), None), (np.ones((2, 3)), None)],
    r"X contains NaN or infinity \(first found in row 1\)": [(np.ones((2, 1)), None), ([[0.0], [np.nan]], None)],
    "X is sparse, and before it was dense": [(np.ones((2, 2)), None), (sparse.csr_array(np.ones((2, 2))), None)],
    "the labels here or before are texts": [(np.ones((2, 2)), [1, 2]), (np.ones((2, 2)), ["a", "b"])],
    "all rows must have labels, or none": [(np.ones((2, 2)), [1, 2]), (np.ones((2, 2)), None)],
    "all rows must have weights, or none": [(np.ones((2, 2)), None), (np.ones((2, 2)), None, [1, 1])],
    "the labels are int64 and before uint64: no integers hold both": [
        (np.ones((1, 2)), np.array([2**63])),
        (np.ones((1, 2)), np.array([-1])),
    ],
    r"must be \(X, y\) or \(X, y, weight\), where y may be None, not a ndarray": [(np.ones((2, 2)), None), np.eye(2)],
}


@pytest.mark.parametrize("said", BAD)
def test_a_bad_block_is_one_line_and_leaves_nothing(tmp_path, said):
    with pytest.raises(ValueError, match=f"^block 1:? {said}") as caught:
        pragam.pack(BAD[said], tmp_path / "set")
    assert "\n" not in str(caught.value) and not (tmp_path / "set").exists()


def test_what_the_iterator_raises_leaves_nothing(tmp_path):
    def blocks():
        yield small(10)
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="the source is gone"):
        pragam.pack(blocks(), tmp_path / "set")
    assert not (tmp_path / "set").exists()
    (tmp_path / "set").mkdir()
    with pytest.raises(ValueError, match="chunk_bytes must be a whole number >= 1 and below 2"):
        pragam.pack([small(10)], tmp_path / "set", chunk_bytes=2**70)
    with pytest.raises(ValueError, match="there are no rows to pack"):
        pragam.pack([], tmp_path / "set")
    assert list((tmp_path / "set").iterdir()) == []


def test_chunks_have_about_the_bytes_that_were_asked_for(tmp_path):
    X, y = small(2000)
    packed = pragam.pack([(X, y)], tmp_path / "set", chunk_bytes=5000)
    sizes = [sum(a.nbytes for a in chunk.arrays) for chunk in packed]
    assert max(sizes) <= 5000 and min(sizes[:-1]) >= 4000
    one = pragam.pack([(X, y)], tmp_path / "rows", chunk_bytes=1)
    assert one.n_chunks == 2000 and (np.diff(one.ends) == 1).all()


def test_wide_indices_have_64_bits(tmp_path):
    X = sparse.csr_array((np.ones(40_000_000 // 1000), np.arange(40_000, dtype=np.int64) * 80_000, [0, 40_000]))
    assert X.shape[1] > 2**31
    with pytest.raises(ValueError, match=r"^the data have 3199920001 columns and 40000 stored entries: every vector"):
        pragam.pack([(X, None)], tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_repeated_entries_are_added_and_other_forms_converted(tmp_path):
    X = sparse.csr_array(([1.0, 2.0, 4.0], [3, 3, 0], [0, 3]), shape=(1, 4))
    packed = pragam.pack([(X, [1])], tmp_path / "csr")
    assert packed.stored == 2 and rows_of(packed).toarray().tolist() == [[4.0, 0.0, 0.0, 3.0]]
    for form in ("csc", "coo", "lil"):
        other = pragam.pack([(X.asformat(form), [1])], tmp_path / form)
        assert other.fingerprint() == packed.fingerprint()
    again = pragam.pack(((X, other.y) for X in other), tmp_path / "again")
    assert again.fingerprint() == packed.fingerprint()


def test_dtypes_are_those_asked_for_or_hold_all(tmp_path):
    X = np.array([[0.1, 2.0], [0.5, 0.0]])
    small32 = np.full((1, 2), 1e-40, np.float32)
    assert pragam.pack([(X, None)], tmp_path / "a", dtype=np.float32).dtype == np.float32
    assert pragam.pack([(X.astype("f4"), None)], tmp_path / "b").dtype == np.float32
    assert pragam.pack([(X.astype("f4"), None), (X, None)], tmp_path / "c").dtype == np.float64
    assert pragam.pack([((X * 10).astype(int), None)], tmp_path / "d").dtype == np.float64
    widened = pragam.pack([(X.astype("f4"), None), (small32, None)], tmp_path / "e")
    assert widened.dtype == np.float64 and rows_of(widened).min() == 0 and (rows_of(widened) == 1e-40).sum() == 0
    assert (rows_of(widened) == float(np.float32(1e-40))).sum() == 2
    for large in (1e300, 1e-40):
        with pytest.raises(ValueError, match="block 1: X has numbers that float32 does not hold: pack it as float64"):
            pragam.pack([(X, None), (X * large, None)], tmp_path / "f", dtype="float32")


def test_labels_of_several_blocks_have_one_type_that_holds_them(tmp_path):
    X = np.eye(2)
    packed = pragam.pack([(X, ["a", "b"]), (X, np.array(["long", "a"], object))], tmp_path / "texts")
    assert packed.y.dtype == np.dtype("<U4") and sorted(packed.y.tolist()) == ["a", "a", "b", "long"]
    packed = pragam.pack([(X, [1, 2]), (X, [0.5, 1])], tmp_path / "numbers")
    assert packed.y.dtype == np.float64 and sorted(packed.y.tolist()) == [0.5, 1, 1, 2]


def test_empty_blocks_are_skipped_and_widths_may_differ_where_sparse(tmp_path):
    X, y = small(50)
    empty = sparse.csr_array((0, 12))
    packed = pragam.pack([(empty, []), (X, y), (X[:, :5], y)], tmp_path / "set")
    assert packed.shape == (100, 9)
    assert pragam.pack([(X, y)], tmp_path / "wide", n_features=20).shape == (50, 20)


def test_a_part_of_the_chunks_is_a_set_of_its_own(tmp_path):
    X, y = small(1000)
    weights = np.linspace(1, 2, 1000)
    packed = pragam.pack([(X, y, weights)], tmp_path / "set", chunk_bytes=3000)
    train, validation = packed.split(seed=3, share=0.25)
    assert validation.n_chunks == round(packed.n_chunks / 4) and train.n_chunks + validation.n_chunks == packed.n_chunks
    assert len(train) + len(validation) == 1000
    rows = sparse.vstack([rows_of(train), rows_of(validation)]).toarray()
    for vector, name in ((y, "y"), (weights, "weights")):
        own = np.concatenate([getattr(train, name), getattr(validation, name)])
        expected = np.column_stack([X.toarray(), vector])
        assert sorted(np.column_stack([rows, own]).tolist()) == sorted(expected.tolist())
    again = packed.split(seed=3, share=0.25)[1]
    assert again.fingerprint() == validation.fingerprint() != train.fingerprint()
    assert packed.split(seed=4, share=0.25)[1].fingerprint() != validation.fingerprint()
    np.testing.assert_allclose(train.columns.mean, rows_of(train).mean(axis=0), rtol=1e-12)
    deeper = train.split()[1]
    assert deeper.n_chunks == round(0.2 * train.n_chunks)
    single = pragam.pack([(X, y)], tmp_path / "single", chunk_bytes=10**9)
    with pytest.raises(ValueError, match="has one chunk, and a split needs two"):
        single.split()


def test_a_set_goes_to_another_process_by_its_path(tmp_path):
    import pickle

    X, y = small(300)
    part = pragam.pack([(X, y)], tmp_path / "set", chunk_bytes=2000).split()[1]
    other = pickle.loads(pickle.dumps(part))
    assert other.fingerprint() == part.fingerprint() and (other.y == part.y).all()
    assert "300 of" not in repr(other) and "of " in repr(other) and "float64" in repr(other)


@pytest.mark.parametrize("share", [1.5, 0.0, -1])
def test_a_share_that_is_none_is_told_its_bounds(tmp_path, share):
    packed = pragam.pack([(np.eye(9), np.arange(9))], tmp_path / "set", chunk_bytes=200)
    with pytest.raises(ValueError, match=r"^share must be a finite number > 0 and <= 1, not "):
        packed.split(share=share)
