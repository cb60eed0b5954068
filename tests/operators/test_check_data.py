"""What check_data refuses, with which words, and what it never copies."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import IN_PLACE, compressed, matrix

from peaks import peak_memory
from pragam import _kernels
from pragam.operators import Columns, LabelRows, ScaledRows, SharedRows, check_data


def own_arrays(storage):
    """The arrays that a storage or its transpose was built on."""
    return next(s.rows()[1] for s in (storage, storage.T) if hasattr(s, "X") or hasattr(s, "arrays"))


@pytest.mark.parametrize("name", IN_PLACE)
def test_user_memory_is_used_in_place(name):
    X = IN_PLACE[name]
    theirs = (X.data, X.indices) if sparse.issparse(X) else (X,)
    for storage in (check_data(X), check_data(X).T):
        for mine, user in zip(own_arrays(storage), theirs, strict=False):
            assert np.shares_memory(mine, user)
            assert mine.dtype == user.dtype
        assert storage.T.T.shape == storage.shape


@pytest.mark.parametrize("name", IN_PLACE)
def test_rows_to_be_walked_are_contiguous_in_one_copy_at_most(name, monkeypatch):
    storage = check_data(IN_PLACE[name])
    (kind, arrays), (_, again), (_, own) = storage.contiguous_rows(), storage.contiguous_rows(), storage.rows()
    assert all(a is b for a, b in zip(arrays, again, strict=True))
    if kind == "dense":
        assert arrays[0].strides[1] == arrays[0].itemsize
        assert np.shares_memory(arrays[0], own[0]) == (own[0].strides[1] == own[0].itemsize)
        np.testing.assert_array_equal(arrays[0], own[0])
        monkeypatch.setattr("pragam.operators.storage.dense._LARGEST_COPY", own[0].nbytes - 1)
        assert np.shares_memory(check_data(IN_PLACE[name]).contiguous_rows()[1][0], own[0])


@pytest.mark.parametrize("form", [np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_float32_below_its_least_normal_number_is_widened(form):
    """Where a processor reads such numbers as zero, their float64 values are still there."""
    X = np.array([[1.0, -1e-42], [2.0**-126, 1e-45]], dtype=np.float32)
    arrays = own_arrays(check_data(form(X)))
    assert arrays[0].dtype == np.float64
    np.testing.assert_array_equal(np.sort(arrays[0], axis=None), np.sort(X.astype(np.float64), axis=None))
    least = form(np.where(np.abs(X) < 2.0**-126, np.float32(0), X))
    assert own_arrays(check_data(least))[0].dtype == np.float32


BIG = np.random.default_rng(0).standard_normal((3000, 200))


@pytest.mark.parametrize(
    "X",
    [
        BIG,
        np.asfortranarray(BIG),
        BIG.astype(np.float32),
        np.asfortranarray(BIG, dtype=np.float32),
        np.repeat(BIG, 2, axis=1)[:, ::2],
        *(compressed(BIG, k, v, i) for k in ("csr", "csc") for v in (np.float32, float) for i in (np.int32, int)),
    ],
    ids=lambda X: f"{getattr(X, 'format', X.strides if isinstance(X, np.ndarray) else '')} {X.dtype}",
)
def test_no_temporary_of_the_size_of_x(X):
    """Checks, products and norms allocate vectors and 0.5 MB tiles, never the 2.4 MB of a float32 X."""
    if not _kernels.compiled:
        pytest.skip("the twins are short, not frugal")
    scale = np.ones(len(BIG))
    with peak_memory() as peak:
        storage = check_data(X)
        operators = [ScaledRows(storage, scale), Columns(storage), LabelRows(storage, 2)]
        operators.append(SharedRows(storage, np.repeat(np.arange(len(BIG)), 2), np.ones(2 * len(BIG))))
        for operator in operators:
            operator.matvec(np.ones(operator.shape[1]))
            operator.rmatvec(np.ones(operator.shape[0]))
            operator.row_norms()
            operator.norm_bound()
    assert peak.bytes < 2e6 < 600_000 * 4


def corrupt(kind, part, position, value):
    S = compressed(matrix(), kind, np.float64, np.int32)
    getattr(S, part)[position] = value
    return S


@pytest.mark.parametrize(
    ("kind", "major", "minor", "size"), [("csr", "row", "column", 11), ("csc", "column", "row", 23)]
)
def test_corrupt_compressed_arrays(kind, major, minor, size):
    S = compressed(matrix(), kind, np.float64, np.int32)
    position = S.indptr[3]  # the first entry of line 3
    cases = [
        (
            ("indices", position, size),
            rf"^X has a {minor} index {size} out of range \[0, {size}\) in {major} 3$",
        ),
        (("indices", position, -1), rf"^X has a {minor} index -1 out of range \[0, {size}\) in {major} 3$"),
        (("indices", position, 2**31 - 1), rf"^X has a {minor} index 2147483647 out of range"),
        (("indptr", 0, 1), r"^X.indptr starts at 1, expected 0$"),
        (("indptr", 3, 10_000), rf"^X.indptr decreases after {major} 3$"),
        (("indptr", 3, -5), rf"^X.indptr decreases after {major} 2$"),
        (("indptr", -1, 10_000), r"^X.indptr ends at 10000, beyond the"),
        (("data", position, np.nan), rf"^X contains NaN or infinity \(first found in {major} 3\)$"),
        (("data", -1, -np.inf), r"^X contains NaN or infinity"),
    ]
    for fault, message in cases:
        with pytest.raises(ValueError, match=message):
            check_data(corrupt(kind, *fault))


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_arrays_of_wrong_length_or_type(kind):
    def broken(**parts):
        S = compressed(matrix(), kind, np.float64, np.int32)
        for part, change in parts.items():
            setattr(S, part, change(getattr(S, part)))
        return S

    for parts in (
        {"indptr": lambda a: a[:-1]},
        {"indptr": lambda a: a[:0]},
        {"data": lambda a: a[:-1]},
        {"indices": lambda a: a[:-1]},
        {"indices": lambda a: a.astype(float)},
        {"data": lambda a: a.reshape(-1, 1)},
        {"data": lambda a: a + 0j},
    ):
        with pytest.raises(ValueError, match="X"):
            check_data(broken(**parts))


def test_unusual_but_correct_arrays():
    """Entries beyond indptr's end are ignored, other integers are widened, strided parts are copied."""
    S = compressed(matrix(), "csr", np.float64, np.int32)
    S.data = np.repeat(np.append(S.data, np.nan), 2)[::2]
    S.indices = np.append(S.indices, 99).astype(np.uint16)
    w = np.arange(11.0)
    np.testing.assert_allclose(check_data(S).matvec(w), matrix() @ w, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), "X must be two-dimensional, but has 1"),
        (np.float64(3), "X must be two-dimensional, but has 0"),
        (np.ones((2, 2, 2)), "X must be two-dimensional, but has 3"),
        (sparse.coo_array(np.ones(3)), "X must be two-dimensional, but has 1"),
        (np.ones((2, 2), dtype=complex), "X must be real"),
        (sparse.csr_array(np.ones((2, 2), dtype=complex)), "X must be real"),
        (np.array([["a", "b"]]), "X must hold real numbers"),
        (np.array([[object(), 1]]), "X must hold real numbers"),
        (np.array([[1j, 1]], dtype=object), "X must hold real numbers"),
        (np.array([["2000-01-01"]], dtype="M8[D]"), "X must hold real numbers"),
        ([[1.0], [1.0, 2.0]], "X is not a matrix"),
    ],
)
def test_refused(X, message):
    with pytest.raises(ValueError, match=message):
        check_data(X)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_nan_is_found_in_its_row(bad, dtype, order):
    X = np.zeros((700, 300), dtype=dtype, order=order)
    X[613, 297] = bad
    with pytest.raises(ValueError, match=r"^X contains NaN or infinity \(first found in row 613\)$"):
        check_data(X)


@pytest.mark.parametrize(
    ("store", "dtype"),
    [
        (np.asarray, np.float16),  # of which scipy has no sparse matrices
        *product([np.asarray, sparse.csr_array, sparse.csc_array, sparse.coo_array], [np.int8, np.uint64, bool]),
    ],
)
def test_other_dtypes_are_converted(store, dtype):
    X = (matrix() > 0.5).astype(dtype)
    w = np.random.default_rng(1).standard_normal(11)
    np.testing.assert_allclose(check_data(store(X)).matvec(w), X.astype(float) @ w, rtol=1e-13, atol=1e-13)
