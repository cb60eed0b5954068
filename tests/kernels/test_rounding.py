"""The sums behind a certificate: within their stated errors, judged by Fractions, and equal to their twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins
from pragam.numerics.rounding import LANES, U, dot, gamma, norm, sharp_dot, total, two_product, two_sum, upward
from pragam.operators import check_data
from pragam.polytopes import Box, BoxPlane, Simplices

FLOATS = st.floats(-1e100, 1e100, allow_subnormal=True)
KERNELS = [*([_kernels.get] if _kernels.compiled else []), lambda name: getattr(twins, name)]


def exact(x):
    return [Fraction(float(v)) for v in x]


def exact_dot(x, y):
    return sum((a * b for a, b in zip(exact(x), exact(y), strict=True)), Fraction(0))


def spread(rng, n, wide=30):
    """Numbers of very different sizes."""
    return rng.standard_normal(n) * 10.0 ** rng.uniform(-wide, wide, n)


@pytest.mark.parametrize("n", [0, 1, 63, 65, 1025, 5000])
def test_dots_and_totals_are_within_their_bounds(n):
    for seed in range(5):
        rng = np.random.default_rng([n, seed])
        x, y = spread(rng, n), spread(rng, n)
        true = exact_dot(x, y)
        for value, error in (dot(x, y), sharp_dot(x, y)):
            assert abs(Fraction(value) - true) <= Fraction(error)
        value, error = total(x, 0.25)
        assert abs(Fraction(value) - sum(exact(x), Fraction(1, 4))) <= Fraction(error)
        assert sharp_dot(x, y)[1] <= dot(x, y)[1] or n < 2


@pytest.mark.parametrize("x", [[np.inf, -np.inf], [1e308, 1e308, -1e308], [np.inf, 1.0]])
def test_a_sum_that_overflows_has_no_bound(x):
    """Infinities of both signs, and sums that overflow on the way: no exception, and nothing is claimed."""
    assert total(np.array(x)) == (np.inf, np.inf)


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_norms_of_every_scale(scale):
    x = np.random.default_rng(0).uniform(0.5, 1.0, 3000) * scale
    square = exact_dot(x, x)
    assert abs(Fraction(norm(x)) ** 2 - square) <= square * Fraction(gamma(2 * LANES)) + Fraction(2) ** -2100
    assert norm(np.zeros(3)) == 0 and norm(np.empty(0)) == 0


@settings(max_examples=300, deadline=None)
@given(FLOATS, FLOATS)
def test_sums_and_products_are_split_without_loss(x, y):
    s, e = two_sum(x, y)
    assert Fraction(s) + Fraction(e) == Fraction(x) + Fraction(y)
    p, e = two_product(x, y)
    true = Fraction(x) * Fraction(y)
    lost = Fraction(p) + Fraction(e) - true
    assert lost == 0 or abs(true) < Fraction(2) ** -960
    assert Fraction(upward(x, y)) >= Fraction(x) + Fraction(y)


def storages(rng, n=30, d=12):
    X = np.where(rng.random((n, d)) < 0.7, spread(rng, n * d, 8).reshape(n, d), 0.0)
    X[3] = 0.0
    duplicated = sparse.csr_array(X)
    rows = np.repeat(np.arange(n), np.diff(duplicated.indptr))
    for row, column, value in ((0, 1, 1e16), (0, 1, -1e16), (5, 2, 3.0)):
        at = int(np.searchsorted(rows, row, side="right"))
        rows = np.insert(rows, at, row)
        indices, data = np.insert(duplicated.indices, at, column), np.insert(duplicated.data, at, value)
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        duplicated = sparse.csr_array((data, indices, ends), shape=(n, d))
    single = X.astype(np.float32)
    yield from (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], single, sparse.csr_array(X))
    yield from (sparse.csc_array(single), duplicated, sparse.csc_array(X))


def entries(X):
    """Rows of (column, value) of every stored entry, repeated ones apart."""
    if not sparse.issparse(X):
        return [list(enumerate(exact(row))) for row in X]
    rows = [[] for _ in range(X.shape[0])]
    outer, inner = (0, 1) if X.format == "csr" else (1, 0)
    for k in range(X.shape[outer]):
        for p in range(X.indptr[k], X.indptr[k + 1]):
            at = (k, int(X.indices[p]))
            rows[at[outer]].append((at[inner], Fraction(float(X.data[p]))))
    return rows


def test_products_of_every_storage_are_within_their_bounds():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        for X in storages(rng):
            S, rows = check_data(X), entries(X)
            w, alpha = spread(rng, S.shape[1], 8), spread(rng, S.shape[0], 8)
            weights, duals = exact(w), exact(alpha)
            true = [sum((v * weights[j] for j, v in row), Fraction(0)) for row in rows]
            plain, error = S.matvec(w), S.product_error(w)
            high, low, sharp_error = S.twofold_matvec(w)
            for i, value in enumerate(true):
                assert abs(Fraction(plain[i]) - value) <= Fraction(error[i]), f"seed {seed}"
                assert abs(Fraction(high[i]) + Fraction(low[i]) - value) <= Fraction(sharp_error[i]), f"seed {seed}"
                assert sharp_error[i] <= 1e-14 * error[i] + 1e-290, f"seed {seed}"
            adjoint = [Fraction(0)] * S.shape[1]
            for a, row in zip(duals, rows, strict=True):
                for j, v in row:
                    adjoint[j] += a * v
            sharp, sharp_norm = S.twofold_rmatvec(alpha)
            for value, bound in (
                (S.rmatvec(alpha), S.adjoint_error(alpha)), S.running_rmatvec(alpha), (sharp, sharp_norm),
            ):  # fmt: skip
                off = sum(((Fraction(v) - t) ** 2 for v, t in zip(value, adjoint, strict=True)), Fraction(0))
                assert off <= Fraction(bound) ** 2, f"seed {seed}"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kappa", [0.0, 0.5])
def test_a_support_bound_holds_for_all_scores_within_the_slack(kernel, kappa):
    rng = np.random.default_rng(1)
    n = 400
    lower, upper = -rng.random(n) * (rng.random(n) < 0.6), rng.random(n)
    sigma, b = rng.choice([-1.0, 1.0, 0.3], n), 0.7
    s, slack = rng.standard_normal(n), 10.0 ** rng.uniform(-17, -1, n)
    bound, nominal, size = kernel("box_plane_support_bound")(s, slack, lower, upper, sigma, b, np.full(1, kappa))
    for sign in (rng.choice([-1, 1], n), np.ones(n), -np.ones(n), np.zeros(n)):
        true = Fraction(0)
        for r, low, high in zip(
            (Fraction(x) + Fraction(d) * int(k) - Fraction(b) * Fraction(g)
             for x, d, k, g in zip(s, slack, sign, sigma, strict=True)), exact(lower), exact(upper), strict=True,
        ):  # fmt: skip
            points = [low, high]
            if kappa:
                points.append(min(max(r / Fraction(kappa), low), high))
            true += max(a * r - Fraction(kappa) / 2 * a * a for a in points)
        assert Fraction(bound) + Fraction(gamma(LANES) * size) >= true
        if not sign.any():
            assert abs(Fraction(nominal) - true) <= Fraction(gamma(LANES) * size)


def test_an_unbounded_side_is_infinite_as_soon_as_a_score_may_have_its_sign():
    up, down = Box([0.0], [np.inf]), Box([-np.inf], [0.0])
    for Q, sign in ((up, 1.0), (down, -1.0)):
        assert Q.support_bound(np.array([-sign]), np.array([0.5]))[0] < 1e-300
        assert Q.support_bound(np.array([-sign]), np.array([1.5]))[0] == np.inf
        assert Q.support_bound(np.array([sign]), np.array([0.0]), 2.0)[0] == pytest.approx(0.25)


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
@pytest.mark.parametrize("n", [0, 1, 64, 1023, 3000])
def test_compiled_sums_equal_their_twins(n):
    rng = np.random.default_rng(n)
    x, y, slack = rng.standard_normal(n), rng.standard_normal(n), 1e-3 * rng.random(n)
    lower = rng.choice([-np.inf, -1.0, 0.0], n)
    upper = rng.choice([0.0, 0.5, np.inf], n)
    arguments = {
        "dot_and_size": [(x, y)],
        "box_plane_support_bound": [(x, slack, lower, upper, y, 0.3, np.full(1, kappa)) for kappa in (0.0, 0.5)],
    }
    for name, calls in arguments.items():
        for call in calls:
            mine, theirs = _kernels.get(name)(*call), getattr(twins, name)(*call)
            np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-13)


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.data())
def test_dense_twofold_matvec_equals_its_twin(seed, dtype, data):
    rng = np.random.default_rng(seed)
    n, d = data.draw(st.integers(0, 600)), data.draw(st.integers(0, 12))
    X = rng.standard_normal((2 * n, 2 * d)).astype(dtype)
    X = X.T.copy().T if data.draw(st.booleans()) else X
    X = X[:: data.draw(st.sampled_from([1, 2, -1]))][:n, :d]
    w = rng.standard_normal(d)
    mine, theirs = np.full((3, n), np.nan), np.full((3, n), np.nan)
    _kernels.get("dense_twofold_matvec")(X, w, *mine)
    twins.dense_twofold_matvec(X, w, *theirs)
    np.testing.assert_allclose(mine[0], theirs[0], rtol=4 * U, atol=0)
    np.testing.assert_allclose(mine[0] + mine[1], theirs[0] + theirs[1], rtol=4 * U, atol=0)
    np.testing.assert_allclose(mine[2], theirs[2], rtol=1e-14)


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.data())
def test_dense_running_matvec_equals_its_twin(seed, dtype, data):
    """To the bit, since the order of summation is the same."""
    rng = np.random.default_rng(seed)
    n, d = data.draw(st.integers(0, 1200)), data.draw(st.integers(0, 12))
    X = rng.standard_normal((2 * n, 2 * d)).astype(dtype) * (rng.random((2 * n, 2 * d)) < 0.8)
    X = X.T.copy().T if data.draw(st.booleans()) else X
    X = X[:: data.draw(st.sampled_from([1, 2, -1]))][:n, :d]
    w = rng.standard_normal(d) * (rng.random(d) < 0.8)
    mine, theirs = np.full((2, n), np.nan), np.full((2, n), np.nan)
    _kernels.get("dense_running_matvec")(X, w, *mine)
    twins.dense_running_matvec(X, w, *theirs)
    np.testing.assert_array_equal(mine[0], theirs[0])
    np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-14)


def planes(rng, n=600):
    upper = rng.random(n) * 10.0 ** rng.uniform(-8, 0, n)
    yield BoxPlane(np.zeros(n), upper, rng.choice([-1.0, 1.0], n))
    yield BoxPlane(-upper, upper, rng.choice([-1.0, 1.0, 0.25, 0.0], n), z=0.1 * upper.sum())
    yield BoxPlane([0.0, 0.0], [1e10, 1.0], [1.0, -1.0])
    yield BoxPlane(np.zeros(3), [0.1, 0.2, 0.3], [1.0, 1.0, 1.0], z=0.1 + 0.2 + 0.3)


def test_a_repaired_point_is_exactly_feasible():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        for Q in planes(rng):
            for size in (0.0, 1e-12, 1e-7):
                off = size * rng.standard_normal(Q.size) * Q.upper.max() / Q.size
                point, rows, slack, feasible, _ = Q.repair(Q.sample(rng) + off)
                if not feasible:  # only where no point of the box lies on the plane
                    top = sum((abs(a * b) for a, b in zip(exact(Q.sigma), exact(Q.upper), strict=True)), Fraction(0))
                    assert Fraction(Q.z) >= top, f"seed {seed}"
                    continue
                residual = exact_dot(Q.sigma, point) - Fraction(Q.z)
                move = -residual / Fraction(Q.sigma[rows[0]]) if rows.size else Fraction(0)
                real = exact(point)
                if rows.size:
                    assert abs(move) <= Fraction(slack[0]), f"seed {seed}"
                    real[rows[0]] += move
                inside = all(
                    low <= a <= high for low, a, high in zip(exact(Q.lower), real, exact(Q.upper), strict=True)
                )
                assert inside and (rows.size or residual == 0), f"seed {seed}"
                assert slack.sum() <= 1e-18 * Q.upper.max(), f"seed {seed}"


@pytest.mark.parametrize(("n", "K"), [(40, 3), (2, 700), (5, 1)])
def test_repaired_simplices_are_exactly_feasible(n, K):
    rng = np.random.default_rng(0)
    Q = Simplices(rng.random(n) * (rng.random(n) < 0.9), K)
    point, rows, slack, feasible, _ = Q.repair(Q.sample(rng) + 1e-9 * rng.standard_normal(n * K) / K)
    assert feasible
    allowed = np.zeros(n * K)
    allowed[rows] = slack
    near, allowed = exact(point), exact(allowed)
    for i, mass in enumerate(exact(Q.totals)):
        block = range(i * K, (i + 1) * K)
        total_mass = sum(near[j] for j in block)
        real = [near[j] * mass / total_mass if mass else Fraction(0) for j in block]
        assert all(abs(a - near[j]) <= allowed[j] for a, j in zip(real, block, strict=True))
    assert min(near) >= 0 and (slack <= 4 * (K + 2) * U * Q.totals.max()).all()


def test_simplices_bound_all_scores_within_the_slack():
    rng = np.random.default_rng(0)
    Q = Simplices(rng.random(30), 4)
    s, slack = rng.standard_normal(120), 10.0 ** rng.uniform(-17, -1, 120)
    for kappa in (0.0, 0.5):
        bound, _ = Q.support_bound(s, slack, kappa)
        for t in (s, s + slack, s + slack * rng.choice([-1, 1], 120)):
            for alpha in (Q.project(t / kappa) if kappa else Q.maximise_linear(t), Q.sample(rng)):
                value = exact_dot(alpha, t) - Fraction(kappa) / 2 * exact_dot(alpha, alpha)
                excess = max(abs(sum(exact(row)) - Fraction(m)) for row, m in zip(alpha.reshape(-1, 4), Q.totals))  # noqa: B905
                assert Fraction(bound) >= value - excess * 4 * 30
