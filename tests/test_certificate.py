"""The certificate: what it refuses, what it reports, and that it tells a wrong problem from a right one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pragam
from pragam.operators import ScaledRows
from pragam.polytopes import Box
from zoo import BOXES, HINGE, ZOO, hinge_case, hinge_data, max_affine_case, multiclass_case, total_weights


def feasible(problem, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(problem.n_weights), problem.Q.sample(rng)


@pytest.mark.parametrize("name", ZOO)
def test_weak_duality_for_all_pairs(name):
    case = ZOO[name](0)
    for seed in range(50):
        certificate = pragam.certify(case.problem, *feasible(case.problem, seed))
        slack = 1e-9 * (1 + abs(case.optimum))
        assert certificate.dual - slack <= case.optimum <= certificate.primal + slack
        assert certificate.gap == max(certificate.primal - certificate.dual, 0.0)
        largest = max(abs(certificate.primal), abs(certificate.dual))
        assert certificate.relative_gap == pytest.approx(certificate.gap / largest) or largest == 0
        assert certificate.exact and not certificate.relaxed


@pytest.mark.parametrize(
    ("problem", "break_it"),
    [
        (hinge_case("plain", False, 0).problem, lambda a, Q: np.r_[Q.upper[0] * (1 + 1e-9), a[1:]]),
        (hinge_case("plain", False, 0).problem, lambda a, Q: np.r_[-1e-9, a[1:]]),
        (hinge_case("plain", True, 0).problem, lambda a, Q: np.where(Q.sigma > 0, Q.upper, 0.0)),
        (hinge_case("plain", True, 0).problem, lambda a, Q: 0.5 * Q.upper + 1e-9 * Q.sigma),
        (max_affine_case(0).problem, lambda a, Q: 1.001 * a),
        (max_affine_case(3).problem, lambda a, Q: a + np.r_[-2.0, 2.0, np.zeros(a.size - 2)]),
        (multiclass_case(0).problem, lambda a, Q: a * (1 + 1e-9)),
    ],
)
def test_alpha_outside_q_is_refused(problem, break_it):
    w, alpha = feasible(problem)
    pragam.certify(problem, w, alpha)
    with pytest.raises(ValueError, match="alpha is not in Q"):
        pragam.certify(problem, w, break_it(alpha, problem.Q))


@pytest.mark.parametrize("name", ZOO)
def test_nan_and_wrong_lengths_are_refused(name):
    problem = ZOO[name](0).problem
    w, alpha = feasible(problem)
    bad = alpha.copy()
    bad[-1] = np.nan
    with pytest.raises(ValueError, match="alpha is not in Q"):
        pragam.certify(problem, w, bad)
    with pytest.raises(ValueError, match="alpha has"):
        pragam.certify(problem, w, alpha[:-1])
    with pytest.raises(ValueError, match="w has"):
        pragam.certify(problem, np.append(w, 0.0), alpha)


def test_nan_weights_never_give_a_bound():
    problem = hinge_case("plain", True, 0).problem
    w, alpha = feasible(problem)
    w[0] = np.nan
    try:
        certificate = pragam.certify(problem, w, alpha)
    except ValueError:
        return
    assert certificate.primal == np.inf and certificate.relative_gap == np.inf


@pytest.mark.parametrize("variant", HINGE)
def test_the_bias_is_the_best_of_all_kinks(variant):
    """The loss is piecewise linear in b with kinks where a margin is 1, so a kink is a minimum."""
    for seed in range(10):
        X, y, lam, keywords = hinge_data(variant, seed)
        problem = pragam.hinge(X, y, lam=lam, bias=True, **keywords)
        weight = total_weights(y, **keywords) / len(y)
        w, alpha = feasible(problem, seed)
        certificate = pragam.certify(problem, w, alpha)
        scores = X @ w

        def loss(b, scores=scores, y=y, weight=weight):
            return float(weight @ np.maximum(0, 1 - y * (scores + b)))

        kinks = [loss(y_i - s_i) for y_i, s_i in zip(y, scores, strict=True)]
        assert loss(certificate.bias) == pytest.approx(min(kinks), rel=1e-12, abs=1e-13)
        assert certificate.primal == pytest.approx(0.5 * lam * w @ w + min(kinks), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", BOXES)
def test_without_a_bias_it_is_zero(name):
    problem = ZOO[name](0).problem
    certificate = pragam.certify(problem, *feasible(problem))
    if type(problem.Q) is Box:
        assert certificate.bias == 0.0 and problem.bias_of(np.zeros(problem.n_weights)) is None


def test_matrices_are_flattened():
    problem = multiclass_case(0).problem
    w, alpha = feasible(problem)
    flat = pragam.certify(problem, w, alpha)
    assert pragam.certify(problem, w.reshape(3, -1), alpha.reshape(-1, 3)) == flat


@pytest.mark.parametrize("bias", [False, True])
def test_overflow_gives_infinity_and_no_warning(bias):
    problem = hinge_case("plain", bias, 0).problem
    _, alpha = feasible(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certificate = pragam.certify(problem, np.full(problem.n_weights, 1e200), alpha)
    assert certificate.primal == np.inf and np.isfinite(certificate.dual)
    assert certificate.gap == np.inf and certificate.relative_gap == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_sign_in_a_violates_weak_duality(seed):
    """Parts that do not belong together: D of one model against J of another."""
    right = hinge_case("separable", False, seed).problem
    optimum = pragam.solve(right, tol=1e-9)

    class Wrong(ScaledRows):
        def rmatvec(self, alpha):
            return 0.5 * super().rmatvec(alpha)

    wrong = pragam.Problem(Wrong(right.A.storage, right.A.scale), right.c, right.Q, right.lam)
    with pytest.raises(ArithmeticError, match="weak duality"):
        pragam.certify(wrong, optimum.w, np.minimum(1.5 * optimum.alpha, right.Q.upper))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"lam": 0.0}, "lam"), ({"lam": -1.0}, "lam"), ({"lam": np.nan}, "lam"), ({"lam": np.inf}, "lam"),
        ({"kappa": -1.0}, "kappa"), ({"kappa": np.nan}, "kappa"),
        ({"c": np.ones(3)}, "c has shape"), ({"Q": Box(np.zeros(3), np.ones(3))}, "Q has dimension 3"),
    ],
)  # fmt: skip
def test_a_problem_checks_its_parts(change, word):
    problem = hinge_case("plain", False, 0).problem
    parts = {"A": problem.A, "c": problem.c, "Q": problem.Q, "lam": problem.lam} | change
    with pytest.raises(ValueError, match=word):
        pragam.Problem(**parts)
