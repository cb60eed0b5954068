"""The compiled products against their NumPy twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pragam._kernels import twins
from pragam._kernels.blocks.records import padded

compiled = pytest.importorskip("pragam._kernels._compiled")


@st.composite
def csr(draw):
    """(data, indices, indptr, n_columns): any dtypes; empty, unsorted and repeated entries occur."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d = draw(st.integers(1, 9))
    lengths = rng.integers(0, draw(st.integers(1, 15)), draw(st.integers(0, 150)))
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    indices = rng.integers(0, d, indptr[-1]).astype(draw(st.sampled_from([np.int32, np.int64])))
    data = rng.integers(-8, 9, indptr[-1]).astype(draw(st.sampled_from([np.float32, np.float64])))
    return data, indices, indptr, d


def both(name, make_arguments):
    """The arguments after the compiled kernel and after its twin, and the two return values."""
    mine, theirs = make_arguments(), make_arguments()
    returned = getattr(compiled, name)(*mine), getattr(twins, name)(*theirs)
    return mine, theirs, returned


@settings(max_examples=200, deadline=None)
@given(csr(), st.booleans(), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_csr_kernels_equal_their_twins(matrix, scaled, K, seed):
    """Small integers make every sum exact, so the two must agree to the last bit whatever their order."""
    *X, d = matrix
    n = len(X[2]) - 1
    rng = np.random.default_rng(seed)
    draw = lambda *shape: rng.integers(-4, 5, shape).astype(float)  # noqa: E731
    scale = draw(n) if scaled else None
    w, alpha, W, B = draw(d), draw(n), draw(d, padded(K)), draw(n, K)
    dirty = lambda *shape: np.full(shape, np.nan)  # noqa: E731  (outputs must not depend on what was there)
    cases = {
        "csr_matvec": lambda: (*X, scale, w, dirty(n)),
        "csr_rmatvec": lambda: (*X, scale, alpha, dirty(d)),
        "csr_matmat": lambda: (*X, W, dirty(n, K)),
        "csr_rmatmat": lambda: (*X, B, dirty(d, K)),
        "csr_row_norms2": lambda: (*X, d, dirty(n), dirty(n)),
        "csr_column_norms2": lambda: (*X, dirty(d), dirty(d)),
        "csr_running_matvec": lambda: (*X, w, dirty(n), dirty(n)),
        "csr_running_rmatvec": lambda: (*X, alpha, dirty(d), dirty(d)),
        "csr_twofold_matvec": lambda: (*X, w, dirty(n), dirty(n), dirty(n)),
        "csr_twofold_rmatvec": lambda: (*X, alpha, dirty(d), dirty(d), dirty(d)),
        "csr_abs_sums": lambda: (*X, dirty(n), dirty(d)),
    }
    for name, make in cases.items():
        mine, theirs, returned = both(name, make)
        assert returned[0] == returned[1], name
        for a, b in zip(mine[3:], theirs[3:], strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name)
    assert compiled.csr_check(*X, d) == twins.csr_check(*X, d) == (0, 0, 0)


@settings(max_examples=300, deadline=None)
@given(
    csr(),
    st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.integers(0, 10**6), st.integers(-3, 12)), max_size=3),
)
def test_csr_check_equals_its_twin_on_corrupt_arrays(matrix, corruptions):
    *X, d = matrix
    for part, position, value in corruptions:
        if len(X[part]):
            X[part][position % len(X[part])] = value if part or value % 2 else np.inf
    assert compiled.csr_check(*X, d) == twins.csr_check(*X, d)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.data())
def test_dense_matvec_equals_its_twin(seed, dtype, data):
    rng = np.random.default_rng(seed)
    step = st.sampled_from([1, 2, 3, -1, -2])
    n, d = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    X = rng.integers(-8, 9, (3 * n, 3 * d)).astype(dtype)
    X = X.T.copy().T if data.draw(st.booleans()) else X
    X = X[:: data.draw(step), :: data.draw(step)][:n, :d]
    w = rng.integers(-4, 5, d).astype(float)
    mine, theirs, _ = both("dense_matvec", lambda: (X, w, np.full(n, np.nan)))
    np.testing.assert_array_equal(mine[2], theirs[2])
    np.testing.assert_array_equal(mine[2], X.astype(float) @ w)
    mine, theirs, _ = both("dense_row_norms2", lambda: (X, np.full(n, np.nan)))
    np.testing.assert_array_equal(mine[1], theirs[1])
    rows = rng.integers(0, n, 5 if n else 0)
    mine, theirs, _ = both("dense_take", lambda: (X, rows, np.full(len(rows) * d, np.nan)))
    np.testing.assert_array_equal(mine[2], X[rows].ravel())
    np.testing.assert_array_equal(theirs[2], X[rows].ravel())


def test_dense_rows_out_of_range_are_refused():
    for row in (-1, 3):
        with pytest.raises(ValueError, match="out of range"):
            compiled.dense_take(np.ones((3, 2)), np.array([row]), np.empty(2))


@pytest.mark.parametrize("shape", [(5000, 3), (3, 5000), (300, 2000), (20, 100_000)])
@pytest.mark.parametrize("order", "CF")
def test_dense_matvec_beyond_one_band(shape, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.integers(-8, 9, shape), dtype=np.float32, order=order)
    w, out = rng.integers(-4, 5, shape[1]).astype(float), np.empty(shape[0])
    compiled.dense_matvec(X, w, out)
    np.testing.assert_array_equal(out, X.astype(float) @ w)


def test_float32_is_accumulated_in_double():
    """One part in 2^-40 is lost in a float32 sum and kept in a float64 one."""
    data = np.array([1.0, 2.0**-20], dtype=np.float32)
    w, out = np.array([1.0, 2.0**-20]), np.empty(1)
    compiled.csr_matvec(data, np.array([0, 1], np.int32), np.array([0, 2]), None, w, out)
    assert out[0] == 1.0 + 2.0**-40
    compiled.dense_matvec(data[None], w, out)
    assert out[0] == 1.0 + 2.0**-40


def test_kernels_never_convert_silently():
    """An output of another dtype would be filled in a copy and lost."""
    X = np.ones(1), np.zeros(1, np.int32), np.array([0, 1])
    for w, out in ((np.ones(1, np.float32), np.empty(1)), (np.ones(1), np.empty(1, np.float32))):
        with pytest.raises(TypeError):
            compiled.csr_matvec(*X, None, w, out)
    read_only = np.empty(1)
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        compiled.csr_matvec(*X, None, np.ones(1), read_only)


def test_mismatched_lengths_are_refused():
    X = np.ones(1), np.zeros(1, np.int32), np.array([0, 1])
    for name, arguments in {
        "csr_matvec": (None, np.ones(1), np.empty(2)),
        "csr_rmatvec": (None, np.ones(2), np.empty(1)),
        "csr_matmat": (np.ones((1, 3)), np.empty((1, 3))),
        "csr_rmatmat": (np.ones((2, 2)), np.empty((1, 2))),
        "csr_row_norms2": (1, np.empty(2), np.empty(2)),
        "csr_running_matvec": (np.ones(1), np.empty(1), np.empty(2)),
        "csr_running_rmatvec": (np.ones(2), np.empty(1), np.empty(1)),
        "csr_twofold_matvec": (np.ones(1), np.empty(1), np.empty(1), np.empty(2)),
        "csr_twofold_rmatvec": (np.ones(2), np.empty(1), np.empty(1), np.empty(1)),
        "csr_abs_sums": (np.empty(2), np.empty(1)),
    }.items():
        with pytest.raises(ValueError):
            getattr(compiled, name)(*X, *arguments)
    with pytest.raises(ValueError, match="scale"):
        compiled.csr_matvec(*X, np.ones(2), np.ones(1), np.empty(1))
