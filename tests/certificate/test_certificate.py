"""The certificate: what it refuses, what it reports, and that it tells a wrong problem from a right one."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

import pragam
from posed import posed
from pragam.operators import ScaledRows
from pragam.polytopes import Box, Polytope
from zoo import HINGE, ZOO, hinge_case, hinge_data, max_affine_case, multiclass_case, total_weights


def feasible(problem, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(problem.n_weights), problem.domain.sample(rng)


@pytest.mark.parametrize("name", ZOO)
def test_weak_duality_for_all_pairs(name):
    case = ZOO[name](0)
    for seed in range(50):
        certificate = pragam.certify(case.problem, *feasible(case.problem, seed))
        slack = 1e-9 * (1 + abs(case.optimum))
        assert certificate.dual - slack <= case.optimum <= certificate.primal + slack
        gap = Fraction(certificate.primal) - Fraction(certificate.dual)
        largest = max(abs(Fraction(certificate.primal)), abs(Fraction(certificate.dual)))
        assert gap <= Fraction(certificate.gap) <= gap * (1 + Fraction(1, 2**50))
        assert gap <= Fraction(certificate.relative_gap) * largest <= gap * (1 + Fraction(1, 2**50))
        assert certificate.exact and not certificate.relaxed and certificate.rigorous
        assert 0 <= certificate.slack <= 1e-12 * (1 + abs(certificate.primal) + abs(certificate.dual))


@pytest.mark.parametrize(
    ("problem", "break_it"),
    [
        (hinge_case("plain", False, 0).problem, lambda a, Q: np.r_[Q.upper[0] * (1 + 1e-5), a[1:]]),
        (hinge_case("plain", False, 0).problem, lambda a, Q: np.r_[-1e-5, a[1:]]),
        (hinge_case("plain", True, 0).problem, lambda a, Q: np.where(Q.sigma > 0, Q.upper, 0.0)),
        (hinge_case("plain", True, 0).problem, lambda a, Q: 0.5 * Q.upper + 1e-5 * Q.sigma),
        (max_affine_case(0).problem, lambda a, Q: 1.001 * a),
        (max_affine_case(3).problem, lambda a, Q: a + np.r_[-2.0, 2.0, np.zeros(a.size - 2)]),
        (multiclass_case(0).problem, lambda a, Q: a * (1 + 1e-5)),
    ],
)
def test_alpha_far_outside_q_is_refused(problem, break_it):
    w, alpha = feasible(problem)
    pragam.certify(problem, w, alpha)
    with pytest.raises(ValueError, match="alpha is not in Q"):
        pragam.certify(problem, w, break_it(alpha, problem.domain))


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


def test_nan_weights_give_no_bound():
    problem = hinge_case("plain", True, 0).problem
    w, alpha = feasible(problem)
    w[0] = np.nan
    certificate = pragam.certify(problem, w, alpha)
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
        assert loss(certificate.biases[0]) == pytest.approx(min(kinks), rel=1e-12, abs=1e-13)
        assert certificate.primal == pytest.approx(0.5 * lam * w @ w + min(kinks), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", ZOO)
def test_the_biases_are_one_for_each_plane(name):
    problem = ZOO[name](0).problem
    certificate = pragam.certify(problem, *feasible(problem))
    assert certificate.biases.shape == (problem.n_biases,)


def test_a_given_bias_is_judged_as_it_is():
    for seed in range(5):
        problem = hinge_case("weights", True, seed).problem
        w, alpha = feasible(problem, seed)
        best = pragam.certify(problem, w, alpha)
        assert pragam.certify(problem, w, alpha, best.biases[0]) == best, f"seed {seed}"
        other = pragam.certify(problem, w, alpha, best.biases[0] + 0.5)
        assert other.biases.tolist() == [best.biases[0] + 0.5], f"seed {seed}"
        assert other.primal > best.primal and other.dual == best.dual, f"seed {seed}"


def test_a_bias_that_is_no_number_or_that_the_problem_lacks_is_refused():
    with_bias, without = (hinge_case("plain", bias, 0).problem for bias in (True, False))
    w, alpha = feasible(without)
    for bad in (np.nan, np.inf, "x", 1j):
        with pytest.raises(ValueError, match="bias must be a finite number"):
            pragam.certify(with_bias, w, None, bad)
    with pytest.raises(ValueError, match="bias has 2 entries, and the problem has 1"):
        pragam.certify(with_bias, w, None, [1.0, 2.0])
    with pytest.raises(ValueError, match="alpha must be real"):
        pragam.certify(without, w, alpha + 1j)
    with pytest.raises(ValueError, match="the problem has none"):
        pragam.certify(without, w, alpha, 1.0)


@pytest.mark.parametrize("name", ZOO)
def test_without_alpha_the_primal_alone_is_judged(name):
    problem = ZOO[name](0).problem
    w, alpha = feasible(problem)
    alone, both = pragam.certify(problem, w), pragam.certify(problem, w, alpha)
    assert alone.dual == -np.inf and alone.gap == alone.relative_gap == np.inf
    assert alone.primal == pytest.approx(both.primal, rel=1e-12) and (alone.biases == both.biases).all()


def test_certificates_compare_by_value():
    problem = hinge_case("plain", True, 0).problem
    w, alpha = feasible(problem)
    one, same, other = (pragam.certify(problem, x, alpha) for x in (w, w.copy(), 2 * w))
    assert one == same and hash(one) == hash(same) and one != other and one != "a certificate"


class HalvedRows(ScaledRows):
    """A stranger's operator: it says nothing of its rounding."""

    def matvec(self, w):
        return 0.5 * super().matvec(w)

    def rmatvec(self, alpha):
        return 0.5 * super().rmatvec(alpha)


class Square(Polytope):
    """A stranger's set, [0, 1]^2, with what a polytope must have and no more."""

    size = 2

    def violation(self, alpha):
        return float(np.max(np.abs(alpha - np.clip(alpha, 0, 1))))

    def project(self, v):
        return np.clip(v, 0, 1)

    def maximise_linear(self, s):
        return (s > 0).astype(float)

    def support(self, s, kappa=0.0):
        return float(np.maximum(s, 0).sum())

    def radius2(self, centre=None):
        return 1.0

    def sample(self, rng):
        return rng.random(2)


def test_a_strangers_part_makes_a_certificate_that_is_not_rigorous():
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    A, Q = ScaledRows(X, -np.ones(2)), Box(np.zeros(2), np.ones(2))
    for parts in ((HalvedRows(X, -np.ones(2)), Q), (A, Square())):
        result = pragam.solve(posed(parts[0], np.ones(2), parts[1], 0.1), "pragam", tol=1e-4)
        assert result.converged and not result.certificate.rigorous
    assert pragam.solve(posed(A, np.ones(2), Q, 0.1), "pragam", tol=1e-4).certificate.rigorous


def test_matrices_are_flattened():
    problem = multiclass_case(0).problem
    w, alpha = feasible(problem)
    flat = pragam.certify(problem, w, alpha)
    assert pragam.certify(problem, w.reshape(3, -1), alpha.reshape(-1, 3)) == flat


@pytest.mark.parametrize(("size", "lam"), [(1e160, 1e300), (1e-170, 1e-300)])
def test_the_dual_survives_squares_that_overflow_or_vanish(size, lam):
    problem = posed(ScaledRows(np.array([[size]]), [1.0]), np.zeros(1), Box([0.0], [1.0]), lam)
    with np.errstate(over="ignore"):
        value = problem.dual(np.ones(1))
    assert value == pytest.approx(-0.5 * size * (size / lam), rel=1e-14)
    proof = pragam.certify(problem, np.zeros(1), np.ones(1))
    assert value * (1 + 1e-13) <= proof.dual <= value


@pytest.mark.parametrize("bias", [False, True])
def test_overflow_gives_infinity_and_no_warning(bias):
    problem = hinge_case("plain", bias, 0).problem
    _, alpha = feasible(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certificate = pragam.certify(problem, np.full(problem.n_weights, 1e200), alpha)
    assert certificate.primal == np.inf and np.isfinite(certificate.dual)
    assert certificate.gap == np.inf and certificate.relative_gap == np.inf


@pytest.mark.parametrize("states_its_rounding", [False, True])
def test_a_wrong_factor_in_a_violates_weak_duality(states_its_rounding):
    """Parts that do not belong together: D of one model against J of another."""

    class Wrong(ScaledRows):
        rigorous = states_its_rounding

        def rmatvec(self, alpha):
            return 0.5 * super().rmatvec(alpha)

        def sharp_rmatvec(self, alpha):
            value, error = super().sharp_rmatvec(alpha)
            return 0.5 * value, error

    for seed in range(5):
        right = hinge_case("separable", False, seed).problem
        optimum = pragam.solve(right, tol=1e-9)
        wrong = posed(Wrong(right.A.storage, right.A.scale), right.c, right.Q, right.lam)
        assert wrong.A.rigorous == states_its_rounding
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
        posed(**parts)
