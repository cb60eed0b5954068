"""PRAGAM's promises: the products of one step, the guarantee mu D_2 at every step, and smooth risks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pragam
from clarabel_qp import hinge_optimum
from pragam.conjugates import Quadratic
from pragam.operators import Counting
from pragam.solvers import Pragam
from zoo import HINGE, ZOO, hinge_data, total_weights

STEPS = 60


def states(problem, method, steps=STEPS):
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    for _ in range(steps):
        yield state
        state = method.step(problem, state)


def true_lipschitz(problem):
    A = np.array([problem.A.matvec(e) for e in np.eye(problem.n_weights)])
    return float(np.linalg.norm(A, 2) ** 2 / problem.lam) * (1 + 1e-12)


@pytest.mark.parametrize("lipschitz", ["bound", "number", "adaptive"])
@pytest.mark.parametrize("name", ZOO)
def test_the_gap_is_below_the_guarantee_at_every_step(name, lipschitz):
    for seed in (0, 1):
        problem = ZOO[name](seed).problem
        method = Pragam(true_lipschitz(problem) if lipschitz == "number" else lipschitz)
        for state in states(problem, method):
            certificate = pragam.certify(problem, state.w, state.alpha)
            rounding = 1e-12 * max(abs(certificate.primal), abs(certificate.dual))
            assert certificate.gap <= state.bound + rounding, state.k


@pytest.mark.parametrize("name", ZOO)
def test_the_guarantee_falls_as_printed_when_l_is_given(name):
    """mu_k = 4 L / ((k+1)(k+2))."""
    problem = ZOO[name](2).problem
    for state in states(problem, Pragam("bound")):
        assert state.mu == pytest.approx(4 * state.lipschitz / ((state.k + 1) * (state.k + 2)), rel=1e-12)


@pytest.mark.parametrize("name", ZOO)
def test_l_stays_below_twice_the_true_constant_when_adapted(name):
    problem = ZOO[name](2).problem
    *_, last = states(problem, Pragam())
    assert last.lipschitz <= max(2 * true_lipschitz(problem), np.finfo(float).tiny)


@pytest.mark.parametrize(("lipschitz", "most"), [("bound", (1, 1)), ("number", (1, 1)), ("adaptive", (1, 2))])
@pytest.mark.parametrize("name", ZOO)
def test_products_of_a_step(name, lipschitz, most):
    plain = ZOO[name](3).problem
    A = Counting(plain.A)
    problem = replace(plain, A=A)
    method = Pragam(true_lipschitz(plain) if lipschitz == "number" else lipschitz)
    before = None
    for state in states(problem, method):
        now = np.array([A.matvecs, A.rmatvecs])
        if before is not None:
            spent = now - before
            assert spent[0] == 1 and 1 <= spent[1] <= most[1], state.k
            assert state.passes - passes == spent.sum()  # noqa: F821
        before, passes = now, state.passes  # noqa: F841


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("variant", [v for v in HINGE if v != "one_sign"])
def test_a_smoothed_hinge_is_solved_to_the_reference(variant, bias):
    """kappa > 0 rounds the kinks off: max over 0 <= a <= u of a s - kappa/2 a^2."""
    for seed in (0, 1):
        X, y, lam, keywords = hinge_data(variant, seed)
        hinge = pragam.hinge(X, y, lam=lam, bias=bias, **keywords)
        kappa = 0.5 * len(y)
        problem = replace(hinge, g=Quadratic(kappa))
        optimum = hinge_optimum(X, y, lam, total_weights(y, **keywords), bias, kappa)
        result = pragam.solve(problem, "pragam", tol=1e-3, max_iter=20_000)
        assert result.converged
        slack = 1e-9 * (1 + optimum)
        assert result.certificate.dual <= optimum + slack and optimum <= result.certificate.primal + slack


@pytest.mark.parametrize("lipschitz", [-1.0, np.nan, np.inf])
def test_a_bad_constant_is_refused(lipschitz):
    with pytest.raises(ValueError, match="Lipschitz"):
        pragam.solve(ZOO["plain"](0).problem, Pragam(lipschitz))
