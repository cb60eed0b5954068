"""Safe screening: nothing that it proves is ever wrong, and what is left is the same problem."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import pragam
from exact_judge import exact_solution
from polytopes.strategies import boxes, exact_biases, vectors
from posed import posed
from pragam import Status
from pragam.certificate.optimum import neighbourhood, scores_near
from pragam.certificate.sphere import sphere
from pragam.conjugates import Quadratic
from pragam.driver import screened
from pragam.driver.screening import can_screen, likely_share, proven_vertices, without
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane
from problem_strategies import problems
from zoo import BOXES, ZOO, hinge_case, max_affine_case

METHODS = ("auto", "dcd", "newton")


def random_problem(rng):
    """Any box or plane: duplicates, empty rows, equal bounds, offsets of both signs, lengths over many scales."""
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-2, 2, d if rng.random() < 0.5 else (n, 1))
    X = X[rng.integers(0, n, n)] if rng.random() < 0.5 else X
    X[rng.random(n) < 0.1] = 0
    lower = np.where(rng.random(n) < 0.5, 0.0, -rng.random(n)) / n
    upper = np.where(rng.random(n) < 0.1, lower, lower + rng.exponential(size=n) / n)
    sigma = np.where(rng.random(n) < 0.1, 0.0, rng.choice([-1, 1], n) * 10.0 ** (rng.uniform(-1, 1, n) * (n % 2)))
    inner = lower + rng.random(n) * (upper - lower)
    plane = rng.random() < 0.6 and np.abs(sigma) @ (upper - lower) > 0
    Q = BoxPlane(lower, upper, sigma, float(sigma @ inner)) if plane else Box(lower, upper)
    c = np.ones(n) if rng.random() < 0.5 else rng.standard_normal(n)
    data = sparse.csr_array(X) if rng.random() < 0.3 else X
    return posed(ScaledRows(data, rng.choice([-1.0, 1.0], n)), c, Q, float(10 ** rng.uniform(-4, 1)))


def multiclass_with_biases():
    return pragam.multiclass_hinge(np.eye(3), [0, 1, 2], lam=0.1, bias=True)


def solved(problem):
    return pragam.solve(problem, tol=1e-13, screening=False)


def pairs(problem, exact, rng):
    """Certified pairs from useless to exact: (w, alpha, certificate)."""
    for t in [*10.0 ** np.arange(-12, 1, 2), 0.0]:
        w = exact.w * (1 + t * rng.standard_normal()) + t * rng.standard_normal(problem.n_weights)
        alpha = np.clip((1 - t) * exact.alpha + t * problem.domain.sample(rng), problem.Q.lower, problem.Q.upper)
        yield w, alpha, pragam.certify(problem, w, alpha)


def test_no_proven_row_is_wrong():
    """With the proven rows fixed, alpha still attains the optimal value: D* is lost as soon as one is wrong."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng)
        exact = solved(problem)
        for w, alpha, certificate in pairs(problem, exact, rng):
            known = proven_vertices(problem, w, alpha, certificate)
            rest = without(problem, known, exact.alpha)
            best = solved(rest.problem)
            whole = pragam.certify(problem, best.w, rest.lift(best.alpha))
            moved = rest.problem.tilt
            size = abs(rest.problem.constant) + abs(exact.certificate.primal) + float(moved @ moved) / problem.lam
            lost = exact.certificate.dual - whole.dual
            assert lost <= best.certificate.gap + 1e-12 * size, f"seed {seed}"


def exactly(vector):
    return [Fraction(x) for x in vector.tolist()]


def distance2(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


@settings(max_examples=200)
@given(problems(boxes(), smooth=False), st.sampled_from([0, 50, 30, 10, 3, None]), st.data())
def test_all_that_is_said_of_the_optimum_is_true_of_the_rational_one(posed, nearness, data):
    """From the optimum moved by 2^-nearness, or from anywhere: the sphere, the scores, the bias and the rows."""
    problem, member, anywhere = posed
    Q, best = problem.domain, exact_solution(problem)
    w, alpha = np.array(best.w, dtype=float), Q.project(np.array(best.alpha, dtype=float))
    if nearness is None:
        w, alpha = anywhere, member
    elif nearness:
        w = w * (1 + 2.0**-nearness * data.draw(vectors(len(w))))
        alpha = Q.project((1 - 2.0**-nearness) * alpha + 2.0**-nearness * member)
    certificate = pragam.certify(problem, w, alpha)
    centre, r, *_ = sphere(problem, w, alpha, certificate)
    near = neighbourhood(problem, w, certificate)
    for around, distance in ((centre, r), (w, near.radius)):
        assert distance == np.inf or distance2(exactly(around), best.w) <= Fraction(distance) ** 2
    size = np.linalg.norm(w) + problem.A.row_norms() @ np.abs(alpha) / problem.lam
    assert r <= near.radius / np.sqrt(2) * (1 + 1e-9) + 1e-12 * size  # the smaller one, but for rounding
    A = [exactly(problem.A.rmatvec(e)) for e in np.eye(Q.size)]  # of small dyadic numbers, hence exact
    slopes = [
        Fraction(c) + sum(a * x for a, x in zip(row, best.w, strict=True)) for c, row in zip(problem.c, A, strict=True)
    ]
    if r < np.inf:
        s, room = scores_near(problem, centre, r)
        assert all(abs(x - y) <= Fraction(z) for x, y, z in zip(exactly(s), slopes, room, strict=True))
    low, high = exact_biases(Q, slopes) if isinstance(Q, BoxPlane) else (0, 0)
    assert near.low <= low and high <= near.high
    known = proven_vertices(problem, w, alpha, certificate)
    for i in np.flatnonzero(~np.isnan(known) & (Q.lower < Q.upper)):
        assert known[i] == best.alpha[i]
        assert best.least[i] > 0 if known[i] == Q.upper[i] else best.greatest[i] < 0


def exact_case(kind, seed):
    """A few rows whose optimum rational arithmetic finds, of a kind that float64 has trouble with."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X, y = rng.standard_normal((n, d)), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X += 0.5 * y[:, None]
    c, lam = np.ones(n), float(10 ** rng.uniform(-3, 0))
    if kind == "cancelling entries":  # t, x, -t in one place: of norm |x|, and of rounding t u
        t = 10.0 ** (rng.uniform(8, 17) + rng.uniform(-1, 1, (n, d)))
        columns = np.tile(np.repeat(np.arange(d), 3), n)
        data = np.stack([t, X, -t], axis=2).ravel()
        X = sparse.csr_array((data, columns, 3 * d * np.arange(n + 1)), shape=(n, d))
    elif kind == "squares underflow":  # |x|^2 is below the smallest float, and the problem is an ordinary one
        X, c, lam = 1e-165 * X, 1e-30 * c, 1e-300 * lam
    elif kind == "scores underflow":  # <a_i, w> and c_i are below the smallest normal number, or next to it
        scale = 10.0 ** rng.uniform(-162, -145)
        X, c = scale * X, scale * scale * c
    elif kind == "tiny":
        X, c = 1e-300 * X, 10.0 ** rng.uniform(-320, -280) * c
    elif kind == "offset":
        X = X + 1e6
    else:
        assert kind == "whole numbers"  # ties: slopes that are exactly 0
        X, lam = np.rint(X), 0.125
    u = np.full(n, 1 / n) if rng.random() < 0.5 else rng.integers(0, 3, n) / n
    lower = np.where(rng.random(n) < 0.3, -u, 0.0) if rng.random() < 0.3 else np.zeros(n)
    Q = BoxPlane(lower, u, y) if rng.random() < 0.5 and u.any() else Box(lower, u)
    return posed(ScaledRows(X, -y), c, Q, lam)


KINDS = ("cancelling entries", "squares underflow", "scores underflow", "tiny", "offset", "whole numbers")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proved_is_true_of_the_rational_optimum(kind):
    """A row is fixed only where its slope has that sign at the exact w* and at every best bias: in every optimum."""
    n_proved = 0
    for seed in range(40):
        problem, rng = exact_case(kind, seed), np.random.default_rng(seed)
        Q, best = problem.domain, exact_solution(problem)
        for t in [*10.0 ** np.arange(-12, 1, 2), 0.0]:
            w = np.array(best.w, dtype=float) * (1 + t * rng.standard_normal(problem.n_weights))
            alpha = Q.project((1 - t) * np.array(best.alpha, dtype=float) + t * Q.sample(rng))
            known = proven_vertices(problem, w, alpha, pragam.certify(problem, w, alpha))
            for i in np.flatnonzero(~np.isnan(known) & (Q.lower < Q.upper)):
                assert known[i] == best.alpha[i]
                assert best.least[i] > 0 if known[i] == Q.upper[i] else best.greatest[i] < 0
                n_proved += 1
    assert n_proved > (20 if kind == "offset" else 300)


@pytest.mark.parametrize("part", ["A", "Q"])
def test_a_part_that_bounds_no_rounding_is_not_screened(part):
    class Rows(ScaledRows):
        pass

    class Cube(Box):
        pass

    problem, near = warm_case(False)
    A = Rows(problem.A.storage, problem.A.scale) if part == "A" else problem.A
    Q = Cube(problem.Q.lower, problem.Q.upper) if part == "Q" else problem.Q
    stranger = posed(A, problem.c, Q, problem.lam)
    assert can_screen(problem) and not can_screen(stranger)
    result = pragam.solve(stranger, tol=1e-9, start=near)
    assert result.converged and result.n_screened == 0
    assert np.isnan(proven_vertices(stranger, result.w, result.alpha, result.certificate)).all()


@pytest.mark.parametrize("name", BOXES)
def test_screening_gets_there(name):
    """From the solution, all rows whose slope is clearly not zero are proved, and the rest has the optimal value."""
    case = ZOO[name](0)
    problem, Q = case.problem, case.problem.domain
    exact = solved(problem)
    known = proven_vertices(problem, exact.w, exact.alpha, exact.certificate)
    slopes = problem.c + problem.A.matvec(exact.w) + problem.B.matvec(exact.biases)
    low, high = Q._biases(problem.c + problem.A.matvec(exact.w)) if isinstance(Q, BoxPlane) else (0.0, 0.0)
    clear = np.abs(slopes) > 1e-3 * (1 + problem.A.row_norms()) + (high - low)
    assert not np.isnan(known[clear]).any()
    rest = without(problem, known, exact.alpha)
    assert rest.n_fixed >= min(clear.sum(), Q.size - 1)
    best = pragam.solve(rest.problem, tol=1e-10)
    assert best.certificate.dual == pytest.approx(case.optimum, rel=1e-6, abs=1e-8)
    assert pragam.certify(problem, best.w, rest.lift(best.alpha)).relative_gap <= 1e-6


@pytest.mark.parametrize("name", BOXES)
def test_a_problem_on_some_rows_is_the_same(name):
    """D everywhere; J where the fixed rows sit at the bounds that their slopes ask for, else J is larger."""
    problem = ZOO[name](1).problem
    Q = problem.domain
    rng = np.random.default_rng(0)
    alpha = Q.sample(rng)
    known = np.where(rng.random(Q.size) < 0.5, alpha, np.nan)
    rest = without(problem, known, alpha)
    assert rest.share == pytest.approx(1 - rest.n_fixed / Q.size)
    for _ in range(5):
        w, part = rng.standard_normal(problem.n_weights), rest.problem.domain.sample(rng)
        whole = rest.lift(part)
        assert problem.dual(whole) == pytest.approx(rest.problem.dual(part), rel=1e-9, abs=1e-9)
        assert np.allclose(problem.w_of_alpha(whole), rest.problem.w_of_alpha(part), atol=1e-9)
        assert problem.primal(w) >= rest.problem.primal(w) - 1e-9
        assert np.array_equal(rest.restrict(whole), part)


@pytest.mark.parametrize(
    "problem",
    [
        max_affine_case(0).problem,
        multiclass_with_biases(),
        replace(hinge_case("plain", False, 0).problem, g=Quadratic(0.1)),
        posed(ScaledRows(np.eye(2), np.ones(2)), -np.ones(2), Box(np.zeros(2), np.full(2, np.inf)), 1.0),
    ],
    ids=["max affine", "biases of labels", "smooth", "unbounded"],
)
def test_where_the_proof_does_not_apply(problem):
    assert not can_screen(problem)
    start = problem.domain.project(np.zeros(problem.Q.size))
    assert pragam.solve(problem, tol=1e-3, start=start, max_iter=50).n_screened == 0


def test_an_infinite_gap_proves_nothing_and_a_point_just_outside_is_repaired():
    problem = hinge_case("plain", False, 0).problem
    exact = solved(problem)
    useless = pragam.Certificate(np.inf, 0.0, rigorous=True)
    assert np.isnan(proven_vertices(problem, exact.w, exact.alpha, useless)).all()
    out = exact.alpha + 1e-15
    inside, outside = (
        proven_vertices(problem, exact.w, alpha, pragam.certify(problem, exact.w, alpha))
        for alpha in (exact.alpha, out)
    )
    np.testing.assert_array_equal(outside, inside)
    assert not np.isnan(inside).all()


def warm_case(bias, n=400, lam=1e-2):
    """A problem and the solution of its neighbour on a lambda path: most rows can be screened."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 4))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1, -1)
    near = pragam.solve(pragam.hinge(X, y, lam=1.05 * lam, bias=bias), tol=1e-8)
    return pragam.hinge(X, y, lam=lam, bias=bias), near


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", METHODS)
def test_a_screened_solve_has_the_same_answer(solver, bias):
    problem, near = warm_case(bias)
    plain = pragam.solve(problem, solver, tol=1e-9, start=near, screening=False)
    result = pragam.solve(problem, solver, tol=1e-9, start=near)
    assert plain.converged and result.converged and result.solver.startswith(solver)
    assert plain.n_screened == 0 and result.n_screened >= 200
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)
    assert abs(result.certificate.primal - plain.certificate.primal) <= 1e-9 * plain.certificate.primal
    assert np.linalg.norm(result.w - plain.w) <= 2 * np.sqrt(2 * 1e-9 * plain.certificate.primal / problem.lam)
    history = result.history
    assert np.all(np.diff(history.passes) >= 0) and np.all(np.diff(history.gap) <= 0)
    assert (history.iteration[-1], history.gap[-1]) == (result.n_iter, result.certificate.gap)
    again = pragam.solve(problem, solver, tol=1e-9, start=near)
    assert np.array_equal(again.w, result.w) and np.array_equal(again.alpha, result.alpha)


@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("solver", METHODS)
def test_screened_solves_over_the_zoo(solver, name, monkeypatch):
    """Screening at every chance, however few the rows."""
    monkeypatch.setattr(screened, "_SHARE", 1e-9)
    monkeypatch.setattr(screened, "likely_share", lambda *_: 1.0)
    case = ZOO[name](2)
    problem = case.problem
    near = replace(problem, lam=1.1 * problem.lam)
    result = pragam.solve(problem, solver, tol=1e-8, start=pragam.solve(near, tol=1e-8))
    assert result.converged
    slack = 1e-7 * abs(case.optimum) + 1e-9
    assert result.certificate.dual - slack <= case.optimum <= result.certificate.primal + slack
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)


def test_cold_solves_and_other_solvers_are_not_screened():
    problem, near = warm_case(False)
    assert pragam.solve(problem, tol=1e-6).n_screened == 0
    assert pragam.solve(problem, "qp-bmrm", tol=1e-6, start=near).n_screened == 0


def test_no_digits_are_given_away():
    """What is fixed enters as a tilt, not as a substitution of w: a screened solve ends at rounding, as a whole one."""
    problem, near = warm_case(False)
    result = pragam.solve(problem, "dcd", tol=0.0, start=near)
    assert result.n_screened > 0 and result.certificate.relative_gap <= 1e-12


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", METHODS)
def test_stops_in_the_screened_phase(solver, bias):
    """A callback, Ctrl-C and budgets, when rows have left: the point is that of the whole problem."""
    problem, near = warm_case(bias)

    def interrupt(progress):
        raise KeyboardInterrupt

    for keywords, status in (
        ({"callback": lambda progress: True}, Status.STOPPED),
        ({"callback": interrupt}, Status.INTERRUPTED),
        ({"max_iter": 1}, Status.MAX_ITER),
    ):
        result = pragam.solve(problem, solver, tol=1e-12, start=near, **keywords)
        assert result.status in (status, Status.CONVERGED) and result.n_iter == 1
        assert result.n_screened > 0
        assert result.alpha.size == problem.Q.size
        assert result.certificate == pragam.certify(problem, result.w, result.alpha)
        assert result.certificate.gap <= pragam.certify(problem, near.w, near.alpha).gap


def test_an_interrupt_while_rows_leave_keeps_the_last_state(monkeypatch):
    problem, near = warm_case(False)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(screened, "without", interrupt)
    result = pragam.solve(problem, "dcd", tol=1e-9, start=near)
    assert result.status is Status.INTERRUPTED and result.n_screened == 0
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)


def test_a_solver_that_leaves_q_is_found_out_when_screened():
    problem, near = warm_case(False)

    class Liar(pragam.solvers.Dcd):
        def candidate(self, problem, state):
            w, alpha = super().candidate(problem, state)
            return w, alpha + (1.0 if state.passes > 3 else 0.0)

    result = pragam.solve(problem, Liar(), tol=1e-12, start=near)
    assert result.status is Status.FAILED and result.n_screened > 0
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)


def test_the_guess_is_a_share_and_finds_an_easy_case():
    for bias in (False, True):
        problem, _ = warm_case(bias)
        exact = solved(problem)
        assert likely_share(problem, exact.w, exact.certificate) > 0.8
        bad = pragam.certify(problem, np.zeros(4), np.zeros(problem.Q.size))
        assert likely_share(problem, np.zeros(4), bad) == 0.0
