"""Quantile regression: boxes of both signs, on every solver that takes boxes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import quantile_optimum
from pragam.risks import Each, Quantile
from pragam.samples import Rows


def regression(seed):
    """(X, y, weights or None): dense and sparse, tall and wide, with an offset, some weights zero."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 12))
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < rng.choice([0.3, 1.0])) + rng.choice([0.0, 10.0])
    y = X @ rng.standard_normal(d) + rng.choice([0.0, 100.0]) + rng.standard_cauchy(n)
    weights = rng.exponential(size=n) * (rng.random(n) < 0.8) if rng.random() < 0.5 else None
    if weights is not None and not weights.any():
        weights[0] = 1.0
    return (sparse.csr_array(X) if rng.random() < 0.5 else X), y, weights


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", ["auto", "dcd", "newton", "newton-dense"])
def test_the_optimum_is_that_of_an_interior_point_method(solver, bias):
    for seed in range(30):
        X, y, weights = regression(seed)
        rng = np.random.default_rng(1000 + seed)
        q, lam = float(rng.uniform(0.05, 0.95)), float(10 ** rng.uniform(-3, 1))
        problem = pragam.quantile(X, y, lam, q=q, bias=bias, sample_weight=weights)
        best = quantile_optimum(X, y, lam, np.ones(len(y)) if weights is None else weights, q, bias)
        result = pragam.solve(problem, solver, tol=1e-9, max_seconds=20)
        proof = result.certificate
        assert result.converged and proof.rigorous, f"seed {seed}: {result}"
        assert abs(proof.primal - best) <= 1e-7 * abs(best) + 1e-9, f"seed {seed}"


def test_the_median_is_half_the_absolute_deviation():
    X, y, _ = regression(3)
    X = X.toarray() if sparse.issparse(X) else X
    problem = pragam.quantile(X, y, 0.1)
    w, b = np.full(X.shape[1], 0.3), -2.0
    loss = 0.05 * w @ w + 0.5 * np.mean(np.abs(y - X @ w - b))
    assert pragam.certify(problem, w, bias=b).primal == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_a_share_q_of_the_targets_lies_below(q):
    """At the best bias the share below is at most q, and that at or below at least q."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((401, 3)), rng.exponential(size=401)
    result = pragam.solve(pragam.quantile(X, y, 1e-2, q=q), tol=1e-12)
    residuals = y - X @ result.w - result.bias
    assert np.mean(residuals < -1e-9) <= q <= np.mean(residuals <= 1e-9)


def test_a_weight_is_as_good_as_a_repetition():
    rng = np.random.default_rng(5)
    X, y, times = rng.standard_normal((20, 3)), rng.standard_normal(20), rng.integers(0, 4, 20)
    weighted = pragam.quantile(X, y, 2.0 / 20, q=0.3, sample_weight=times)
    repeated = pragam.quantile(np.repeat(X, times, axis=0), np.repeat(y, times), 2.0 / times.sum(), q=0.3)
    one, other = (pragam.solve(problem, tol=1e-10) for problem in (weighted, repeated))
    np.testing.assert_allclose(one.w, other.w, atol=1e-5)


@pytest.mark.parametrize(
    "arguments, name",
    [
        ({"q": 0.0}, "q must"), ({"q": 1.0}, "q must"), ({"q": np.nan}, "q must"), ({"q": [0.5]}, "q must"),
        ({"q": 0.5j}, "q must"), ({"y": np.r_[np.nan, np.ones(4)]}, "y contains NaN"),
        ({"y": np.ones(4)}, "y must hold"),
        ({"y": np.ones((5, 1))}, "y must hold"), ({"y": list("abcde")}, "y must hold real"),
        ({"y": np.ones(5) * 1j}, "y must hold real"), ({"bias": "no"}, "bias must"), ({"lam": 0.0}, "lam must"),
        ({"sample_weight": -np.ones(5)}, "sample_weight"), ({"sample_weight": np.ones(3)}, "sample_weight"),
        ({"X": np.full((5, 2), 1e200)}, "X has rows"), ({"y": np.ma.masked_equal([1, 2, 3, 4, 5], 3)}, "y is a masked"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(arguments, name):
    good = {"X": np.arange(10.0).reshape(5, 2), "y": np.arange(5.0)}
    with pytest.raises(ValueError, match=name):
        pragam.quantile(**(good | arguments))


@pytest.mark.parametrize("bias", [False, True])
def test_several_quantiles_read_the_data_once_and_are_the_problems_of_one_each(bias):
    rng = np.random.default_rng(3)
    rows = Rows.of(rng.standard_normal((30, 4)), rng.standard_normal(30), rng.exponential(size=30))
    own = [Quantile(lam=0.1, q=q, bias=bias) for q in (0.1, 0.5, 0.9)]
    labels = Each(risks=own).learn(rows)
    together = Each(risks=own).pose(rows, labels)
    assert all(problem.A is together[0].A for problem in together)
    for problem, (alone,) in zip(together, [record.pose(rows, labels) for record in own], strict=True):
        assert np.array_equal(problem.Q.lower, alone.Q.lower) and np.array_equal(problem.Q.upper, alone.Q.upper)
        assert np.array_equal(problem.c, alone.c) and np.array_equal(problem.B.sigma, alone.B.sigma)
        assert (problem.lam, problem.n_biases) == (alone.lam, alone.n_biases)
        assert np.array_equal(pragam.solve(problem).w, pragam.solve(alone).w)


def test_quantiles_of_which_some_have_a_bias_are_posed_one_by_one():
    rng = np.random.default_rng(3)
    rows = Rows.of(rng.standard_normal((30, 4)), rng.standard_normal(30))
    mixed = Each(risks=[Quantile(lam=0.1, q=0.1, bias=True), Quantile(lam=0.1, q=0.9, bias=False)])
    assert [problem.n_biases for problem in mixed.pose(rows, mixed.learn(rows))] == [1, 0]
