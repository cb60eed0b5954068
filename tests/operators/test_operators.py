"""Every operator on every storage: products, adjoint, norms and the bound, against dense references."""

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import ALL, D, N, matrix

from pragam.operators import Columns, Counting, CrammerSinger, RowOperator, ScaledRows, check_data

rng = np.random.default_rng(3)
SCALE = rng.standard_normal(N)
K = 4
Y = rng.integers(0, K, N)
EPS = np.finfo(float).eps


def crammer_singer_matrix(X, y, K):
    """Row (i, k) is x_i in block k minus x_i in block y_i."""
    A = np.zeros((len(X), K, K, X.shape[1]))
    for i, x in enumerate(X):
        for k in range(K):
            A[i, k, k] += x
            A[i, k, y[i]] -= x
    return A.reshape(len(X) * K, K * X.shape[1])


# name -> (operator of a stored X, dense reference of the plain X)
OPERATORS = {
    "scaled": (lambda X: ScaledRows(X, SCALE), lambda X: SCALE[:, None] * X),
    "columns": (Columns, lambda X: X.T),
    "multiclass": (lambda X: CrammerSinger(X, Y, K), lambda X: crammer_singer_matrix(X, Y, K)),
    "counting": (lambda X: Counting(ScaledRows(X, SCALE)), lambda X: SCALE[:, None] * X),
}


@pytest.fixture(params=OPERATORS)
def pair(request):
    return OPERATORS[request.param]


@pytest.mark.parametrize("name", ALL)
def test_operator_equals_its_dense_matrix(name, pair):
    operator, reference = pair[0](ALL[name]), pair[1](matrix())
    assert operator.shape == reference.shape
    draw = np.random.default_rng(5).standard_normal
    w, alpha = draw(operator.shape[1]), draw(operator.shape[0])
    alpha[::3] = 0.0
    # Each result is a sum of at most shape products of duplicates 3x - 2x: 5 times the size of its terms.
    tol = 5 * sum(operator.shape) * EPS
    for out, exact, size in (
        (operator.matvec(w), reference @ w, abs(reference) @ abs(w)),
        (operator.rmatvec(alpha), alpha @ reference, abs(alpha) @ abs(reference)),
    ):
        assert out.dtype == np.float64
        assert np.all(abs(out - exact) <= tol * size)
    inner = operator.matvec(w) @ alpha - w @ operator.rmatvec(alpha)
    assert abs(inner) <= tol * (abs(alpha) @ abs(reference) @ abs(w))


@pytest.mark.parametrize("name", ALL)
def test_norms(name, pair):
    operator, reference = pair[0](ALL[name]), pair[1](matrix())
    np.testing.assert_allclose(operator.row_norms(), np.linalg.norm(reference, axis=1), rtol=1e-14, atol=0)
    sigma = np.linalg.norm(reference, 2)
    bound = operator.norm_bound()
    assert sigma <= bound
    assert bound <= 5 * np.sqrt(K) * np.linalg.norm(reference, "fro")


def test_norm_bound_is_attained():
    """Schur's test is tight on a matrix of ones, Frobenius on a row, sqrt(K) when all classes agree."""
    ones, row = np.ones((5, 7)), np.array([[3.0, 4.0]])
    assert ScaledRows(ones, -np.ones(5)).norm_bound() == pytest.approx(np.sqrt(35), rel=1e-13)
    assert ScaledRows(row, [2.0]).norm_bound() == pytest.approx(10, rel=1e-13)
    A = CrammerSinger(row, [1], 3)
    assert np.linalg.norm(crammer_singer_matrix(row, [1], 3), 2) == pytest.approx(A.norm_bound(), rel=1e-13)


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_norm_bound_survives_underflow_and_overflow_of_squares(size, store):
    X = matrix()
    bound = ScaledRows(store(size * X), np.ones(N)).norm_bound()
    assert bound / size >= np.linalg.norm(X, 2)
    assert np.isfinite(bound)


@pytest.mark.filterwarnings("error:overflow")
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_overflowing_norms_are_infinite(store):
    """Without a warning and without NaN: whoever asked must look."""
    A = ScaledRows(store(np.array([[1.5e308, 1.5e308], [3.0, 4.0]])), [1.0, -2.0])
    np.testing.assert_array_equal(A.row_norms(), [np.inf, 10.0])
    assert A.norm_bound() == np.inf


@pytest.mark.parametrize("name", ALL)
def test_rows_rebuild_the_matrix(name):
    for operator, reference in ((ScaledRows(ALL[name], SCALE), matrix()), (Columns(ALL[name]), matrix().T)):
        rows = operator.rows()
        if rows.kind == "csr":
            assert rows.arrays[2].dtype == np.int64
            X = sparse.csr_array(rows.arrays, shape=operator.shape).toarray()
        else:
            (X,) = rows.arrays
        np.testing.assert_array_equal(X, reference)
        assert operator.rows().arrays[0] is rows.arrays[0], "converted once"


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("shape", [(4, 0), (0, 3), (0, 0), (1, 1), (1, 5), (5, 1), (3, 4)])
def test_empty_and_tiny_shapes(store, shape):
    X = store(np.zeros(shape))
    y = np.zeros(shape[0], dtype=int)
    for operator in (
        ScaledRows(X, np.ones(shape[0])),
        Columns(X),
        CrammerSinger(X, y, 1),
        CrammerSinger(X, y, 3),
    ):
        n, d = operator.shape
        np.testing.assert_array_equal(operator.matvec(np.ones(d)), np.zeros(n))
        np.testing.assert_array_equal(operator.rmatvec(np.ones(n)), np.zeros(d))
        np.testing.assert_array_equal(operator.row_norms(), np.zeros(n))
        assert operator.norm_bound() == 0.0


@pytest.mark.parametrize("name", ALL)
def test_wrong_lengths_are_refused(name, pair):
    operator = pair[0](ALL[name])
    n, d = operator.shape
    for product, length in ((operator.matvec, d), (operator.rmatvec, n)):
        for wrong in (np.ones(length - 1), np.ones(length + 1), np.ones((length, 1)), np.ones(())):
            with pytest.raises(ValueError, match="has shape"):
                product(wrong)


def test_bad_arguments_are_named():
    X = matrix()
    with pytest.raises(ValueError, match="scale has shape"):
        ScaledRows(X, np.ones(N + 1))
    with pytest.raises(ValueError, match="scale contains NaN"):
        ScaledRows(X, np.full(N, np.nan))
    with pytest.raises(ValueError, match=r"y_index must lie in \[0, 2\)"):
        CrammerSinger(X, np.full(N, 2), 2)
    with pytest.raises(ValueError, match="y_index must be 23 integers"):
        CrammerSinger(X, np.zeros(N), 2)
    with pytest.raises(ValueError, match="K must be at least 1"):
        CrammerSinger(X, np.zeros(N, dtype=int), 0)
    with pytest.raises(ValueError, match="A contains NaN or infinity"):
        Columns(np.full((2, 2), np.inf))


def test_counting():
    rowwise, plain = Counting(ScaledRows(matrix(), SCALE)), Counting(CrammerSinger(matrix(), Y, K))
    assert isinstance(rowwise, RowOperator) and isinstance(rowwise, Counting)
    assert not isinstance(plain, RowOperator)
    for _ in range(3):
        rowwise.rmatvec(np.ones(N))
    rowwise.matvec(np.ones(D))
    rowwise.row_norms(), rowwise.norm_bound(), rowwise.rows()
    assert (rowwise.matvecs, rowwise.rmatvecs, plain.matvecs) == (1, 3, 0)


def test_storage_is_shared_between_operators():
    storage = check_data(matrix())
    assert check_data(storage) is storage
    assert ScaledRows(storage, SCALE).storage is CrammerSinger(storage, Y, K).storage
