"""The Newton methods on every sum of one-dimensional losses: bounds of any kind, curvature, planes, shared rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import box_rows, optimum
from pragam.certificate import certify
from pragam.conjugates import Quadratic, Zero
from pragam.operators import Planes, ScaledRows, SharedRows
from pragam.polytopes import Box
from pragam.problem import Problem, Rest
from pragam.solvers.newton import Newton
from risk_zoo import CASES, RISKS

SOLVERS = ["newton", "newton-dense"]
FAMILY = [case for case in CASES if case[0] not in ("multiclass", "multilabel")]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("risk", "bias"), FAMILY)
def test_every_risk_agrees_with_an_interior_point_method(risk, bias, weighted, solver):
    for seed in range(25):
        drawn = RISKS[risk](np.random.default_rng([seed, 7]), bias, weighted)
        result = pragam.solve(drawn.problem, solver, tol=1e-9, max_iter=200)
        assert result.converged, (seed, result.status, result.reason[:200])
        assert result.certificate.primal == pytest.approx(drawn.optimum().value, rel=1e-7, abs=1e-9), seed


def drawn(seed, curvature, planes, number=False):
    """A problem in the whole form, with a tilt, levels that are not 0, and a constant; and all of its numbers.

    Without curvature the boxes are bounded. With it, some are half-lines, of either direction, or lines. Of "some" rows
    a third has none (and bounds), which a set on planes does not allow.
    """
    rng = np.random.default_rng([seed, planes, number])
    n, d = int(rng.integers(8, 30)), int(rng.integers(1, 6))
    X, scale = rng.standard_normal((n, d)), rng.uniform(0.5, 2.0, n) * rng.choice([-1.0, 1.0], n)
    reads = rng.integers(0, n, n) if number else np.arange(n)
    lower, upper = -rng.exponential(size=n) / n, rng.exponential(size=n) / n
    kappa = np.zeros(n) if curvature == "none" else n * rng.exponential(size=n)
    if curvature == "some":
        kappa[::3] = 0.0
    if curvature != "none":
        lower[(kappa > 0) & (rng.random(n) < 0.4)], upper[(kappa > 0) & (rng.random(n) < 0.4)] = -np.inf, np.inf
    lower[1] = upper[1] = 0.1 / n  # a row that cannot move
    B = Planes(rng.uniform(0.5, 2.0, n) * rng.choice([-1.0, 1.0], n), np.arange(n) % max(planes, 1), planes)
    c, lam = 3 * rng.standard_normal(n), float(10 ** rng.uniform(-2, 0.5))
    share = rng.uniform(0.1, 0.9, n)
    inside = share * np.maximum(lower, -1 / n) + (1 - share) * np.minimum(upper, 1 / n)
    rest = Rest(0.1 * rng.standard_normal(d), -B.rmatvec(inside), 0.7)
    A = SharedRows(X, reads, scale) if number else ScaledRows(X, scale)
    problem = Problem(A, c, Box(lower, upper), lam, B, Quadratic(kappa) if kappa.any() else Zero(), rest=rest)
    columns = np.where(np.arange(planes) == B.group[:, None], B.sigma[:, None], 0.0)
    numbers = (scale[:, None] * X[reads], c, box_rows(lower, upper), lam, kappa, columns)
    return problem, optimum(*numbers, problem.levels, problem.tilt, problem.constant)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("number", [False, True], ids=["own rows", "shared rows"])
@pytest.mark.parametrize(("curvature", "planes"), [
    ("none", 0), ("none", 1), ("none", 3), ("some", 0), ("all", 0), ("all", 1), ("all", 3),
])  # fmt: skip
def test_the_whole_form_agrees_with_an_interior_point_method(curvature, planes, number, solver):
    for seed in range(15):
        problem, best = drawn(seed, curvature, planes, number)
        result = pragam.solve(problem, solver, tol=1e-9, max_iter=300)
        assert result.converged, (seed, result.status, result.reason[:200])
        assert result.certificate.primal == pytest.approx(best.value, rel=1e-7, abs=1e-9), seed


def test_an_infinite_side_without_curvature_is_refused():
    problem = Problem(ScaledRows(np.eye(3), np.ones(3)), np.ones(3), Box(np.zeros(3), np.full(3, np.inf)), 1.0)
    for solver in SOLVERS:
        with pytest.raises(ValueError, match="bounded Q"):
            pragam.solve(problem, solver)


def family(X, lam, seed=1):
    """Every risk of the family on these data, with weights of which some are zero."""
    rng = np.random.default_rng(seed)
    n, core = len(X), X - X.mean(axis=0)
    core = core / np.abs(core).max()
    noisy = core[:, 0] + 0.3 * rng.standard_normal(n)
    weights = rng.exponential(size=n) * (rng.random(n) < 0.8)
    weights[np.argsort(noisy)[[0, n // 3, n // 2, -1]]] = 1.0
    y, levels = np.where(noisy > 0, 1, -1), np.digitize(noisy, np.quantile(noisy, [0.25, 0.5, 0.75]))
    more = {"sample_weight": weights}
    return {
        "hinge": pragam.hinge(X, y, lam, **more),
        "squared": pragam.squared_hinge(X, y, lam, **more),
        "smoothed": pragam.smoothed_hinge(X, y, lam, gamma=0.5, **more),
        "hardly smoothed": pragam.smoothed_hinge(X, y, lam, gamma=0.01, **more),
        "tube": pragam.epsilon_insensitive(X, noisy, lam, epsilon=0.1, **more),
        "quantile": pragam.quantile(X, noisy, lam, q=0.3, **more),
        "ordinal": pragam.ordinal_hinge(X, levels, lam, **more),
    }


NAMES = list(family(np.random.default_rng(0).standard_normal((20, 3)), 1.0))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("lam", [1e-8, 1e-5, 1e-2, 1e3])
@pytest.mark.parametrize("name", NAMES)
def test_the_scale_of_the_data_makes_no_difference(name, lam, solver):
    """X times t and lam times t^2 is the same problem."""
    X = np.random.default_rng(0).standard_normal((120, 6))
    values = []
    for t in (1.0, 1e-100, 1e100):
        result = pragam.solve(family(X * t, lam * t * t)[name], solver, tol=1e-9, max_iter=300)
        assert result.converged, (t, result.status, result.reason[:200])
        values.append(result.certificate.primal)
    assert values == pytest.approx([values[0]] * 3, rel=2e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("lam", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("name", NAMES)
def test_a_common_offset_makes_no_difference_to_a_model_with_biases(name, lam, solver):
    X = np.random.default_rng(0).standard_normal((150, 5))
    values = []
    for offset in (0.0, 1e3, 1e6):
        result = pragam.solve(family(X + offset, lam)[name], solver, tol=1e-8, max_iter=300)
        assert result.converged, (offset, result.status, result.reason[:200])
        values.append(result.certificate.primal)
    # Data near 1e6 are stored with ten digits after the point.
    assert values == pytest.approx([values[0]] * 3, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("risk", [pragam.quantile, pragam.epsilon_insensitive])
def test_the_unit_and_the_offset_of_the_targets_make_no_difference(risk, solver):
    """Targets t y + u: the same steps, but for rounding."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8))
    y = X @ rng.standard_normal(8) + rng.standard_normal(400)
    more = {"epsilon": 0.0} if risk is pragam.epsilon_insensitive else {}
    plain = pragam.solve(risk(X, y, 1e-3, **more), solver, tol=1e-8)
    for t, u in ((1e-6, 0.0), (1e6, 0.0), (1.0, 1e5)):
        # J of t y at t w, with lam / t, is t times as large.
        result = pragam.solve(risk(X, t * y + u, 1e-3 / t, **more), solver, tol=1e-8)
        assert result.converged and result.n_iter <= plain.n_iter + 3
        assert result.certificate.primal == pytest.approx(t * plain.certificate.primal, rel=3e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("bias", [False, True])
def test_squared_hinges_take_one_stage_of_a_few_steps(bias, kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 30))
    y = np.where(X @ rng.standard_normal(30) + 3 * rng.standard_normal(3000) > 0, 1, -1)
    for lam in (1e-6, 1e-3, 1.0):
        result = pragam.solve(pragam.squared_hinge(kind(X), y, lam, bias=bias), "newton", tol=1e-9)
        assert result.converged and result.n_iter <= 6


@pytest.mark.parametrize("name", NAMES)
def test_a_working_set_leaves_rows_out_and_the_answer_right(name):
    X = np.random.default_rng(0).standard_normal((3000, 5))
    problem, method = family(X, 1e-5)[name], Newton()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    smallest = problem.Q.size
    for _ in range(80):
        if method.estimate(problem, state) <= 1e-10:
            break
        state = method.step(problem, state)
        smallest = min(smallest, len(state.active.s))
    assert certify(problem, *method.candidate(problem, state)).relative_gap <= 1e-9
    if name not in ("squared", "smoothed"):  # which end before any row is left out
        assert smallest < 0.5 * problem.Q.size


def test_rows_that_are_shared_are_as_good_as_copies():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    problem = pragam.ordinal_hinge(X, np.digitize(X[:, 0] + rng.standard_normal(200), [-1, 0, 1]), 1e-3)
    rows = problem.A.rows()
    copied = Problem(ScaledRows(X[rows.number], rows.scale), problem.c, problem.Q, problem.lam, problem.B)
    for solver in SOLVERS:
        shared, own = (pragam.solve(p, solver, tol=1e-10) for p in (problem, copied))
        assert np.allclose(shared.w, own.w, rtol=1e-6) and shared.n_iter == own.n_iter


def test_a_warm_start_is_used():
    X = np.random.default_rng(0).standard_normal((800, 6))
    for name, problem in family(X, 1e-4).items():
        cold = pragam.solve(problem, "newton", tol=1e-8)
        again = pragam.solve(problem, "newton", tol=1e-8, start=cold)
        assert again.converged and again.n_iter <= max(2, cold.n_iter // 2), name
