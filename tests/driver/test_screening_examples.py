"""Safe screening of models of several labels: an example leaves with all of its dual variables, and never wrongly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import pragam
from exact_judge import exact_solution
from polytopes.strategies import pairs, simplices, vectors
from pragam.certificate.sphere import sphere
from pragam.driver import screened
from pragam.driver.screening import can_screen, likely_share, proven_vertices, without
from pragam.operators import LabelRows
from pragam.views import on_blocks
from problem_strategies import problems
from zoo import risk_case

RISKS = ("multiclass", "multilabel")
METHODS = ("auto", "sequential-dual")


def data(kind, rng, n, d, K, spread=1.0):
    """Rows around a centre a label; of several labels around the sum of theirs."""
    centres = 3 * rng.standard_normal((K, d))
    if kind == "multiclass":
        y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
        return centres[y] + spread * rng.standard_normal((n, d)), y
    Y = rng.random((n, K)) < 0.4
    Y[0], Y[0, 0] = False, True
    return Y @ centres + spread * rng.standard_normal((n, d)), Y.astype(int)


def posed(kind, X, y, lam, **keywords):
    return (pragam.multiclass_hinge if kind == "multiclass" else pragam.multilabel_hinge)(X, y, lam, **keywords)


def random_problem(kind, rng):
    """Duplicates, empty rows, weights of 0, a cost matrix, lengths over many scales."""
    n, d, K = int(rng.integers(5, 30)), int(rng.integers(1, 7)), int(rng.integers(2, 6))
    X, y = data(kind, rng, n, d, K, spread=float(rng.choice([0.3, 1.0, 4.0])))
    X = X * 10.0 ** rng.uniform(-1, 1, d if rng.random() < 0.5 else (n, 1))
    rows = np.r_[np.arange(K), rng.integers(0, n, n - K)] if rng.random() < 0.5 else np.arange(n)
    X, y = X[rows], y[rows]
    X[rng.random(n) < 0.1] = 0
    keywords = {"sample_weight": rng.integers(0, 3, n) + rng.random()} if rng.random() < 0.5 else {}
    if kind == "multiclass" and rng.random() < 0.5:
        cost = rng.random((K, K)) * 2
        np.fill_diagonal(cost, 0)
        keywords["cost"] = cost
    X = sparse.csr_array(X) if rng.random() < 0.3 else X
    return posed(kind, X, y, float(10 ** rng.uniform(-3, 0.5)), **keywords)


def solved(problem):
    return pragam.solve(problem, tol=1e-12, screening=False, max_seconds=20)


@pytest.mark.parametrize("kind", RISKS)
def test_no_proven_example_is_wrong(kind):
    """With the proven examples fixed, alpha still attains the optimal value: D* is lost as soon as one is wrong."""
    n_proved = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        problem = random_problem(kind, rng)
        exact = solved(problem)
        for t in [1e-9, 1e-6, 1e-4, 1e-2, 1.0, 0.0]:
            w = exact.w * (1 + t * rng.standard_normal()) + t * rng.standard_normal(problem.n_weights)
            alpha = (1 - t) * exact.alpha + t * problem.Q.sample(rng)
            known = proven_vertices(problem, w, alpha, pragam.certify(problem, w, alpha))
            rest = without(problem, known, exact.alpha)
            n_proved += rest.n_fixed
            if rest.n_fixed == 0:
                continue
            best = solved(rest.problem)
            whole = pragam.certify(problem, best.w, rest.lift(best.alpha))
            lost = exact.certificate.dual - whole.dual
            size = abs(rest.problem.constant) + abs(exact.certificate.primal)
            assert lost <= best.certificate.gap + 1e-11 * size, f"seed {seed}"
    assert n_proved > 500


def exactly(vector):
    return [Fraction(x) for x in vector.tolist()]


@settings(max_examples=150)
@given(
    problems(st.one_of(simplices(), pairs()), smooth=False).filter(lambda drawn: can_screen(drawn.problem)),
    st.sampled_from([0, 50, 30, 10, 3, None]),
    st.data(),
)
def test_all_that_is_said_of_the_optimum_is_true_of_the_rational_one(drawn, nearness, data):
    """From the optimum moved by 2^-nearness, or from anywhere: the sphere holds w*, and alpha* is what was proved."""
    problem, member, anywhere = drawn
    Q, best = problem.Q, exact_solution(problem)
    w, alpha = np.array(best.w, dtype=float), Q.project(np.array(best.alpha, dtype=float))
    if nearness is None:
        w, alpha = anywhere, member
    elif nearness:
        w = w * (1 + 2.0**-nearness * data.draw(vectors(len(w))))
        alpha = Q.project((1 - 2.0**-nearness) * alpha + 2.0**-nearness * member)
    certificate = pragam.certify(problem, w, alpha)
    centre, r, *_ = sphere(problem, w, alpha, certificate)
    far = sum((a - b) ** 2 for a, b in zip(exactly(centre), best.w, strict=True))
    assert r == np.inf or far <= Fraction(r) ** 2
    known = proven_vertices(problem, w, alpha, certificate)
    for i in np.flatnonzero(~np.isnan(known)):
        assert Fraction(known[i]) == best.alpha[i]


@pytest.mark.parametrize("kind", RISKS)
def test_screening_gets_there(kind):
    """From the solution, every example whose best vertex clearly wins is proved."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = data(kind, rng, 60, 4, 4)
        problem = posed(kind, X, y, 1e-2)
        exact = solved(problem)
        known = problem.Q.rows(proven_vertices(problem, exact.w, exact.alpha, exact.certificate))
        s = problem.Q.rows(problem.scores(exact.w))
        if kind == "multiclass":
            first, second = np.sort(s, axis=1)[:, :-3:-1].T
            clear = first - second > 1e-3 * (1 + np.linalg.norm(X, axis=1))
        else:
            clear = problem.Q._heights(s) < -1e-3 * (1 + np.linalg.norm(X, axis=1))
        assert clear.mean() > 0.3
        assert not np.isnan(known[clear]).any()


def warm_case(kind, n=300, lam=1e-2):
    """A problem and the solution of its neighbour on a lambda path: most examples can be screened."""
    X, y = data(kind, np.random.default_rng(3), n, 4, 4)
    return posed(kind, X, y, lam), pragam.solve(posed(kind, X, y, 1.02 * lam), tol=1e-8)


@pytest.mark.parametrize("kind", RISKS)
@pytest.mark.parametrize("solver", METHODS)
def test_a_screened_solve_has_the_same_answer(solver, kind):
    problem, near = warm_case(kind)
    assert can_screen(problem)
    plain = pragam.solve(problem, solver, tol=1e-8, start=near, screening=False)
    result = pragam.solve(problem, solver, tol=1e-8, start=near)
    assert plain.converged and result.converged and result.solver.startswith(solver)
    assert plain.n_screened == 0 and 150 <= result.n_screened < 300
    assert result.alpha.size == problem.Q.size
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)
    assert abs(result.certificate.primal - plain.certificate.primal) <= 1e-8 * plain.certificate.primal
    again = pragam.solve(problem, solver, tol=1e-8, start=near)
    assert np.array_equal(again.w, result.w) and np.array_equal(again.alpha, result.alpha)


@pytest.mark.parametrize("name", RISKS)
@pytest.mark.parametrize("solver", ["auto", "sequential-dual", "proximal-newton", "qp-bmrm"])
def test_screened_solves_over_the_zoo(solver, name, monkeypatch):
    """Screening at every chance, however few the examples; and every solver on what is left."""
    monkeypatch.setattr(screened, "_SHARE", 1e-9)
    monkeypatch.setattr(screened, "likely_share", lambda *_: 1.0)
    method = pragam.solvers.by_name(solver)
    monkeypatch.setattr(type(method), "may_drop_rows", True)
    case = risk_case(name, False, 1)
    problem = case.problem
    near = pragam.solve(problem.at(1.05 * problem.lam), tol=1e-7)
    result = pragam.solve(problem, method, tol=1e-6, start=near)
    assert result.converged
    slack = 1e-6 * abs(case.optimum) + 1e-9
    assert result.certificate.dual - slack <= case.optimum <= result.certificate.primal + slack
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", RISKS)
def test_a_problem_on_some_examples_is_the_same(kind, bias):
    """D everywhere; J where the fixed examples sit at the vertices that their scores ask for, else J is larger."""
    rng = np.random.default_rng(7)
    for seed in range(4):
        X, y = data(kind, np.random.default_rng(seed), 25, 3, 4)
        problem = posed(kind, X, y, 0.1, bias=bias, sample_weight=rng.integers(0, 3, 25))
        alpha = problem.domain.sample(rng)
        blocks = np.flatnonzero(rng.random(25) < 0.5)
        rest = on_blocks(problem, blocks, alpha)
        assert rest.n_fixed == 25 - len(blocks) and rest.share == pytest.approx(len(blocks) / 25)
        assert rest.problem.domain.violation(rest.restrict(alpha)) <= 1e-12
        for _ in range(5):
            w, part = rng.standard_normal(problem.n_weights), rest.problem.domain.sample(rng)
            b = rng.standard_normal(problem.n_biases)
            whole = rest.lift(part)
            assert problem.domain.violation(whole) <= 1e-9
            assert problem.dual(whole) == pytest.approx(rest.problem.dual(part), rel=1e-9, abs=1e-9)
            assert np.allclose(problem.w_of_alpha(whole), rest.problem.w_of_alpha(part), atol=1e-9)
            assert problem.primal(w, b) >= rest.problem.primal(w, b) - 1e-9
            assert np.array_equal(rest.restrict(whole), part)
        best = problem.maximise(problem.scores(w)) if not bias else None
        if best is not None:
            assert on_blocks(problem, blocks, best).problem.primal(w) == pytest.approx(problem.primal(w), rel=1e-9)


# With biases the view of a multilabel model has no dual bound of its own.
@pytest.mark.parametrize("kind, bias", [("multiclass", False), ("multiclass", True), ("multilabel", False)])
def test_the_optimum_on_some_examples_is_that_of_the_whole_if_the_others_are_there(kind, bias):
    X, y = data(kind, np.random.default_rng(5), 40, 3, 3)
    problem = posed(kind, X, y, 0.05, bias=bias)
    exact = pragam.solve(problem, tol=1e-10)
    rest = on_blocks(problem, np.arange(0, 40, 2), exact.alpha)
    best = pragam.solve(rest.problem, tol=1e-8)
    assert best.converged
    assert best.certificate.primal == pytest.approx(exact.certificate.primal, rel=1e-7)
    assert pragam.certify(problem, exact.w, rest.lift(best.alpha)).relative_gap <= 1e-6


@pytest.mark.parametrize("kind", RISKS)
def test_units_and_names_of_labels_change_nothing(kind):
    """Rows in other units (a power of two), and labels in another order."""
    X, y = data(kind, np.random.default_rng(8), 80, 3, 4)
    order = np.array([2, 0, 3, 1])
    problem, scaled = posed(kind, X, y, 1e-2), posed(kind, 4 * X, y, 16e-2)
    renamed = posed(kind, X, np.argsort(order)[y] if kind == "multiclass" else y[:, order], 1e-2)
    near = pragam.solve(problem, tol=1e-4)
    K, n = 4, len(X)
    known = proven_vertices(problem, near.w, near.alpha, near.certificate)
    assert 0.05 < np.isnan(known).mean() < 1
    again = proven_vertices(scaled, near.w / 4, near.alpha, pragam.certify(scaled, near.w / 4, near.alpha))
    np.testing.assert_array_equal(again, known)
    w, alpha = near.w.reshape(K, -1)[order].ravel(), near.alpha.reshape(n, K)[:, order].ravel()
    turned = proven_vertices(renamed, w, alpha, pragam.certify(renamed, w, alpha))
    np.testing.assert_array_equal(turned, known.reshape(n, K)[:, order].ravel())


@pytest.mark.parametrize("kind", RISKS)
def test_easy_data_are_screened_and_the_guess_knows(kind):
    problem, near = warm_case(kind)
    certificate = pragam.certify(problem, near.w, near.alpha)
    known = proven_vertices(problem, near.w, near.alpha, certificate)
    share = np.mean(~np.isnan(known))
    assert share > 0.4
    assert likely_share(problem, near.w, certificate) > 0.2
    nothing = np.zeros(problem.n_weights)
    costless = np.mean(problem.Q.totals == 0)  # without a pair of labels
    assert likely_share(problem, nothing, pragam.certify(problem, nothing, problem.start())) <= 2 * costless


def test_a_part_that_bounds_no_rounding_or_that_does_not_fit_is_not_screened():
    class Rows(LabelRows):
        pass

    problem, near = warm_case("multiclass")
    stranger = pragam.Problem(Rows(problem.A.storage, 4), problem.c, problem.Q, problem.lam, origin=problem.origin)
    assert can_screen(problem) and not can_screen(stranger)
    result = pragam.solve(stranger, tol=1e-6, start=near)
    assert result.converged and result.n_screened == 0
    assert not can_screen(posed("multiclass", np.eye(3), [0, 1, 2], 0.1, bias=True))
