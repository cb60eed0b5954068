"""The referee itself: its weights and biases attain the value it states, and no others go below it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from clarabel_qp import box_rows, hinge_optimum, optimum, pairs_rows, simplices_rows, solve_qp

K = 3


def members(rng, kind):
    """The constraints of a set of 12 dual variables, and a point inside."""
    totals = rng.exponential(size=4) * np.array([1.0, 1.0, 0.0, 1.0])
    if kind == "box":
        lower = -rng.exponential(size=12)
        upper = np.where(rng.random(12) < 0.8, 1.0, lower)
        return box_rows(lower, upper), 0.3 * lower + 0.7 * upper
    if kind == "simplices":
        return simplices_rows(totals, K), np.repeat(totals / K, K)
    wrong = np.tile([True, False, True], (4, 1))
    return pairs_rows(totals, wrong), (totals[:, None] * [0.2, 0.4, 0.2]).ravel()


def primal(A, c, constraints, lam, kappa, B, levels, tilt, constant, w, b):
    """J(w, b), the maximum over Q by the same solver."""
    G, h, E, f = constraints
    risk = -solve_qp(sparse.diags(np.broadcast_to(kappa, len(c))), -(A @ w + B @ b + c), G, h, E, f).value
    return constant + lam / 2 * w @ w + tilt @ w - levels @ b + risk


@pytest.mark.parametrize("kind", ["box", "simplices", "pairs"])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("n_planes", [0, 1, 3])
def test_the_value_is_attained_by_its_weights_and_biases(kind, smooth, n_planes):
    for seed in range(4):
        rng = np.random.default_rng([seed, n_planes])
        constraints, member = members(rng, kind)
        A, c, tilt = rng.standard_normal((12, 5)), rng.standard_normal(12), rng.standard_normal(5)
        group, B = np.arange(12) % max(n_planes, 1), np.zeros((12, n_planes))
        if n_planes:
            B[np.arange(12), group] = rng.choice([-1.0, 1.0, 0.0], 12)
        kappa = rng.exponential(size=12) if smooth else 0.0
        given = A, c, constraints, 0.3, kappa, B, B.T @ member, tilt, 0.7
        best = optimum(*given)
        assert primal(*given, best.w, best.biases) == pytest.approx(best.value, rel=1e-6, abs=1e-7)
        for _ in range(3):
            near = best.w + 0.1 * rng.standard_normal(5), best.biases + 0.1 * rng.standard_normal(n_planes)
            assert primal(*given, *near) >= best.value - 1e-8


@pytest.mark.parametrize("kappa", [0.0, 2.0])
def test_the_hinge_in_this_form_is_the_hinge(kappa):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    for bias in (False, True):
        B = -y[:, None] if bias else None
        best = optimum(-y[:, None] * X, np.ones(30), box_rows(np.zeros(30), np.full(30, 1 / 30)), 0.1, kappa, B)
        assert best.value == pytest.approx(hinge_optimum(X, y, 0.1, np.ones(30), bias, kappa), rel=1e-8)


def test_what_is_not_solved_is_no_answer():
    with pytest.raises(AssertionError, match="not solved"):
        solve_qp(sparse.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]))
