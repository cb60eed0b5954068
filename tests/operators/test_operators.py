"""Every operator on every storage: products, adjoint, norms and the bound, against dense references."""

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import ALL, D, N, matrix

from pragam.operators import (
    Columns,
    Counting,
    LabelRows,
    RowOperator,
    ScaledRows,
    SharedRows,
    check_data,
)
from risk_zoo import CASES, RISKS

rng = np.random.default_rng(3)
SCALE = rng.standard_normal(N)
K = 4
EPS = np.finfo(float).eps
#: Rows that no dual variable reads, that one does, and that several do, in no order.
NUMBER = np.r_[rng.integers(2, N, 2 * N), N - 1, N - 1]
SHARED = rng.standard_normal(NUMBER.size)
#: Rows that three neighbours read each.
NEIGHBOURS = np.repeat(np.arange(N), 3)
THREE = rng.standard_normal(3 * N)
SIGNS = np.sign(rng.standard_normal(N * K))


def label_matrix(X, K, scale):
    """Row (i, k) is scale_ik x_i in block k."""
    return scale[:, None] * np.stack([np.kron(e, x) for x in X for e in np.eye(K)])


# name -> (operator of a stored X, dense reference of the plain X)
OPERATORS = {
    "scaled": (lambda X: ScaledRows(X, SCALE), lambda X: SCALE[:, None] * X),
    "shared": (lambda X: SharedRows(X, NUMBER, SHARED), lambda X: SHARED[:, None] * X[NUMBER]),
    "neighbours": (lambda X: SharedRows(X, NEIGHBOURS, THREE), lambda X: THREE[:, None] * X[NEIGHBOURS]),
    "columns": (Columns, lambda X: X.T),
    "labels": (lambda X: LabelRows(X, K), lambda X: label_matrix(X, K, np.ones(N * K))),
    "labels, signs": (lambda X: LabelRows(X, K, SIGNS), lambda X: label_matrix(X, K, SIGNS)),
    "counting": (lambda X: Counting(ScaledRows(X, SCALE)), lambda X: SCALE[:, None] * X),
}


@pytest.mark.parametrize("name", ALL)
def test_bounded_adjoint_is_the_adjoint_with_its_bound(name):
    for make, _ in OPERATORS.values():
        operator = make(ALL[name])
        alpha = np.random.default_rng(6).standard_normal(operator.shape[0])
        value, error = operator.bounded_rmatvec(alpha)
        np.testing.assert_array_equal(value, operator.rmatvec(alpha))
        assert error == operator.rmatvec_error(alpha)


def test_neighbours_have_the_products_of_dual_variables_in_any_order():
    X, order = matrix(), np.random.default_rng(7).permutation(3 * N)
    neighbours, any_order = SharedRows(X, NEIGHBOURS, THREE), SharedRows(X, NEIGHBOURS[order], THREE[order])
    alpha, w = rng.standard_normal(3 * N), rng.standard_normal(D)
    np.testing.assert_allclose(any_order.rmatvec(alpha[order]), neighbours.rmatvec(alpha), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(any_order.matvec(w), neighbours.matvec(w)[order], rtol=1e-13)
    out = np.zeros((2, D, D))
    any_order.add_outer(np.arange(3 * N), alpha[order], out[0])
    neighbours.add_outer(order, alpha[order], out[1])
    np.testing.assert_allclose(np.triu(out[0]), np.triu(out[1]), rtol=1e-12, atol=1e-12)


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
    """Schur's test is tight on a matrix of ones, Frobenius on a row, the sum of squares on a row that is shared."""
    ones, row = np.ones((5, 7)), np.array([[3.0, 4.0]])
    assert ScaledRows(ones, -np.ones(5)).norm_bound() == pytest.approx(np.sqrt(35), rel=1e-13)
    assert ScaledRows(row, [2.0]).norm_bound() == pytest.approx(10, rel=1e-13)
    assert SharedRows(row, [0, 0, 0], [2.0, -1.0, 2.0]).norm_bound() == pytest.approx(15, rel=1e-13)
    assert LabelRows(ones, 3).norm_bound() == pytest.approx(np.sqrt(35), rel=1e-13)


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_norm_bound_survives_underflow_and_overflow_of_squares(size, store):
    X = matrix()
    bound = ScaledRows(store(size * X), np.ones(N)).norm_bound()
    assert bound / size >= np.linalg.norm(X, 2)
    assert np.isfinite(bound)


@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_norm_bound_survives_underflow_and_overflow_of_squared_scales(scale):
    X = matrix()
    bound = SharedRows(X, NUMBER, scale * SHARED).norm_bound()
    assert np.linalg.norm(SHARED[:, None] * X[NUMBER], 2) <= bound / scale < np.inf


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


@pytest.mark.parametrize("name", ALL)
def test_shared_rows_name_the_rows_they_read(name):
    operator = SharedRows(ALL[name], NUMBER, SHARED)
    rows, own = operator.rows(), ScaledRows(operator.storage, SCALE).rows()
    assert all(a is b for a, b in zip(rows.arrays, own.arrays, strict=True)) and rows.kind == own.kind
    np.testing.assert_array_equal(rows.number, NUMBER)
    np.testing.assert_array_equal(operator.number, NUMBER)
    np.testing.assert_array_equal(rows.scale, SHARED)
    np.testing.assert_array_equal(Counting(operator).number, NUMBER)
    assert own.number is None and ScaledRows(operator.storage, SCALE).number is None


@pytest.mark.parametrize("name", ALL)
def test_some_rows_their_products_and_their_outer_products(name):
    """``take``, ``gram`` and ``add_outer``, where a row occurs twice, and weights of both signs."""
    draw = np.random.default_rng(6)
    for operator, A in (
        (ScaledRows(ALL[name], SCALE), SCALE[:, None] * matrix()),
        (SharedRows(ALL[name], NUMBER, SHARED), SHARED[:, None] * matrix()[NUMBER]),
    ):
        some = draw.integers(0, len(A), 9)
        part, w = operator.take(some), draw.standard_normal(A.shape[1])
        np.testing.assert_allclose(part.matvec(w), A[some] @ w, rtol=0, atol=1e-13 * np.linalg.norm(A) ** 2)
        np.testing.assert_allclose(part.gram(), A[some] @ A[some].T, rtol=0, atol=1e-13 * np.linalg.norm(A) ** 2)
        weights, out = draw.standard_normal(9), np.ones((D, D))
        operator.add_outer(some, weights, out)
        expected = 1 + (A[some].T * weights) @ A[some]
        np.testing.assert_allclose(np.triu(out), np.triu(expected), rtol=0, atol=1e-13 * np.linalg.norm(A) ** 2)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("K", [1, 3])
def test_adjoints_of_groups(name, K):
    """Row k is A' of alpha without the other groups; the last group may be empty."""
    draw = np.random.default_rng(7)
    for operator, A in (
        (ScaledRows(ALL[name], SCALE), SCALE[:, None] * matrix()),
        (SharedRows(ALL[name], NUMBER, SHARED), SHARED[:, None] * matrix()[NUMBER]),
    ):
        group, alpha = (
            draw.integers(0, max(K - 1, 1), len(A)),
            draw.standard_normal(len(A)) * (draw.random(len(A)) < 0.7),
        )
        expected = np.array([A.T @ (alpha * (group == k)) for k in range(K)])
        for each in (operator, Counting(operator)):
            found = each.adjoints(alpha, group, K)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.linalg.norm(A) ** 2)


def test_only_data_rows_that_are_read_are_copied():
    part = SharedRows(matrix(), NUMBER, SHARED).take(np.flatnonzero(NUMBER >= N - 2))
    assert part.storage.shape[0] == len(set(NUMBER[NUMBER >= N - 2].tolist())) < part.shape[0]


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("shape", [(4, 0), (0, 3), (0, 0), (1, 1), (1, 5), (5, 1), (3, 4)])
def test_empty_and_tiny_shapes(store, shape):
    X = store(np.zeros(shape))
    for operator in (
        ScaledRows(X, np.ones(shape[0])),
        Columns(X),
        SharedRows(X, np.repeat(np.arange(shape[0]), 2), np.ones(2 * shape[0])),
        SharedRows(X, np.empty(0, int), np.empty(0)),
        LabelRows(X, 3),
        LabelRows(X, 1),
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
    with pytest.raises(ValueError, match="scale has shape"):
        SharedRows(X, NUMBER, np.ones(N))
    with pytest.raises(ValueError, match=r"number must lie in \[0, 23\)"):
        SharedRows(X, NUMBER + 1, SHARED)
    with pytest.raises(ValueError, match=r"number must lie in \[0, 23\)"):
        SharedRows(X, NUMBER - 3, SHARED)
    with pytest.raises(ValueError, match="number must be a vector of integers"):
        SharedRows(X, NUMBER * 1.0, SHARED)
    with pytest.raises(ValueError, match="scale has shape"):
        LabelRows(X, K, np.ones(N))
    with pytest.raises(ValueError, match=r"scale must hold \+1 and -1"):
        LabelRows(X, K, 2 * SIGNS)
    with pytest.raises(ValueError, match="K must be at least 1"):
        LabelRows(X, 0)
    with pytest.raises(ValueError, match="A contains NaN or infinity"):
        Columns(np.full((2, 2), np.inf))


def test_counting():
    rowwise, plain = Counting(ScaledRows(matrix(), SCALE)), Counting(LabelRows(matrix(), K))
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
    assert ScaledRows(storage, SCALE).storage is LabelRows(storage, K).storage


@pytest.mark.parametrize(("name", "bias"), CASES, ids=str)
def test_the_weights_of_the_rows_make_the_adjoint(name, bias):
    """A' alpha = beta X for every risk on the rows of X, with one row of beta for each row of weights."""
    for seed in range(5):
        draws = np.random.default_rng(seed)
        problem = RISKS[name](draws, bias, weighted=True).problem
        A = problem.A
        alpha = draws.standard_normal(A.shape[0])
        X = np.stack([A.storage.matvec(e) for e in np.eye(A.storage.shape[1])], axis=1)
        beta = A.row_weights(alpha)
        assert beta.shape == (problem.n_weights // X.shape[1], X.shape[0])
        size = np.abs(beta) @ np.abs(X) + np.abs(A.rmatvec(alpha)).reshape(beta.shape[0], -1)
        off = np.abs(beta @ X - A.rmatvec(alpha).reshape(beta.shape[0], -1))
        assert (off <= 4 * sum(X.shape) * EPS * (size + 1)).all()
        with pytest.raises(ValueError, match="alpha has shape"):
            A.row_weights(alpha[1:])
