"""What must not change the optimum, or change it in a known way: order, scale, sign, multiplicity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from zoo import HINGE, hinge_data, total_weights

VARIANTS = [(variant, bias) for variant in HINGE for bias in (False, True)]
SEEDS = range(2)


def solve(X, y, lam, bias, weight):
    result = pragam.solve(pragam.hinge(X, y, lam=lam, bias=bias, sample_weight=weight), tol=1e-10)
    assert result.converged
    return result


def same(first, second):
    value = first.certificate.primal
    return abs(value - second.certificate.primal) <= 2e-10 * abs(value)


@pytest.fixture(params=VARIANTS, ids=lambda v: f"{v[0]}{', bias' * v[1]}")
def runs(request):
    """(X, y, lam, bias, weight, solution) of a few seeds."""
    variant, bias = request.param
    answer = []
    for seed in SEEDS:
        X, y, lam, keywords = hinge_data(variant, seed)
        X = X.toarray() if sparse.issparse(X) else X
        weight = total_weights(y, **keywords)
        answer.append((X, y, lam, bias, weight, solve(X, y, lam, bias, weight)))
    return answer


def test_order_of_rows_and_columns(runs):
    for X, y, lam, bias, weight, base in runs:
        rng = np.random.default_rng(0)
        rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
        assert same(base, solve(X[rows], y[rows], lam, bias, weight[rows]))
        other = solve(np.ascontiguousarray(X[:, columns]), y, lam, bias, weight)
        assert same(base, other)
        assert np.allclose(other.w, base.w[columns], atol=1e-3 * (1 + np.abs(base.w).max()))


def test_a_flip_of_the_labels_flips_weights_and_bias(runs):
    for X, y, lam, bias, weight, base in runs:
        other = solve(X, -y, lam, bias, weight)
        assert same(base, other)
        flipped = pragam.certify(pragam.hinge(X, -y, lam, bias, weight), -base.w, base.alpha)
        assert flipped.primal == pytest.approx(base.certificate.primal, rel=1e-14, abs=1e-300)
        assert flipped.biases == pytest.approx(-base.biases, rel=1e-12, abs=1e-12)


def test_scaling_x_by_s_and_lam_by_its_square(runs):
    for X, y, lam, bias, weight, base in runs:
        for s in (1e-3, 7.0, 2.0**20):
            assert same(base, solve(s * X, y, s * s * lam, bias, weight))


def test_scaling_all_weights_is_scaling_lam(runs):
    """3 R(w) + lam/2 |w|^2 = 3 (R(w) + (lam/3)/2 |w|^2)."""
    for X, y, lam, bias, weight, base in runs:
        other = solve(X, y, 3 * lam, bias, 3 * weight)
        assert other.certificate.primal == pytest.approx(3 * base.certificate.primal, rel=2e-10, abs=1e-15)


def test_duplicated_rows_are_doubled_weights(runs):
    """All rows twice: the mean stays. Some rows twice: they weigh twice, after the mean's n is put right."""
    for X, y, lam, bias, weight, base in runs:
        assert same(base, solve(np.vstack([X, X]), np.r_[y, y], lam, bias, np.r_[weight, weight]))
        k = len(y) // 3
        doubled = np.r_[2 * weight[:k], weight[k:]]
        n, m = len(y), len(y) + k
        repeated = solve(np.vstack([X, X[:k]]), np.r_[y, y[:k]], lam, bias, np.r_[weight, weight[:k]] * m / n)
        assert same(solve(X, y, lam, bias, doubled), repeated)


def test_storage_does_not_matter(runs):
    for X, y, lam, bias, weight, base in runs:
        for stored in (sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X), X[::-1][::-1]):
            assert same(base, solve(stored, y, lam, bias, weight))


def test_a_row_of_weight_zero_is_no_row(runs):
    for X, y, lam, bias, weight, base in runs:
        n = len(y)
        noise = 100 * np.random.default_rng(1).standard_normal((5, X.shape[1]))
        padded = np.r_[weight, np.zeros(5)] * (n + 5) / n
        more = solve(np.vstack([X, noise]), np.r_[y, 1, -1, 1, 1, -1], lam, bias, padded)
        assert same(base, more)
        assert not more.alpha[n:].any()


def test_labels_may_be_anything_with_an_order(runs):
    for X, y, lam, bias, weight, base in runs:
        if len(set(y.tolist())) < 2:
            continue
        for names in (np.where(y > 0, "yes", "no"), np.where(y > 0, 7, 3), y > 0, y.astype(float)):
            problem = pragam.hinge(X, names, lam, bias, weight)
            assert pragam.certify(problem, base.w, base.alpha) == base.certificate
