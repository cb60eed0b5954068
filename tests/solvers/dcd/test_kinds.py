"""Every kind of box problem: curvature, unbounded boxes, rows that are shared, and any number of planes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.operators import Planes
from pragam.solvers.dcd import Dcd, row_copy, schedule
from pragam.solvers.dcd.face_step import climb_face
from pragam.views import on_blocks
from solvers.dcd.kinds import KINDS, losses
from solvers.dcd.problems import sample, text, working_set

STORAGES = {"dense": np.asarray, "csr": sparse.csr_array, "float32": lambda X: np.asfortranarray(X, dtype=np.float32)}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("storage", STORAGES)
def test_the_optimum_is_that_of_clarabel(kind, bias, storage):
    for seed in range(4):
        made = losses(kind, seed, sparsity=0.4)
        made.X[:] = made.X.astype(np.float32)
        lam = 10.0 ** np.random.default_rng(seed).uniform(-3, 0)
        result = pragam.solve(made.problem(lam, bias, STORAGES[storage]), "dcd", tol=1e-9)
        assert result.converged and result.certificate.rigorous
        optimum = made.optimum(lam, bias)
        assert result.certificate.primal == pytest.approx(optimum, rel=1e-8, abs=1e-10)
        assert result.certificate.dual == pytest.approx(optimum, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("settings", [{"shrinking": False}, {"momentum": False}, {"face": False}])
@pytest.mark.parametrize("bias", [False, True])
def test_every_setting_finds_it(kind, bias, settings):
    made = losses(kind, 7, sparsity=0.4)
    result = pragam.solve(made.problem(1e-2, bias, sparse.csr_array), Dcd(**settings), tol=1e-9)
    assert result.converged
    assert result.certificate.primal == pytest.approx(made.optimum(1e-2, bias), rel=1e-8)


@pytest.mark.parametrize("bias", [False, True])
def test_every_step_proposes_what_can_be_certified(kind, bias):
    """alpha is feasible, the bounds hold, and the state knows D; without planes D never falls."""
    for seed in range(3):
        made, method = losses(kind, seed), Dcd()
        problem, optimum = made.problem(0.03, bias), made.optimum(0.03, bias)
        state = method.init(problem, np.random.default_rng(0), None, 1e-9)
        slack, last = 1e-9 * (1 + abs(optimum)), -np.inf
        for step in range(40):
            w, alpha = method.candidate(problem, state)
            certificate = certify(problem, w, alpha)
            assert certificate.dual <= optimum + slack <= certificate.primal + 2 * slack, step
            if not bias:
                dual = problem.dual(alpha)
                assert dual >= last - 1e-13 * abs(dual)
                assert state.dual == pytest.approx(dual, rel=1e-9, abs=1e-13)
                last = dual
            state = method.step(problem, state)


@pytest.mark.parametrize("bias", [False, True])
def test_copies_and_momentum_on_larger_problems(kind, bias, monkeypatch):
    """All that makes it fast is used on the way, and w stays that of alpha."""
    monkeypatch.setattr(row_copy, "PRICE", 1e-2)
    monkeypatch.setattr(row_copy, "PRICE_COLUMN", 1e-4)
    monkeypatch.setattr(schedule, "_MOMENTUM_FIXED", 0.0)
    monkeypatch.setattr(schedule, "_MOMENTUM_COLUMN", 0.1)
    made, used = losses(kind, 3, sparsity=0.98, n=300, d=400), set()
    problem = made.problem(1e-3, bias, sparse.csr_array)
    for method in (Dcd(), Dcd(face=False)):
        state = method.init(problem, np.random.default_rng(0), None, 1e-10)
        for _ in range(2000):
            state = method.step(problem, state)
            used |= {"copy"} if state.is_copy else set()
            used |= {"folded"} if state.is_copy and state.work.w.size < made.X.shape[1] else set()
            used |= {"momentum"} if state.momentum.has_history else set()
            w, alpha = method.candidate(problem, state)
            assert np.allclose(w, problem.w_of_alpha(alpha), atol=1e-10 * (1 + np.abs(w).max()))
            if method.estimate(problem, state) <= 1e-10:
                break
        certificate = certify(problem, w, alpha)
        assert certificate.relative_gap <= 1e-9
        assert certificate.primal == pytest.approx(made.optimum(1e-3, bias), rel=1e-8)
    assert used >= {"copy", "folded", "momentum"}


@pytest.mark.parametrize("bias", [False, True])
def test_a_face_step_ends_at_the_maximum_of_the_face(kind, bias):
    """F never falls; where no bound was met, the planes hold, and the slopes of the free variables vanish."""
    settled = 0
    for seed in range(10):
        made = losses(kind, seed)
        problem = made.problem(0.1, bias)
        work, multipliers = working_set(problem, sample(problem, seed))
        for sweep in range(150):
            work.sweep(problem.lam, np.inf, sweep)
            multipliers.ascend()
        free = (work.alpha > problem.Q.lower) & (work.alpha < problem.Q.upper)
        b, r = multipliers.biases.copy(), multipliers.residuals.copy()
        before = problem.dual(work.alpha.copy()) + b @ r
        climbed = climb_face(problem, work, multipliers, np.inf)
        alpha, r = work.alpha.copy(), multipliers.residuals
        assert climbed.rows == np.count_nonzero(free)
        assert np.allclose(work.w, problem.w_of_alpha(alpha)) and np.array_equal(alpha[~free], alpha[~free].clip(0))
        assert r == pytest.approx(problem.B.rmatvec(alpha), abs=1e-12)
        still = (alpha > problem.Q.lower) & (alpha < problem.Q.upper)
        if not np.array_equal(still, free):
            continue
        settled += 1
        assert problem.dual(alpha) + b @ r >= before - 1e-12 * abs(before) or np.abs(r).max() < 1e-12
        met = np.unique(problem.B.group[free & (problem.B.sigma != 0)])
        assert np.abs(r[met]).max(initial=0.0) <= 1e-10
        slopes = problem.scores(work.w) - problem.g.curvature * alpha + problem.B.matvec(multipliers.biases)
        assert np.abs(slopes[free]).max(initial=0.0) <= 1e-7
    assert settled > 0


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_sweeps_over_the_copy_are_sweeps_over_the_rows(kind, bias, seed):
    """The same order of the same variables: equal alpha, gaps and gains, although columns were left out."""
    made = losses(kind, seed, sparsity=0.93, n=60, d=120)
    problem = made.problem(1e-2, bias, sparse.csr_array)
    rng = np.random.default_rng(seed)
    alpha = sample(problem, seed)
    (ours, _), (theirs, _) = (working_set(problem, alpha) for _ in range(2))
    chosen = np.sort(rng.permutation(len(made.c))[: len(made.c) // 2])
    rows = row_copy.data_rows(ours, chosen)
    copy = row_copy.compact(ours, chosen, row_copy.survey(ours, rows), problem.lam)
    assert copy.w.size < ours.w.size and copy.rows.arrays[0].size < ours.rows.arrays[0].size
    assert len(copy.rows.arrays[2]) - 1 == len(set(made.number[chosen].tolist()))  # every data row once
    theirs.active[: len(chosen)], theirs.n_active = chosen, len(chosen)
    for sweep in range(5):
        got, wanted = copy.sweep(problem.lam, np.inf, sweep), theirs.sweep(problem.lam, np.inf, sweep)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-13)
        assert np.allclose(copy.alpha, theirs.alpha[chosen], rtol=1e-9, atol=1e-13)
        assert np.allclose(copy.planes.running, theirs.planes.running, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
def test_a_problem_with_rows_at_rest_has_the_same_optimum(kind, bias):
    """Half of the variables are fixed where the optimum has them: the tilt, the levels and the constant say so."""
    for seed in range(3):
        made = losses(kind, seed, sparsity=0.3)
        problem = made.problem(0.05, bias)
        whole = pragam.solve(problem, "dcd", tol=1e-11)
        rows = np.sort(np.random.default_rng(seed).permutation(len(made.c))[: len(made.c) // 2])
        view = on_blocks(problem, rows, whole.alpha)
        assert view.problem.is_tilted and view.problem.constant != 0
        part = pragam.solve(view.problem, "dcd", tol=1e-10)
        assert part.converged
        assert part.certificate.primal == pytest.approx(whole.certificate.primal, rel=1e-9)
        assert np.allclose(part.w, whole.w, atol=1e-3 * (1 + np.abs(whole.w).max()))
        method = Dcd()
        state = method.init(view.problem, np.random.default_rng(0), None, 1e-9)
        for _ in range(10):
            state = method.step(view.problem, state)
            if not bias:
                assert state.dual == pytest.approx(
                    view.problem.dual(method.candidate(view.problem, state)[1]), rel=1e-9
                )


def test_a_multiplier_rests_while_no_active_variable_lies_on_its_plane():
    made = losses("ordinal", 1)
    problem = made.problem(1e-2, True)
    work, multipliers = working_set(problem, np.zeros(len(made.c)))
    chosen = np.flatnonzero(made.group != 1)
    work.active[: len(chosen)], work.n_active = chosen, len(chosen)
    assert work.planes_met().tolist() == [True, False, True]
    multipliers.planes.running[:-1] = 1.0
    before = multipliers.biases
    multipliers.ascend(work.planes_met())
    assert np.array_equal(before != multipliers.biases, [True, False, True])


@pytest.mark.parametrize("bias", [False, True])
def test_squared_losses_take_no_more_passes_than_the_hinge(bias):
    """On sparse text, where the curvature of g makes the dual strongly concave."""
    X, y = text(1500, 2000, 30, 0)
    for lam in (1e-3, 1e-5):
        hinge = pragam.solve(pragam.hinge(X, y, lam, bias=bias), "dcd", tol=1e-6)
        squared = pragam.solve(pragam.squared_hinge(X, y, lam, bias=bias), "dcd", tol=1e-6)
        assert squared.converged and squared.history.passes[-1] < hinge.history.passes[-1]


@pytest.mark.parametrize("risk", ["squared hinge", "tube", "ordinal"])
def test_the_first_estimate_within_the_tolerance_is_near_the_certified_gap(risk):
    ratios, method = [], Dcd()
    for seed in range(4):
        X, y = text(800, 2000, 30, seed)
        score = X @ np.random.default_rng(seed).standard_normal(2000)
        problem = {
            "squared hinge": lambda X=X, y=y: pragam.squared_hinge(X, y, 1e-3),
            "tube": lambda X=X, s=score: pragam.epsilon_insensitive(X, s, 1e-3),
            "ordinal": lambda X=X, s=score: pragam.ordinal_hinge(X, np.digitize(s, np.quantile(s, [0.25, 0.6])), 1e-3),
        }[risk]()
        for tol in (1e-2, 1e-3, 1e-5):
            state = method.init(problem, np.random.default_rng(seed), None, tol)
            while not (estimate := method.estimate(problem, state)) <= tol:
                state = method.step(problem, state)
            ratios.append(estimate / certify(problem, *method.candidate(problem, state)).relative_gap)
    assert np.min(ratios) > 0.2 and np.max(ratios) < 4 and 0.75 < np.median(ratios) < 2


@pytest.mark.parametrize("storage", STORAGES)
def test_variables_of_a_row_that_cannot_move_together_move_one_by_one(storage):
    """Where sigma is not the same multiple of scale for all of them: the same optimum."""
    made = losses("ordinal", 2)
    one = made.problem(0.05, True, STORAGES[storage])
    mixed = replace(one, B=Planes(np.where(made.group == 0, 2.0, 1.0) * made.scale, made.group, made.K))
    assert working_set(one, np.zeros(len(made.c)))[0].variables.joint
    assert not working_set(mixed, np.zeros(len(made.c)))[0].variables.joint
    first, second = (pragam.solve(problem, "dcd", tol=1e-8) for problem in (one, mixed))
    assert first.converged and second.converged
    assert first.certificate.primal == pytest.approx(second.certificate.primal, rel=1e-7)  # b_0 is halved, no more
    assert second.biases == pytest.approx(first.biases / [2.0, 1.0, 1.0], abs=1e-2)


@pytest.mark.parametrize("bias", [False, True])
def test_a_warm_start_goes_on_where_the_last_solve_ended(kind, bias):
    made = losses(kind, 5)
    problem = made.problem(0.05, bias)
    cold = pragam.solve(problem, "dcd", tol=1e-8)
    warm = pragam.solve(problem, "dcd", tol=1e-7, start=cold)
    assert warm.converged and warm.history.passes[-1] <= 12
    other = pragam.solve(made.problem(0.04, bias), "dcd", tol=1e-8, start=cold)
    assert other.converged
    assert other.certificate.primal == pytest.approx(made.optimum(0.04, bias), rel=1e-7)


def test_the_residuals_of_several_planes_vanish():
    made = losses("ordinal", 1)
    problem = made.problem(1e-2, True)
    work, multipliers = working_set(problem, sample(problem, 0))
    assert multipliers.residuals == pytest.approx(np.zeros(3), abs=1e-12)
    sizes = []
    for sweep in range(300):
        work.sweep(problem.lam, np.inf, sweep)
        assert multipliers.residuals == pytest.approx(problem.B.rmatvec(work.alpha), abs=1e-12)
        sizes.append(np.abs(multipliers.residuals).max())
        multipliers.ascend()
    assert max(sizes[-10:]) <= 0.05 * max(sizes[:10])
