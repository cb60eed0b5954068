"""What must not change the optimum of any risk, or change it in a known way: order, scale, multiplicity, storage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from risk_zoo import _smoothed

KINDS = {
    "squared hinge": ("sign", lambda X, y, lam, **kw: pragam.squared_hinge(X, y, lam, **kw)),
    "smoothed hinge": ("sign", lambda X, y, lam, **kw: pragam.smoothed_hinge(X, y, lam, gamma=0.3, **kw)),
    "epsilon-insensitive": ("number", lambda X, y, lam, **kw: pragam.epsilon_insensitive(X, y, lam, epsilon=0.5, **kw)),
    "quantile": ("number", lambda X, y, lam, **kw: pragam.quantile(X, y, lam, q=0.3, **kw)),
    "ordinal, all": ("level", lambda X, y, lam, **kw: pragam.ordinal_hinge(X, y, lam, **kw)),
    "ordinal, immediate": ("level", lambda X, y, lam, **kw: pragam.ordinal_hinge(X, y, lam, "immediate", **kw)),
    "multiclass": ("level", lambda X, y, lam, **kw: pragam.multiclass_hinge(X, y, lam, **kw)),
    "multilabel": ("set", lambda X, y, lam, **kw: pragam.multilabel_hinge(X, y, lam, **kw)),
}


def labels(kind, score, rng):
    if kind == "number":
        return 5 + score
    if kind == "sign":
        return np.where(score > np.median(score), 1, -1)
    level = np.digitize(score, np.quantile(score, [0.3, 0.6]))
    return level if kind == "level" else (np.arange(3) == level[:, None]) | (rng.random((len(score), 3)) < 0.2)


@pytest.fixture(params=[(name, seed) for name in KINDS for seed in range(2)], ids=str)
def run(request):
    """(builder, X, y, lam, weights, solution)."""
    name, seed = request.param
    kind, build = KINDS[name]
    rng = np.random.default_rng([seed, *map(ord, name)])
    X = rng.standard_normal((25, 4)) + rng.choice([0.0, 2.0])
    y = labels(kind, X @ rng.standard_normal(4) + rng.standard_normal(25), rng)
    weight = rng.integers(1, 4, 25) * 0.5
    lam = float(10 ** rng.uniform(-2, 0))
    return build, X, y, lam, weight, solve(build, X, y, lam, weight)


def solve(build, X, y, lam, weight):
    result = pragam.solve(build(X, y, lam, sample_weight=weight), tol=1e-9, max_seconds=30)
    assert result.converged and result.certificate.rigorous
    return result.certificate.primal


def same(first, second, factor=1.0):
    return second == pytest.approx(factor * first, rel=2e-9, abs=1e-14)


def test_order_of_rows_and_columns(run):
    build, X, y, lam, weight, base = run
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(25), rng.permutation(4)
    assert same(base, solve(build, X[rows], y[rows], lam, weight[rows]))
    assert same(base, solve(build, np.ascontiguousarray(X[:, columns]), y, lam, weight))


def test_scaling_x_by_s_and_lam_by_its_square(run):
    build, X, y, lam, weight, base = run
    for s in (1e-2, 2.0**12):
        assert same(base, solve(build, s * X, y, s * s * lam, weight))


def test_scaling_all_weights_is_scaling_lam(run):
    build, X, y, lam, weight, base = run
    assert same(base, solve(build, X, y, 3 * lam, 3 * weight), factor=3.0)


def test_duplicated_rows_are_doubled_weights(run):
    build, X, y, lam, weight, _ = run
    twice = np.r_[np.arange(25), np.arange(8)]
    doubled = np.r_[2 * weight[:8], weight[8:]]
    assert same(solve(build, X, y, lam, doubled), solve(build, X[twice], y[twice], lam, weight[twice] * 33 / 25))


def test_a_row_of_weight_zero_is_no_row(run):
    build, X, y, lam, weight, base = run
    more = np.r_[np.arange(25), [3, 7, 11]]
    noisy = np.vstack([X, 100 * np.ones((3, 4))])
    assert same(base, solve(build, noisy, y[more], lam, np.r_[weight, 0, 0, 0] * 28 / 25))


def test_storage_does_not_matter(run):
    build, X, y, lam, weight, base = run
    for stored in (sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X), X[::-1][::-1]):
        assert same(base, solve(build, stored, y, lam, weight))


def test_narrow_smoothing_is_the_hinge():
    """h(s) is within gamma/2 of [s]_+."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), np.where(rng.random(30) < 0.5, 1, -1)
    plain = pragam.solve(pragam.hinge(X, y, 0.1), tol=1e-9).certificate.primal
    for gamma in (1e-1, 1e-3):
        near = pragam.solve(pragam.smoothed_hinge(X, y, 0.1, gamma=gamma), tol=1e-9).certificate.primal
        assert plain - gamma / 2 - 1e-8 <= near <= plain + 1e-8
    assert _smoothed(np.array([5.0]), 1.0) == 4.5


def test_two_classes_and_two_labels_are_the_hinge_of_their_difference():
    """With w_0 = -w_1 = -v/2 the regulariser is lam/4 |v|^2: a hinge with half the lam."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    plain = pragam.solve(pragam.hinge(X, y, 0.1, bias=False), tol=1e-9).certificate.primal
    for problem in (pragam.multiclass_hinge(X, y, 0.2), pragam.multilabel_hinge(X, np.eye(2)[y], 0.2)):
        assert same(plain, pragam.solve(problem, tol=1e-9).certificate.primal)


def test_one_right_label_each_is_the_multiclass_hinge():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 4
    one = pragam.solve(pragam.multiclass_hinge(X, y, 0.1), tol=1e-9).certificate.primal
    assert same(one, pragam.solve(pragam.multilabel_hinge(X, np.eye(4)[y], 0.1), tol=1e-9).certificate.primal)


def test_an_example_without_a_pair_of_labels_costs_nothing():
    rng = np.random.default_rng(4)
    X, Y = rng.standard_normal((20, 3)), rng.random((20, 3)) < 0.5
    Y[:2], Y[2:4] = True, False
    full = pragam.solve(pragam.multilabel_hinge(X, Y, 0.1), tol=1e-9).certificate.primal
    fewer = pragam.multilabel_hinge(X[4:], Y[4:], 0.1, sample_weight=np.full(16, 16 / 20))
    assert same(pragam.solve(fewer, tol=1e-9).certificate.primal, full)


def test_doubled_costs_are_a_scaling_of_the_weights():
    """2 cost + <v, x> = 2 (cost + <v/2, x>): J(w) with 2 cost and lam is 2 J(w/2) with cost and 2 lam."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 3
    cost = rng.exponential(size=(3, 3)) * (1 - np.eye(3))
    one = pragam.solve(pragam.multiclass_hinge(X, y, 0.2, cost=cost), tol=1e-9).certificate.primal
    assert same(one, pragam.solve(pragam.multiclass_hinge(X, y, 0.1, cost=2 * cost), tol=1e-9).certificate.primal, 2.0)
