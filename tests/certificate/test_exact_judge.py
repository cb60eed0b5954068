"""The judge is judged: against Clarabel, against problems whose numbers are known by hand, and against itself."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import hinge_optimum, minimise
from exact_judge import exact_dual, exact_optimum, exact_primal
from posed import posed
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane, Simplices
from zoo import ZOO


@pytest.mark.parametrize("name", [name for name in ZOO if not name.startswith("tall")])  # 120 rows take long
def test_the_optimum_is_clarabels(name):
    case = ZOO[name](0)
    assert float(exact_optimum(case.problem)) == pytest.approx(case.optimum, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("name", ZOO)
def test_primal_and_dual_enclose_the_optimum(name):
    problem = ZOO[name](1).problem
    result = pragam.solve(problem, tol=1e-8)
    primal = exact_primal(problem, result.w, result.biases)
    dual = exact_dual(problem, result.alpha)
    if problem.Q.size <= 60:
        assert dual <= exact_optimum(problem) <= primal
    assert 0 <= primal - dual <= 1e-7 * abs(primal)


@pytest.mark.parametrize("bias", [False, True])
def test_a_smoothed_hinge(bias):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y, u = rng.standard_normal((9, 3)), rng.choice([-1.0, 1.0], 9), rng.random(9)
        y[:2] = 1, -1
        Q = BoxPlane(np.zeros(9), u, y) if bias else Box(np.zeros(9), u)
        problem = posed(ScaledRows(X, -y), np.ones(9), Q, 0.3, kappa=0.7)
        value = hinge_optimum(X, y, 0.3, 9 * u, bias, 0.7)
        assert float(exact_optimum(problem)) == pytest.approx(value, rel=1e-8), f"seed {seed}"


def test_a_box_of_any_signs_with_a_plane():
    """Least absolute deviations with an intercept: min lam/2 |w|^2 + sum u (xi + xi'), xi - xi' = x w - b - t."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, t, u = rng.standard_normal((8, 2)), rng.standard_normal(8), rng.random(8)
        problem = posed(ScaledRows(X, np.ones(8)), -t, BoxPlane(-u, u, np.ones(8)), 0.2)
        P = sparse.diags(np.r_[0.2, 0.2, np.zeros(9)])
        G = np.vstack([np.hstack([s * X, -s * np.ones((8, 1)), -np.eye(8)]) for s in (1, -1)])
        value = minimise(P, np.r_[np.zeros(3), u], G, np.r_[t, -t])
        assert float(exact_optimum(problem)) == pytest.approx(value, rel=1e-8, abs=1e-9), f"seed {seed}"


def test_a_problem_by_hand():
    """Two points at +1 and -1: J = lam/2 w^2 + 1/2 ([1 - (w + b)]_+ + [1 - (w - b)]_+)."""
    problem = pragam.hinge(np.array([[1.0], [-1.0]]), [1, -1], lam=0.5)
    assert exact_optimum(problem) == Fraction(1, 4)
    assert exact_primal(problem, [0.25], [0.5]) == Fraction(1, 64) + Fraction(1, 2) * (Fraction(1, 4) + Fraction(5, 4))
    assert exact_dual(problem, [0.25, 0.25]) == Fraction(1, 4)
    assert exact_dual(problem, [0.5, 0.25]) == Fraction(1, 4)  # one of the rows is moved onto the plane: the better one


def test_the_level_of_a_plane_counts():
    """Q = {a1 + a2 = 1, 0 <= a <= 1}, c = (3, 1): max D = 3, and J = [3 - b]_+ + [1 - b]_+ + b."""
    problem = posed(ScaledRows(np.zeros((2, 1)), np.ones(2)), np.array([3.0, 1.0]),
                             BoxPlane(np.zeros(2), np.ones(2), np.ones(2), 1.0), 1.0)  # fmt: skip
    assert exact_optimum(problem) == 3
    assert exact_primal(problem, [0.0], [2.0]) == 3
    assert exact_primal(problem, [0.0], [0.0]) == 4
    assert exact_dual(problem, [0.0, 0.0]) == 3


def test_unbounded_sides():
    """Least squares: alpha is free, R = s^2/(2 kappa); without kappa J is infinite."""
    A, c = ScaledRows(np.array([[2.0]]), np.ones(1)), np.array([1.0])
    Q = Box([-np.inf], [np.inf])
    smooth = posed(A, c, Q, 1.0, kappa=1.0)  # min w^2/2 + (2 w + 1)^2/2 at w = -2/5
    assert exact_optimum(smooth) == Fraction(1, 10)
    assert exact_primal(smooth, [-0.5]) == Fraction(1, 8)
    linear = posed(A, c, Q, 1.0)
    assert exact_primal(linear, [0.0]) == inf
    assert exact_primal(linear, [-0.5]) == Fraction(1, 8)
    assert exact_optimum(linear) == Fraction(1, 8)
    nothing = posed(ScaledRows(np.zeros((1, 1)), np.ones(1)), c, Q, 1.0)
    assert exact_optimum(nothing) == inf


def test_an_empty_set():
    """z is the rounded sum of the upper bounds, and exceeds the exact one."""
    upper = np.array([1.0, 2.0**-53 * 1.5])  # two terms: the same sum in any order
    problem = posed(ScaledRows(np.ones((2, 1)), np.ones(2)), np.ones(2),
                             BoxPlane(np.zeros(2), upper, np.ones(2), 1.0 + 2.0**-51), 1.0)  # fmt: skip
    assert Fraction(problem.domain.z) > sum(map(Fraction, upper.tolist()))
    assert exact_optimum(problem) == -inf
    assert exact_dual(problem, upper) is None
    proof = pragam.certify(problem, np.zeros(1), upper)  # which must not claim a bound either
    assert proof.dual == -inf and proof.gap == inf


def test_repeated_entries_are_summed_exactly():
    X = sparse.csr_array(([1e16, 1.0, -1e16], [0, 0, 0], [0, 3]), shape=(1, 1))
    problem = pragam.hinge(X, [1.0], lam=1.0, bias=False)
    assert exact_primal(problem, [0.5]) == Fraction(1, 8) + Fraction(1, 2)
    assert exact_optimum(problem) == Fraction(1, 2)


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_storage_is_the_same_matrix(kind, dtype):
    rng = np.random.default_rng(0)
    X, y = np.rint(8 * rng.standard_normal((6, 3))) / 4, np.array([1, -1, 1, -1, 1, -1])
    reference = exact_optimum(pragam.hinge(X, y, lam=0.125))
    assert exact_optimum(pragam.hinge(kind(X.astype(dtype)), y, lam=0.125)) == reference
    assert exact_optimum(pragam.hinge(np.repeat(X, 2, axis=1)[:, ::2].astype(dtype), y, lam=0.125)) == reference


def test_smoothed_simplices():
    """One row, no data: max of <a, c> - kappa/2 |a|^2 over the simplex; c = (1, 0), kappa = 2 gives a = (3/4, 1/4)."""
    problem = posed(ScaledRows(np.zeros((2, 1)), np.ones(2)), np.array([1.0, 0.0]), Simplices([1.0], 2), 1.0, 2.0)
    assert exact_primal(problem, [0.0]) == exact_optimum(problem) == Fraction(1, 8)
    assert exact_dual(problem, [1.5, 0.5]) == Fraction(1, 8)
