"""A user's own oracle: matchings by enumeration, classes against the multiclass hinge, and wrong oracles."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import pragam
from clarabel_qp import solve_qp
from pragam.structured import Labellings, Oracle, structured_hinge


class Matching(Oracle):
    """Permutations of items; the pair (r, c) of example i has the features pairs[i][r, c]. Wrong pairs are counted."""

    def __init__(self, pairs, truths):
        self.pairs, self.truths = pairs, truths

    def argmax(self, i, w):
        scores = self.pairs[i] @ w + 1.0
        scores[np.arange(len(scores)), self.truths[i]] -= 1.0
        return tuple(linear_sum_assignment(scores, maximize=True)[1].tolist())

    def features(self, i, y):
        return self.pairs[i][np.arange(len(y)), list(y)].sum(axis=0)

    def loss(self, i, y):
        return float(np.sum(np.array(y) != self.truths[i]))

    def truth(self, i):
        return tuple(self.truths[i])


class Classes(Oracle):
    """Classes, with sparse features."""

    def __init__(self, X, y, K):
        self.X, self.y, self.K = X, y, K

    def argmax(self, i, w):
        return int((w.reshape(self.K, -1) @ self.X[i] + (np.arange(self.K) != self.y[i])).argmax())

    def features(self, i, y):
        d = self.X.shape[1]
        return np.arange(y * d, (y + 1) * d), self.X[i]

    def loss(self, i, y):
        return float(y != self.y[i])

    def truth(self, i):
        return int(self.y[i])


def matching(seed, n=5, m=3, d=4):
    rng = np.random.default_rng(seed)
    return Matching([rng.standard_normal((m, m, d)) for _ in range(n)], [rng.permutation(m) for _ in range(n)])


def optimum(oracle, n, d, lam, totals):
    """min J with every permutation written out, by an interior-point solver."""
    rows, right = [], []
    for i in range(n):
        truth = oracle.features(i, oracle.truth(i))
        for y in permutations(range(len(oracle.truth(i)))):
            rows.append(np.r_[oracle.features(i, y) - truth, -np.eye(n)[i]])
            right.append(-oracle.loss(i, y))
    P = np.diag(np.r_[np.full(d, lam), np.zeros(n)])
    return solve_qp(P, np.r_[np.zeros(d), totals], np.array(rows), np.array(right)).value


@pytest.mark.parametrize(
    ("solver", "tol"), [("block-ascent", 1e-7), ("qp-bmrm", 1e-7), ("bcfw", 5e-2), ("ls-bmrm", 5e-2)]
)
@pytest.mark.parametrize("seed", range(3))
def test_matchings_reach_the_optimum(seed, solver, tol):
    oracle, weights = matching(seed), np.array([1.0, 2.0, 0.0, 0.5, 1.0])
    problem = structured_hinge(oracle, 5, 4, lam=0.2, sample_weight=weights)
    best = optimum(oracle, 5, 4, 0.2, weights / 5)
    result = pragam.solve(problem, solver, tol=tol, max_iter=3000)
    assert result.converged and not result.certificate.rigorous
    assert result.certificate.dual <= best * (1 + 1e-8) and best <= result.certificate.primal * (1 + 1e-8)
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)


def test_classes_are_the_multiclass_hinge():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), rng.integers(0, 4, 40)
    reference = pragam.solve(pragam.multiclass_hinge(X, y, lam=0.05), tol=1e-9).certificate
    result = pragam.solve(structured_hinge(Classes(X, y, 4), 40, 20, lam=0.05), "block-ascent", tol=1e-6)
    assert result.converged
    assert result.certificate.dual <= reference.primal and reference.dual <= result.certificate.primal
    w = rng.standard_normal(20)
    problems = structured_hinge(Classes(X, y, 4), 40, 20, lam=0.05), pragam.multiclass_hinge(X, y, lam=0.05)
    assert problems[0].primal(w) == pytest.approx(problems[1].primal(w), rel=1e-12)


def test_the_solver_is_chosen():
    result = pragam.solve(structured_hinge(matching(0), 5, 4, lam=0.2), tol=1e-3)
    assert result.converged


def test_a_scaled_loss_is_decoded_at_scaled_weights():
    structure = structured_hinge(matching(1), 5, 4).Q.structure
    w = np.random.default_rng(1).standard_normal(4)
    for scale in (0.3, 4.0):
        assert np.allclose(structure.values(w, scale), scale * structure.values(w / scale))
    with pytest.raises(ValueError, match="no predictions"):
        structure.decode(w, 0.0)


def test_a_dual_point_is_checked():
    problem = structured_hinge(matching(2), 5, 4)
    structure, w = problem.Q.structure, np.zeros(4)
    truths = tuple(structure.truth_of(i) for i in range(5))
    pragam.certify(problem, w, Labellings.of(truths))
    for bad in (np.zeros(5), Labellings.of(truths[:3]), Labellings(-np.ones((1, 5)), (truths,))):
        with pytest.raises(ValueError, match=r"Labellings of 5|numbers >= 0"):
            pragam.certify(problem, w, bad)


def test_points_are_taken_apart_and_joined():
    problem = structured_hinge(matching(3), 5, 4)
    structure = problem.Q.structure
    result = pragam.solve(problem, "block-ascent", tol=1e-6)
    weights, labellings = structure.parts_of(result.alpha)
    again = structure.point_of(weights, labellings)
    assert np.allclose(structure.moments(again).features, structure.moments(result.alpha).features, atol=1e-14)
    assert structure.parts_of(np.zeros(3)) is None


class Wrong(Matching):
    """A matching with one method replaced."""

    def __init__(self, **methods):
        super().__init__(matching(0).pairs, matching(0).truths)
        for name, method in methods.items():
            setattr(self, name, method)


BAD = {
    r"oracle\.features\(0, y\) must be 4 finite": {"features": lambda i, y: np.zeros(3)},
    r"oracle\.features\(0, y\) must": {"features": lambda i, y: np.full(4, np.nan)},
    r"\(indices, values\) within": {"features": lambda i, y: (np.array([4]), np.array([1.0]))},
    r"oracle\.loss\(0, truth\) must be 0, not 1": {"loss": lambda i, y: 1.0},
    r"oracle\.loss\(0, y\) must be a number >= 0": {"loss": lambda i, y: -1.0},
    "oracle must have a method argmax": {"argmax": None},
}


@pytest.mark.parametrize("message", BAD)
def test_a_wrong_oracle_is_named(message):
    with pytest.raises(ValueError, match=message):
        structured_hinge(Wrong(**BAD[message]), 5, 4)


def test_a_maximum_below_the_truth_is_found_out():
    worst = Wrong(argmax=lambda i, w: tuple(np.roll(matching(0).truths[i], 1).tolist()) if w.any() else (0, 1, 2))
    problem = structured_hinge(worst, 5, 4, lam=1e-3)
    with pytest.raises(ValueError, match=r"oracle\.argmax\(\d, w\) is worse than the truth"):
        problem.primal(100 * pragam.solve(structured_hinge(matching(0), 5, 4, lam=1e-3), "block-ascent", tol=1e-2).w)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("n must be a whole number >= 1", {"n": 0}),
        ("n_weights must be a whole number >= 1", {"n_weights": 2.5}),
        ("lam", {"lam": 0.0}),
        ("sample_weight must hold 5", {"sample_weight": [1.0, 2.0]}),
        ("sample_weight must hold 5", {"sample_weight": [1.0, 2.0, -1.0, 1.0, 1.0]}),
    ],
)
def test_a_bad_argument_is_named(message, arguments):
    with pytest.raises(ValueError, match=message):
        structured_hinge(**{"oracle": matching(0), "n": 5, "n_weights": 4, **arguments})


def test_an_oracle_cannot_change_the_weights():
    def greedy(i, w):
        w[:] = 0
        return (0, 1, 2)

    with pytest.raises(ValueError, match="read-only"):
        pragam.solve(structured_hinge(Wrong(argmax=greedy), 5, 4), "block-ascent")
