"""The default solver: it compares costs, learns while it runs, and has PRAGAM under it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy import sparse

import pragam
from posed import posed
from pragam import Status
from pragam.driver import record
from pragam.operators import Operator
from pragam.operators.pattern import PatternRows
from pragam.solvers import Auto, Dcd, Newton, NewtonDense, Pragam, by_name
from pragam.solvers.base import UNKNOWN, Cost, Solver, State
from pragam.solvers.choice import auto
from zoo import ZOO, hinge_case, multiclass_case


@dataclass(frozen=True)
class Stated(Dcd):
    """Coordinate ascent under another name, with a cost that a test states, and perhaps a gap that it pretends."""

    name: str = "stated"  # type: ignore[misc]
    stated: Cost = UNKNOWN
    pretended: float | None = None
    started: list = field(default_factory=list, compare=False)

    def cost(self, problem, tol):
        return self.stated

    def init(self, problem, rng, start, tol):
        self.started.append(start)
        return super().init(problem, rng, start, tol)

    def progress(self, problem, state):
        return super().progress(problem, state) if self.pretended is None else self.pretended

    def estimate(self, problem, state):
        return super().estimate(problem, state) if self.pretended is None else inf


@dataclass(frozen=True)
class NoShare(Pragam):
    """PRAGAM that claims to need no pass at all, so that nobody else gets one."""

    def cost(self, problem, tol):
        return Cost(0.0, 0.0)


def work(total, **settings):
    """A cost in passes of one unit of work each."""
    return Cost(passes=total, steps=0.0, per_pass=1.0, **settings)


def ran(method, problem, steps, tol=1e-9):
    """The labels of the algorithms that made these steps, and the last state."""
    state = method.init(problem, np.random.default_rng(0), None, tol)
    labels = [method.label(state)]
    for _ in range(steps):
        state = method.step(problem, state)
        labels.append(method.label(state))
    return labels, state


@pytest.mark.parametrize("name", ZOO)
def test_the_net_takes_over_when_the_others_have_had_their_share(name, monkeypatch):
    """With no share at all PRAGAM runs alone, from the first one's start, and certifies."""
    monkeypatch.setattr(auto, "_FREE", 0.0)
    case = ZOO[name](0)
    result = pragam.solve(case.problem, Auto(net=NoShare()), tol=3e-2, max_iter=20_000)
    assert result.converged
    if result.n_iter > 1 and not Pragam.missing(case.problem):  # it needs a bounded Q
        assert result.solver == "auto (pragam)"
    assert result.certificate.dual <= case.optimum + 1e-7 <= result.certificate.primal + 2e-7


def test_the_candidate_that_states_the_lowest_cost_begins():
    problem = hinge_case("plain", False, 0).problem
    costs = {"dear": work(5.0), "cheap": work(3.0), "unknown": UNKNOWN}
    for names in (["dear", "cheap", "unknown"], ["unknown", "cheap", "dear"]):
        method = Auto(tuple(Stated(name=name, stated=costs[name]) for name in names))
        assert ran(method, problem, 0)[0] == ["auto (cheap)"]


def test_a_stranger_that_states_a_lower_cost_than_ours_wins():
    """Nothing but the stated cost is compared: no class is known by name."""
    problem = pragam.hinge(*ordinary(3000, 30), lam=1e-4)
    stranger = Stated(name="stranger", stated=work(1e-9))
    assert ran(Auto((*auto.CANDIDATES[1:], stranger)), problem, 0)[0] == ["auto (stranger)"]


def test_a_trial_that_costs_next_to_nothing_comes_first():
    problem = hinge_case("plain", False, 0).problem
    sure = Stated(name="sure", stated=work(100.0))
    for trial, first in ((4.0, "tried"), (6.0, "sure")):
        tried = Stated(name="tried", stated=work(300.0, trial=trial))
        assert ran(Auto((sure, tried)), problem, 0)[0] == [f"auto ({first})"]


def test_a_bad_rate_hands_over_and_a_good_one_does_not():
    """A gap that stays where it is says that the cost was wrong; one that falls as expected does not."""
    problem = pragam.hinge(*ordinary(300, 10), lam=1e-2)
    rival = Stated(name="rival", stated=work(60.0))
    stuck = Stated(name="first", stated=work(50.0, trust=0.5), pretended=0.9)
    labels = ran(Auto((stuck, rival)), problem, 60)[0]
    assert "auto (rival)" in labels and labels.index("auto (rival)") < 45
    honest = Stated(name="first", stated=work(50.0, trust=0.5))
    state = honest.init(problem, np.random.default_rng(0), None, 1e-3)
    while honest.progress(problem, state) > 1e-3:
        state = honest.step(problem, state)
    passes = int(state.passes)
    assert passes < 45
    assert set(ran(Auto((honest, rival)), problem, passes, tol=1e-3)[0]) == {"auto (first)"}


@pytest.mark.parametrize("gap, warm", [(0.9, False), (0.2, True)])
def test_a_rival_starts_where_the_first_one_has_come_if_that_is_worth_it(gap, warm):
    problem = pragam.hinge(*ordinary(300, 10), lam=1e-2)
    first, rival = Stated(name="first", stated=work(1.0), pretended=gap), Stated(name="rival", stated=work(2.0))
    labels, _ = ran(Auto((first, rival)), problem, 20)
    assert labels[-1] == "auto (rival)" and first.started == [None]
    assert (rival.started[0] is not None) == warm


@pytest.mark.parametrize("bias", [False, True])
def test_the_paths_hand_over_to_each_other_and_lose_nothing(bias, monkeypatch):
    monkeypatch.setattr(auto, "_EARLY", 1e-3)
    monkeypatch.setattr(auto, "_LATE", 1e-3)
    monkeypatch.setattr(auto, "_GROWTH", 1.5)
    monkeypatch.setattr(auto, "_QUESTION", 0.0)  # a problem as small as this is judged too
    problem, method = hinge_case("plain", bias, 3).problem, Auto((Dcd(), Newton()))
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    seen, best = [], inf
    for _ in range(60):
        state = method.step(problem, state)
        seen.append(method.label(state))
        best = min(best, pragam.certify(problem, *method.candidate(problem, state)).relative_gap)
    changes = sum(one != two for one, two in pairwise(seen))
    assert {"auto (dcd)", "auto (newton)"} <= set(seen) and 2 <= changes <= 30
    assert best <= 1e-9


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr", "binary"])
def test_equal_calls_give_equal_bits(kind, bias):
    X, y = ordinary(2500, 40)
    X = {"dense": X, "csr": sparse.csr_array(X * (X > 1)), "binary": sparse.csr_array((X > 1) * 1.0)}[kind]
    one, two = (pragam.solve(pragam.hinge(X, y, 1e-5, bias=bias), tol=1e-7) for _ in range(2))
    assert one.converged and one.solver == two.solver and one.n_iter == two.n_iter
    assert np.array_equal(one.w, two.w) and np.array_equal(one.alpha, two.alpha)
    assert one.certificate == two.certificate


def test_binary_data_are_packed_once_for_all(monkeypatch):
    pack, packs = PatternRows.by_length, []

    def counted(A):
        found = pack(A)
        packs.extend([] if found is None else [found])
        return found

    monkeypatch.setattr(PatternRows, "by_length", counted)
    X, y = ordinary(2500, 40)
    problem = pragam.hinge(sparse.csr_array((X > 1) * 1.0), y, 1e-1, bias=False)
    method = Auto((Stated(name="first", stated=work(1.0), pretended=0.2), Stated(name="rival", stated=work(2.0))))
    labels, state = ran(method, problem, 20)
    assert {"auto (first)", "auto (rival)"} == set(labels) and len(packs) == 1
    assert state.current.solver.view.problem.A is packs[0][0]
    assert pragam.certify(problem, *method.candidate(problem, state)).relative_gap < 0.1


def test_the_choice_follows_the_cost():
    """Few columns and a small lam want Newton; many columns and an easy problem want coordinate ascent; small problems
    of both kinds want a method without Python in its steps."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 60_000)
    hard = pragam.hinge(10 * rng.standard_normal((60_000, 5)), y, lam=1e-6)
    easy = pragam.hinge(rng.standard_normal((400, 2000)) / 45, y[:400], lam=1e-2)
    small = [
        pragam.hinge(size * rng.standard_normal((400, 20)), y[:400], lam=lam) for size, lam in ((10, 1e-6), (0.2, 1))
    ]
    assert pragam.solve(hard, tol=1e-2).solver == "auto (newton)"
    assert pragam.solve(easy, tol=1e-6).solver == "auto (dcd)"
    assert [pragam.solve(problem, tol=1e-6).solver for problem in small] == ["auto (newton-dense)"] * 2


def test_a_small_problem_goes_on_elsewhere_if_its_own_way_fails(monkeypatch):
    """The kernel does nothing: after a few calls the others take over and certify."""
    get = pragam._kernels.get

    def idle(*arguments):
        return 0, 0, inf

    monkeypatch.setattr(pragam._kernels, "get", lambda name: idle if name == "dense_newton" else get(name))
    case = hinge_case("plain", True, 1)
    result = pragam.solve(case.problem, tol=1e-9)
    assert result.converged and result.solver != "auto (newton-dense)"
    assert result.certificate.primal == pytest.approx(case.optimum, rel=1e-7)


class Products(Operator):
    """A matrix that is known by its products alone."""

    def __init__(self, X):
        self.X, self.shape = X, X.shape

    def matvec(self, w):
        return self.X @ w

    def rmatvec(self, alpha):
        return self.X.T @ alpha

    def row_norms(self):
        return np.linalg.norm(self.X, axis=1)

    def norm_bound(self):
        return float(np.linalg.norm(self.X))


def test_a_storage_without_rows_goes_to_an_algorithm_that_needs_none():
    """The others refuse it before they start, and name both parties."""
    X, y = ordinary(60, 5)
    box = pragam.polytopes.Box(np.zeros(60), np.full(60, 1 / 60))
    problem = posed(Products(-y[:, None] * X), np.ones(60), box, 0.1)
    for name in ("dcd", "newton"):
        with pytest.raises(ValueError, match=rf"solver '{name}' does not fit .* needs A.rows, which Products does not"):
            pragam.solve(problem, name)
    result = pragam.solve(problem, tol=1e-4)
    chosen = by_name(result.solver.removeprefix("auto (").removesuffix(")"))
    assert result.converged and "A.rows" not in chosen.needs and not chosen.missing(problem)
    optimum = pragam.solve(pragam.hinge(X, y, 0.1, bias=False), tol=1e-9).certificate
    assert result.certificate.primal == pytest.approx(optimum.primal, rel=2e-4)


def test_a_problem_that_nothing_fits_is_refused():
    """An unbounded set under an operator without rows: some solvers need rows, and the others a bound."""
    problem = multiclass_case(0).problem
    unbounded = pragam.polytopes.Box(np.zeros(problem.Q.size), np.full(problem.Q.size, np.inf))
    with pytest.raises(ValueError, match=r"does not fit .* bounded Q"):
        pragam.solve(posed(problem.A, problem.c, unbounded, problem.lam))


def ordinary(n, d):
    """Gaussian rows with the labels of a noisy linear model."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)


def test_it_says_which_guarantee_it_keeps():
    X, y = ordinary(40, 3)
    assert "twice the passes of pragam" in Auto().guarantee(pragam.hinge(X, y, 0.1))
    unbounded = pragam.squared_hinge(X, y, 0.1)
    assert "No number of passes is promised: pragam needs a bounded Q" in Auto().guarantee(unbounded)
    assert pragam.solve(unbounded, tol=1e-8).converged


@dataclass(frozen=True)
class Stuck(Solver):
    """Thousands of passes that cost nothing and bring nothing."""

    name = "stuck"
    needs = ()

    def cost(self, problem, tol):
        return Cost(1.0, 1.0)

    def init(self, problem, rng, start, tol):
        return State(0.0)

    def step(self, problem, state):
        return State(state.passes + 500.0)

    def candidate(self, problem, state):
        alpha = problem.start()
        return problem.w_of_alpha(alpha), alpha


def test_another_one_relieves_the_one_that_has_stalled():
    problem = hinge_case("plain", True, 0).problem
    assert pragam.solve(problem, Stuck()).status is Status.STALLED
    alone = pragam.solve(problem, Auto(candidates=(Stuck(),)))
    assert alone.status is Status.STALLED and alone.solver == "auto (stuck)"  # the net has a time of its own
    relieved = pragam.solve(problem, Auto(candidates=(Stuck(), NewtonDense())), tol=1e-6)
    assert relieved.converged and relieved.solver == "auto (newton-dense)"
    twice = pragam.solve(problem, Auto(candidates=(Stuck(), Stuck(), NewtonDense())), tol=1e-6)
    assert twice.converged and twice.history.passes[-1] >= 2 * record._STALL_PASSES


def test_no_one_relieves_who_would_take_long():
    class Slow(NewtonDense):
        def cost(self, problem, tol):
            return Cost(1e12, 1e12, per_pass=1.0)

    problem = hinge_case("plain", True, 0).problem
    assert pragam.solve(problem, Auto(candidates=(Stuck(), Slow()))).status is Status.STALLED
