"""The default solver: its choice, its net, and PRAGAM under both."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from posed import posed
from pragam.solvers import auto
from pragam.solvers.pragam import Pragam
from zoo import ZOO, hinge_case, multiclass_case


@pytest.mark.parametrize("name", ZOO)
def test_pragam_takes_over_when_the_fast_paths_have_had_their_share(name, monkeypatch):
    """With no share at all PRAGAM runs alone, from the fast path's start, and certifies."""
    monkeypatch.setattr(auto, "_limit", lambda problem, tol: 0.0)
    monkeypatch.setattr(auto, "_FREE", 0.0)
    case = ZOO[name](0)
    result = pragam.solve(case.problem, tol=3e-2, max_iter=20_000)
    assert result.converged
    if result.n_iter > 1 and not Pragam.missing(case.problem):  # it needs a bounded Q
        assert result.solver == "auto (pragam)"
    assert result.certificate.dual <= case.optimum + 1e-7 <= result.certificate.primal + 2e-7


@pytest.mark.parametrize("bias", [False, True])
def test_the_paths_hand_over_to_each_other_and_lose_nothing(bias, monkeypatch):
    monkeypatch.setattr(auto, "_ALLOWANCE", 1e-3)
    seen = []
    problem = hinge_case("plain", bias, 3).problem
    method = pragam.solvers.Auto()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    best = np.inf
    for _ in range(60):
        state = method.step(problem, state)
        seen.append(method.label(state))
        certificate = pragam.certify(problem, *method.candidate(problem, state))
        best = min(best, certificate.relative_gap)
    assert {"auto (dcd)", "auto (newton)"} <= set(seen)
    assert best <= 1e-9


def test_the_choice_follows_the_cost():
    """Few columns and a small lam want Newton; many columns and an easy problem want coordinate ascent; small
    problems of both kinds want a method without Python in its steps, unless that has a large matrix to factorise."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 60_000)
    hard = pragam.hinge(10 * rng.standard_normal((60_000, 5)), y, lam=1e-6)
    easy = pragam.hinge(rng.standard_normal((400, 2000)) / 45, y[:400], lam=1e-2)
    small = [
        pragam.hinge(size * rng.standard_normal((400, 20)), y[:400], lam=lam) for size, lam in ((10, 1e-6), (0.2, 1))
    ]
    wide = pragam.hinge(rng.standard_normal((100, 300)) / 20, y[:100], lam=1e-2)
    assert pragam.solve(hard, tol=1e-2).solver == "auto (newton)"
    assert pragam.solve(easy, tol=1e-6).solver == "auto (dcd)"
    assert [pragam.solve(problem, tol=1e-6).solver for problem in small] == ["auto (newton-dense)"] * 2
    assert pragam.solve(wide, tol=1e-6).solver == "auto (dcd)"


def test_a_small_problem_goes_on_elsewhere_if_its_own_way_fails(monkeypatch):
    """The kernel does nothing: after a few calls the others take over and certify."""
    get = pragam._kernels.get

    def idle(*arguments):
        return 0, 0, np.inf

    monkeypatch.setattr(pragam._kernels, "get", lambda name: idle if name == "dense_newton" else get(name))
    case = hinge_case("plain", True, 1)
    result = pragam.solve(case.problem, tol=1e-9)
    assert result.converged and result.solver != "auto (newton-dense)"
    assert result.certificate.primal == pytest.approx(case.optimum, rel=1e-7)


def test_a_problem_that_nothing_fits_is_refused():
    """An unbounded set under an operator without rows: some solvers need rows, and the others a bound."""
    problem = multiclass_case(0).problem
    unbounded = pragam.polytopes.Box(np.zeros(problem.Q.size), np.full(problem.Q.size, np.inf))
    with pytest.raises(ValueError, match=r"does not fit .* bounded Q"):
        pragam.solve(posed(problem.A, problem.c, unbounded, problem.lam))
