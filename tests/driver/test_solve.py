"""The driver: history, repeatability, warm starts, budgets, callbacks and refusals, for every solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import pragam
from posed import posed
from pragam import Status
from zoo import PAIRS, SOLVERS, ZOO, hinge_case, max_affine_case, multiclass_case

LIMIT = 30
#: Weights and dual variables of the lengths of ``hinge_case("plain", .., 0)``.
W, ALPHA = np.zeros(6), np.zeros(25)


class Run(NamedTuple):
    problem: pragam.Problem
    solver: str
    result: pragam.Result


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def run(request):
    """One solve of each pair, for all tests that look at one: pytest runs them side by side."""
    solver, name = request.param
    problem = ZOO[name](0).problem
    return Run(problem, solver, pragam.solve(problem, solver, tol=1e-6, max_iter=LIMIT))


def test_history_is_monotone_and_ends_at_the_certificate(run):
    history, certificate = run.result.history, run.result.certificate
    assert np.all(np.diff(history.primal) <= 0) and np.all(np.diff(history.dual) >= 0)
    assert np.all(np.diff(history.gap) <= 0)
    assert np.all(np.diff(history.iteration) >= 0) and np.all(np.diff(history.passes) >= 0)
    assert np.all(np.diff(history.seconds) >= 0)
    last = (history.primal[-1], history.dual[-1], history.gap[-1], history.iteration[-1])
    assert last == (certificate.primal, certificate.dual, certificate.gap, run.result.n_iter)


def test_the_certificate_can_be_reproduced_exactly(run):
    result = run.result
    assert pragam.certify(run.problem, result.w, result.alpha) == result.certificate
    # The biases are part of the claim: J at them, evaluated plainly, is the certified value but for its slack.
    assert len(result.biases) == run.problem.n_biases
    value = run.problem.primal(result.w, result.biases)
    assert value == pytest.approx(result.certificate.primal, rel=1e-9, abs=2 * result.certificate.slack)
    assert result.solver == run.solver


def test_equal_seeds_give_equal_answers(run):
    """The seed is 0 unless one is given."""
    for seed in (0, np.random.default_rng(0)):
        again = pragam.solve(run.problem, run.solver, tol=1e-6, max_iter=LIMIT, random_state=seed)
        assert np.array_equal(run.result.w, again.w) and np.array_equal(run.result.alpha, again.alpha)
        assert run.result.certificate == again.certificate


def test_a_warm_start_is_never_worse_than_its_start(run):
    cold = run.result
    for start in (cold, (cold.w, cold.alpha)):
        for max_iter in (0, 3):
            warm = pragam.solve(run.problem, run.solver, tol=0.0, max_iter=max_iter, start=start)
            assert warm.certificate.gap <= cold.certificate.gap
    dual_only = pragam.solve(run.problem, run.solver, tol=0.0, max_iter=0, start=cold.alpha)
    assert dual_only.certificate.dual >= cold.certificate.dual - dual_only.certificate.slack


def test_other_seeds_take_other_ways():
    problem = hinge_case("tall", False, 0).problem
    for solver in ("dcd", "pegasos-1"):
        first, second = (pragam.solve(problem, solver, max_iter=2, random_state=s).alpha for s in (0, 1))
        assert not np.array_equal(first, second)


@pytest.mark.parametrize(("solver", "name"), [pair for pair in PAIRS if pair[0] in ("dcd", "qp-bmrm")])
def test_a_warm_start_at_the_solution_takes_no_iteration(solver, name):
    problem = ZOO[name](2).problem
    cold = pragam.solve(problem, solver, tol=1e-8, max_iter=5000)
    warm = pragam.solve(problem, solver, tol=1e-8, max_iter=5000, start=cold)
    assert warm.converged and warm.n_iter == 0


def test_a_warm_start_on_a_path_is_quicker():
    """From lam to 0.9 lam: fewer sweeps than from nothing, in total over 20 problems."""
    cold = warm = 0
    for seed in range(20):
        problem = hinge_case("plain", False, seed).problem
        near = posed(problem.A, problem.c, problem.Q, 0.9 * problem.lam)
        start = pragam.solve(problem, "pragam", tol=1e-3)
        cold += pragam.solve(near, "pragam", tol=1e-3).n_iter
        warm += pragam.solve(near, "pragam", tol=1e-3, start=start).n_iter
    assert warm < cold


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_empty_budgets_still_return_a_valid_gap(solver, name):
    case = ZOO[name](3)
    by_iterations = pragam.solve(case.problem, solver, tol=0.0, max_iter=0)
    by_seconds = pragam.solve(case.problem, solver, tol=0.0, max_seconds=0)
    assert by_iterations.status in (Status.MAX_ITER, Status.CONVERGED)
    assert by_seconds.status in (Status.MAX_SECONDS, Status.CONVERGED)
    for result in (by_iterations, by_seconds):
        assert result.n_iter == 0 and len(result.history) == 1
        assert result.certificate.dual <= case.optimum + 1e-9 <= result.certificate.primal + 2e-9
        assert np.isfinite(result.certificate.relative_gap)
        assert pragam.certify(case.problem, result.w, result.alpha) == result.certificate


def a_problem_for(solver, kind):
    """A hinge without a bias, or, for a solver that does not take it, a multiclass problem."""
    problem = hinge_case(kind, False, 0).problem
    return multiclass_case(0).problem if pragam.solvers.by_name(solver).missing(problem) else problem


@pytest.mark.parametrize("solver", SOLVERS)
def test_budgets_are_kept(solver):
    problem = a_problem_for(solver, "wide")
    result = pragam.solve(problem, solver, tol=0.0, max_iter=2)
    assert result.n_iter <= 2 and not result.converged
    assert result.status is Status.MAX_ITER or (result.status is Status.ROUNDING and solver == "newton-dense")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_callback_sees_each_iteration_and_stops_the_solve(solver):
    problem = a_problem_for(solver, "weights")
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 4

    result = pragam.solve(problem, solver, tol=1e-15, callback=callback)
    if result.status is Status.ROUNDING:  # of a solver that is there in fewer iterations
        assert result.n_iter < 4
        return
    assert result.status is Status.STOPPED and result.n_iter == 4
    assert [progress.iteration for progress in seen] == [1, 2, 3, 4]
    gaps = [progress.certificate.gap for progress in seen]
    assert np.all(np.diff(gaps) <= 0) and result.certificate.gap <= gaps[-1]
    assert all(progress.tol == 1e-15 for progress in seen)
    assert pragam.certify(problem, seen[0].w, seen[0].alpha) == seen[0].certificate


def test_a_callback_cannot_spoil_the_result():
    def callback(progress):
        for x in (progress.w, progress.alpha):
            with pytest.raises(ValueError, match="read-only"):
                x[0] = 7.0

    problem = hinge_case("plain", True, 0).problem
    result = pragam.solve(problem, "dcd", tol=1e-9, callback=callback)
    assert result.n_iter > 0 and result.converged
    result.w[0] += 0.0  # the result itself belongs to the user


def test_an_interrupt_in_a_callback_keeps_the_best_point():
    problem = hinge_case("plain", True, 0).problem

    def callback(progress):
        if progress.iteration == 3:
            raise KeyboardInterrupt

    result = pragam.solve(problem, "pragam", tol=0.0, callback=callback)
    assert result.status is Status.INTERRUPTED and np.isfinite(result.certificate.relative_gap)
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate


@pytest.mark.parametrize(("solver", "name"), [pair for pair in PAIRS if pair[0] in ("dcd", "qp-bmrm")])
def test_tolerance_zero_ends_by_itself(solver, name):
    result = pragam.solve(ZOO[name](6).problem, solver, tol=0.0)
    assert result.status in (Status.STALLED, Status.ROUNDING, Status.CONVERGED)


@pytest.mark.parametrize(
    ("solver", "problem", "words"),
    [
        ("dcd", max_affine_case(0).problem, ("'dcd'", "Q.lower", "Simplex")),
        ("dcd", multiclass_case(0).problem, ("'dcd'", "A.rows", "LabelRows", "Simplices")),
        ("pegasos-1", hinge_case("plain", True, 0).problem, ("'pegasos-1'", "without biases")),
        ("pegasos-1", multiclass_case(0).problem, ("'pegasos-1'", "LabelRows")),
    ],
)
def test_a_refusal_names_both_parties(solver, problem, words):
    with pytest.raises(ValueError) as error:
        pragam.solve(problem, solver)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize("solver", ["pegasos-n", "pegasos-1"])
def test_smooth_risks_are_refused_by_solvers_for_piecewise_linear_ones(solver):
    problem = hinge_case("plain", False, 0).problem
    smooth = posed(problem.A, problem.c, problem.Q, problem.lam, kappa=0.5)
    with pytest.raises(ValueError, match=rf"'{solver}'.*curvature is up to 0\.5"):
        pragam.solve(smooth, solver)
    assert pragam.solve(smooth, "auto", tol=1e-6).converged


@pytest.mark.parametrize(
    ("keywords", "argument"),
    [
        ({"solver": "simplex"}, "solver"),
        ({"solver": 3}, "solver"),
        ({"solver": pragam.solvers.Dcd}, "solver"),
        ({"tol": -1e-3}, "tol"),
        ({"tol": np.nan}, "tol"),
        ({"max_iter": -1}, "max_iter"),
        ({"max_seconds": -1.0}, "max_seconds"),
        ({"max_seconds": np.nan}, "max_seconds"),
        ({"start": np.zeros(3)}, "start"),
        ({"start": np.full(25, np.nan)}, "start"),
        ({"start": (np.full(6, np.inf), np.zeros(25))}, "start"),
        *(({"tol": bad}, "tol") for bad in (None, "a", 1j, [1, 2], True, np.array([1e-3]), -(10**400))),
        *(({"max_iter": bad}, "max_iter") for bad in ("a", 1.5, True, 1j, [1], np.inf)),
        *(({"max_seconds": bad}, "max_seconds") for bad in ("a", 1j, [1], True)),
        *(({"start": bad}, "start") for bad in ({}, "x", (), (ALPHA,), (None, ALPHA, None), ALPHA + 0j, ["0"] * 25)),
        *(({"start": bad}, "start") for bad in ((None, None), [[0], [0, 0]], np.ma.masked_array(ALPHA, ALPHA == 0))),
        *(({"random_state": bad}, "random_state") for bad in ("a", 1.5, -1, True, [-1], 1j)),
        *(({"callback": bad}, "callback") for bad in (5, "print", [print])),
        *(({"screening": bad}, "screening") for bad in ("no", None, 1)),
        *(({"stall": bad}, "stall") for bad in ("no", None, 0)),
    ],
)
def test_errors_name_the_argument(keywords, argument):
    with pytest.raises(ValueError, match=rf"\b{argument}\b") as error:
        pragam.solve(hinge_case("plain", False, 0).problem, **keywords)
    assert type(error.value) is ValueError


@pytest.mark.parametrize(
    ("keywords", "argument"),
    [
        *(({"w": bad}, "w") for bad in (None, "x", {}, 1j * W, ["0"] * 6, [[0], [0, 0]], np.ma.masked_equal(W, 0))),
        *(({"alpha": bad}, "alpha") for bad in ("x", {}, ALPHA + 0j, [[0], [0, 0]], np.ma.masked_equal(ALPHA, 0))),
        *(({"bias": bad}, "bias") for bad in ("x", {}, 0j, True, [[0], [0, 0]], np.ma.masked_array([0.0], [True]))),
    ],
)  # fmt: skip
def test_errors_of_certify_name_the_argument(keywords, argument):
    problem = hinge_case("plain", True, 0).problem
    with pytest.raises(ValueError, match=rf"^{argument}\b") as error:
        pragam.certify(problem, **({"w": W, "alpha": ALPHA} | keywords))
    assert type(error.value) is ValueError


def test_numbers_of_numpy_are_as_good_as_those_of_python():
    problem = hinge_case("plain", False, 0).problem
    plain = pragam.solve(problem, tol=float(np.float32(1e-6)), max_iter=50, max_seconds=10.0, random_state=3)
    numpy = pragam.solve(
        problem, tol=np.float32(1e-6), max_iter=np.int32(50), max_seconds=np.float16(10), random_state=np.uint8(3),
        screening=np.True_, stall=np.True_,
    )  # fmt: skip
    assert numpy.certificate == plain.certificate and numpy.n_iter == plain.n_iter
    assert pragam.solve(problem, tol=np.inf, max_seconds=np.inf).n_iter == 0


def test_a_start_outside_q_is_projected():
    problem = hinge_case("plain", True, 0).problem
    result = pragam.solve(problem, start=np.full(25, 1e3), tol=1e-9)
    assert result.converged


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_that_leaves_q_is_found_out(solver):
    """The driver trusts nobody: a candidate outside Q ends the solve with the last certified pair."""
    problem = a_problem_for(solver, "plain")
    method = pragam.solvers.choose(solver, problem)

    class Liar(type(method)):
        def candidate(self, problem, state):
            w, alpha = super().candidate(problem, state)
            return w, alpha + (1.0 if state.passes > 6 else 0.0)

    result = pragam.solve(problem, Liar(), tol=1e-15)
    assert result.status is Status.FAILED
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate


@pytest.mark.parametrize("stop", [{"tol": 1e-4}, {"tol": 0.0, "max_iter": 7}])
def test_what_a_solver_does_with_its_arrays_later_does_not_matter(stop):
    """A candidate may be the state's own arrays: here they become worthless as soon as the solver goes on."""
    problem = hinge_case("plain", False, 0).problem
    lent, seen = [], []

    class Spoiler(pragam.solvers.choose("pragam", problem).__class__):
        def candidate(self, problem, state):
            lent.append(tuple(x.copy() for x in super().candidate(problem, state)))
            return lent[-1]

        def step(self, problem, state):
            for x in lent[-1] if lent else ():
                x[:] = np.nan
            return super().step(problem, state)

    for callback in (None, seen.append):
        result = pragam.solve(problem, Spoiler(), callback=callback, **stop)
        assert len(lent) > 1 and pragam.certify(problem, result.w, result.alpha) == result.certificate
    assert all(pragam.certify(problem, at.w, at.alpha) == at.certificate for at in seen)
