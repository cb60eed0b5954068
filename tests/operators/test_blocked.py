"""Data in blocks: the products of the whole, one reading for several of them, and rounding that is bounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import IN_PLACE, D, N, matrix

import pragam
from pragam.operators import ScaledRows, SharedRows, check_data
from pragam.operators.storage import ColumnMap, InMemory, Room, Standardized
from pragam.runtime.threads import using

CUTS = [0, 1, 7, 7, 15, N]
STORES = {"dense": np.asarray, "csr": sparse.csr_array}
KINDS = [name for name in IN_PLACE if not name.startswith("csc")]


def blocked(X, cuts=CUTS):
    return InMemory([check_data(X[a:b]) for a, b in pairwise(cuts)])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.fixture(params=KINDS, name="B")
def zoo(request):
    return blocked(IN_PLACE[request.param])


def test_it_is_the_matrix(B):
    X, rng = matrix(), np.random.default_rng(0)
    w, alpha, W, V = (rng.standard_normal(shape) for shape in (D, N, (3, D), (N, 3)))
    scale, out, some = rng.standard_normal(N), rng.standard_normal((D, 3)), np.array([22, 0, 8, 7, 8])
    after = out + X.T @ V
    B.add_rmatmat(V, out)
    assert B.shape == X.shape and B.rigorous
    close(B.matvec(w), X @ w)
    close(B.matvec(w, scale), scale * (X @ w))
    close(B.rmatvec(alpha), X.T @ alpha)
    close(B.rmatvec(alpha, scale), X.T @ (scale * alpha))
    close(B.matvecs(W), W @ X.T)
    close(B.rmatvecs(np.ascontiguousarray(V.T)), V.T @ X)
    close(B.matmat(W), X @ W.T)
    close(B.rmatmat(V), V.T @ X)
    close(out, after)
    close(B.take(some).matvec(w), X[some] @ w)
    close(B.take(np.arange(3, 9)).matvec(w), X[3:9] @ w)
    close(B.part(2, 17).matvec(w), X[2:17] @ w)
    close(B.part(7, 15).rmatvec(alpha[7:15]), X[7:15].T @ alpha[7:15])
    close(np.concatenate([part.matvec(w) for part in B.parts()]), X @ w)
    close(sum(B.twofold_matvec(w)[:2]), X @ w)
    close(B.twofold_rmatvec(alpha)[0], X.T @ alpha)
    close(B.running_rmatvec(alpha)[0], X.T @ alpha)
    close(B.row_norms2, (X**2).sum(axis=1))
    assert (B.abs_sums()[0] >= np.abs(X).sum(axis=1) - 1e-12).all()
    assert (B.abs_sums()[1] >= np.abs(X).sum(axis=0) - 1e-12).all()
    assert B.norm_bound >= np.linalg.norm(X, 2)


@pytest.mark.parametrize("store", STORES)
def test_bits_do_not_depend_on_threads(store):
    B, rng = blocked(STORES[store](np.random.default_rng(1).standard_normal((900, 400))), range(0, 901, 100)), None
    rng = np.random.default_rng(0)
    for _ in range(3):
        w, alpha = rng.standard_normal(400), rng.standard_normal(900)
        found = []
        for count in (1, 2, 3):
            with using(count):
                fresh = InMemory([B.load(k) for k in range(B.n_blocks)])
                found.append((fresh.matvec(w).tobytes(), fresh.rmatvec(alpha).tobytes()))
        assert len(set(found)) == 1


@pytest.mark.parametrize("store", STORES)
def test_one_reading_makes_both_products_to_the_bit(store):
    X, rng = STORES[store](matrix()), np.random.default_rng(0)
    w, alpha = rng.standard_normal(D), rng.standard_normal(N)
    plain, B = blocked(X), blocked(X)
    wanted = plain.matvec(w), plain.rmatvec(alpha)
    seen = []

    def visit(met):
        seen.append((met.rows, met.product))
        return alpha[met.rows]

    B.reading(visit, w)
    assert B.readings == 1.0 and plain.readings == 2.0
    np.testing.assert_array_equal(np.concatenate([product for _, product in seen]), wanted[0])
    np.testing.assert_array_equal(B.matvec(w), wanted[0])
    np.testing.assert_array_equal(B.rmatvec(alpha), wanted[1])
    assert B.readings == 1.0, "both were at hand"
    alpha[3] = np.nextafter(alpha[3], 2.0)
    B.rmatvec(alpha)
    assert B.readings == 2.0, "another vector, even by one bit, is read for"


def test_what_is_remembered_cannot_be_changed_from_outside():
    B, w = blocked(matrix()), np.ones(D)
    first = B.matvec(w)
    expected = first.copy()
    first[:] = 0.0
    np.testing.assert_array_equal(B.matvec(w), expected)
    w[0] = 2.0
    close(B.matvec(w), matrix() @ w)
    close(B.matvec(np.ones(D)), expected)


@pytest.mark.parametrize("store", STORES)
def test_windows_are_blocks_in_any_order(store):
    X, rng = STORES[store](matrix()), np.random.default_rng(0)
    B, w, alpha, rows = blocked(X), rng.standard_normal(D), rng.standard_normal(N), []

    def visit(met):
        rows.append(met.rows)
        np.testing.assert_allclose(met.X.matvec(w), matrix()[met.rows] @ w, atol=1e-12)
        return alpha[met.rows]

    B.reading(visit, w, windows=[[4, 0], [2], [3, 1]])
    assert [(at.start, at.stop) for at in rows] == [(B.ends[k], B.ends[k + 1]) for k in (4, 0, 2, 3, 1)]
    assert B.readings == 1.0
    close(B.matvec(w), matrix() @ w)
    close(B.rmatvec(alpha), matrix().T @ alpha)
    assert B.readings == 1.0


@pytest.mark.parametrize("windows", [[[4, 0], [2], [3]], [[4, 0], [2], [3, 1], [2]], []])
def test_windows_that_lack_or_repeat_a_block_give_no_product(windows):
    B, alpha = blocked(matrix()), np.random.default_rng(0).standard_normal(N)
    with pytest.raises(ValueError, match="windows must hold each of 5 blocks once"):
        B.reading(lambda met: alpha[met.rows], np.ones(D), windows=windows)
    close(B.matvec(np.ones(D)), matrix() @ np.ones(D))
    close(B.rmatvec(alpha), matrix().T @ alpha)


@pytest.mark.parametrize("columns", [None, ColumnMap(np.full(D, 2.0))])
@pytest.mark.parametrize("store", STORES)
def test_rows_that_are_kept_complete_what_a_reading_has_gathered(store, columns):
    """X' a for every a that differs in those rows alone, and in very few others that were zero, without a reading."""
    rng, rows = np.random.default_rng(0), np.array([1, 8, 9, 20])
    raw = blocked(STORES[store](matrix()))
    B = raw if columns is None else Standardized(raw, columns)
    Z = matrix() if columns is None else matrix() * 2.0
    alpha = rng.standard_normal(N)
    alpha[[0, 3]] = 0.0

    def visit(met):
        met.keep(np.flatnonzero(np.isin(np.arange(met.rows.start, met.rows.stop), rows)))
        return alpha[met.rows]  # of the rows kept too, which is not gathered

    held = B.reading(visit, np.ones(D), room=Room(6, 6 * D))
    np.testing.assert_array_equal(held.rows, rows)
    close(held.X.matvec(np.ones(D)), Z[rows] @ np.ones(D))
    before = raw.readings
    for _ in range(2):
        alpha[rows] = rng.standard_normal(len(rows))
        close(B.rmatvec(alpha), Z.T @ alpha)
    assert raw.readings == before
    alpha[3] = 0.5
    close(B.rmatvec(alpha), Z.T @ alpha)
    assert raw.readings < before + 1, "one block"
    alpha[5] += 1.0
    close(B.rmatvec(alpha), Z.T @ alpha)
    assert raw.readings >= before + 1, "it was gathered with another coefficient"


def test_rows_that_are_kept_cannot_be_written_to():
    B = blocked(matrix())
    held = B.reading(lambda met: met.keep(np.arange(met.X.shape[0])), room=Room(N, N * D))
    for array in (held.rows, *held.X.rows()[1]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([2, 1], "must go up"),
        ([1, 1], "must go up"),  # a row would be counted twice
        ([-1], "must go up"),
        ([0, 6], "must go up from 0 to less than 6"),
        ([0, 1, 2], "there is room for 2 rows"),
    ],
)
def test_places_that_are_none_of_a_block_are_refused(places, words):
    B, alpha = blocked(matrix()), np.random.default_rng(0).standard_normal(N)

    def visit(met):
        if met.rows.start == 1:
            met.keep(np.array(places))
        return alpha[met.rows]

    with pytest.raises(ValueError, match=words):
        B.reading(visit, room=Room(2, 100))
    close(B.rmatvec(alpha), matrix().T @ alpha)


def test_what_a_visitor_has_answered_cannot_be_changed_afterwards():
    B, alpha, answers = blocked(matrix()), np.random.default_rng(0).standard_normal(N), []

    def visit(met):
        answers.append(alpha[met.rows].copy())
        return answers[-1]

    B.reading(visit, np.ones(D))
    for answer in answers:
        answer += 1.0
    close(B.rmatvec(alpha + 1.0), matrix().T @ (alpha + 1.0))
    close(B.rmatvec(alpha), matrix().T @ alpha)


def test_a_visitor_that_says_nothing_gathers_nothing():
    B = blocked(matrix())
    B.reading(lambda met: None)
    assert B.readings == 1.0
    close(B.rmatvec(np.ones(N)), matrix().sum(axis=0))
    assert B.readings == 2.0


@pytest.mark.parametrize("columns", [None, ColumnMap(np.full(D, 2.0)), ColumnMap(np.full(D, 2.0), np.full(D, 0.5))])
def test_operators_share_a_reading(columns):
    X, rng = matrix(), np.random.default_rng(0)
    Z = X if columns is None else (X - (0.0 if columns.mean is None else 0.5)) * 2.0
    number = np.repeat(np.arange(N), 2)
    for make, m, rows in (
        (lambda S: ScaledRows(S, np.where(np.arange(N) % 2, 1.0, -1.0)), N, np.arange(N)),
        (lambda S: SharedRows(S, number, np.tile([-1.0, 1.0], N)), 2 * N, number),
    ):
        B = blocked(X)
        A = make(B if columns is None else Standardized(B, columns))
        w, alpha = rng.standard_normal(D), rng.standard_normal(m)

        def visit(met, A=A, alpha=alpha, w=w, rows=rows):
            close(met.scores, A.scale[met.duals] * (Z @ w)[rows[met.duals]])
            np.testing.assert_allclose(met.A.matvec(w), met.scores, atol=1e-11)
            return alpha[met.duals]

        for windows in (None, [[4, 0], [2], [3, 1]]):
            before = B.readings
            A.reading(visit, w, windows)
            close(A.matvec(w), A.scale * (Z @ w)[rows])
            np.testing.assert_allclose(A.rmatvec(alpha), Z.T @ np.bincount(rows, A.scale * alpha, N), atol=1e-11)
            assert B.readings == pytest.approx(before + 1)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e150])
def test_its_rounding_is_bounded_in_rational_arithmetic(store, size):
    rng = np.random.default_rng(3)
    X, alpha, w = size * rng.standard_normal((40, 5)), rng.standard_normal(40), rng.standard_normal(5)
    A = ScaledRows(blocked(STORES[store](X), [0, 3, 4, 20, 40]), rng.choice([-1.0, 1.0], 40))
    scale = [Fraction(s) for s in A.scale.tolist()]
    rows = [[s * Fraction(x) for x in row] for s, row in zip(scale, X.tolist(), strict=True)]
    scores = [sum(a * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in rows]
    sums = [sum(row[j] * Fraction(a) for row, a in zip(rows, alpha.tolist(), strict=True)) for j in range(5)]
    high, low, error = A.sharp_matvec(w)
    for value, tail, bounds in ((A.matvec(w), np.zeros(40), A.matvec_error(w)), (high, low, error)):
        off = [
            abs(Fraction(v) + Fraction(t) - s) for v, t, s in zip(value.tolist(), tail.tolist(), scores, strict=True)
        ]
        assert all(a <= Fraction(b) for a, b in zip(off, bounds.tolist(), strict=True))
    for value, bound in (
        (A.rmatvec(alpha), A.rmatvec_error(alpha)), A.running_rmatvec(alpha), A.sharp_rmatvec(alpha)
    ):  # fmt: skip
        assert sum((Fraction(x) - y) ** 2 for x, y in zip(value.tolist(), sums, strict=True)) <= Fraction(bound) ** 2


@pytest.mark.parametrize("solver", ["auto", "pragam", "qp-bmrm", "ls-bmrm", "pegasos-n"])
@pytest.mark.parametrize("bias", [True, False])
def test_solvers_that_need_products_alone_run_as_in_memory(solver, bias):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 4)), rng.choice([-1, 1], 120)
    B = blocked(X, range(0, 121, 30))
    tol = 0.2 if solver == "pegasos-n" else 1e-4
    here, there = pragam.hinge(X, y, 0.1, bias=bias), pragam.hinge(B, y, 0.1, bias=bias)
    found = pragam.solve(there, solver, tol=tol)
    assert found.converged and found.certificate.rigorous
    exact = pragam.solve(here, tol=1e-9).certificate
    assert found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal


def test_blocks_of_other_widths_are_refused():
    with pytest.raises(ValueError, match=r"columns in the same number, not \[2, 3\]"):
        InMemory([check_data(np.ones((2, 3))), check_data(np.ones((2, 2)))])
