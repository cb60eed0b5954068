"""A solver around another one forwards everything that a solver has."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pragam
from pragam.compare.clocked import Clocked
from pragam.driver.screened import Screened
from pragam.solvers import Unfolded
from pragam.solvers.around import Around
from pragam.solvers.base import Certified, Cost, Solver, Start, State
from pragam.solvers.on_view import OnView
from pragam.views import View
from zoo import hinge_case

PUBLIC = sorted(name for name in {*vars(Solver), *Solver.__annotations__} if not name.startswith("_"))
CALLED = [name for name in PUBLIC if inspect.isroutine(getattr(Solver, name, None))]


class Telling(Solver):
    """Answers with a token of its own whatever it is asked."""

    name, needs, may_drop_rows, takes_packed_rows = "telling", ("A.rows",), True, True
    shows_progress = "told shows_progress"


def _tells(name):
    def method(self, *arguments):
        return f"told {name}", arguments

    return method


for _name in CALLED:
    setattr(Telling, _name, _tells(_name))
Telling.__abstractmethods__ = frozenset()


@pytest.mark.parametrize("name", [name for name in CALLED if name != "given"])
def test_every_method_is_forwarded_with_its_arguments(name):
    arguments = [f"argument {k}" for k in range(len(inspect.signature(getattr(Around(Telling()), name)).parameters))]
    if name == "observe":
        arguments[-1] = Certified("proposed", "best", "proof")
    assert getattr(Around(Telling()), name)(*arguments) == getattr(Telling(), name)(*arguments)


def test_what_the_driver_lends_reaches_the_solver_inside():
    around = Around(Telling())
    assert around.given("tools").method == ("told given", ("tools",))
    assert isinstance(around.method, Telling)  # a copy was made


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in CALLED])
def test_every_attribute_is_forwarded(name):
    assert getattr(Around(Telling()), name) == getattr(Telling(), name)


@pytest.mark.parametrize("kind", [Around, Unfolded, Screened, Clocked])
def test_none_of_them_falls_back_on_a_default(kind):
    """What the base class of solvers answers by default is never what a solver around another one answers."""
    for name in CALLED:
        assert getattr(kind, name) is not getattr(Solver, name)


class Counting(Solver):
    """Ten iterations in a step, and a way out of a failure."""

    name = "counting"

    def init(self, problem, rng, start, tol):
        return State(1.0)

    def step(self, problem, state):
        raise ArithmeticError("no step")

    def candidate(self, problem, state):
        return np.zeros(problem.n_weights), problem.start()

    def cost(self, problem, tol):
        return Cost(1.0, 1.0)

    def iterations_per_step(self, problem):
        return 10

    def progress(self, problem, state):
        return 0.5

    def recover(self, problem, state, start):
        return State(7.0)


@pytest.mark.parametrize("wrap", [Screened, lambda method: OnView(method, View(hinge_case("plain", True, 0).problem))])
def test_what_was_once_forgotten_is_forwarded(wrap):
    problem = hinge_case("plain", True, 0).problem
    method = wrap(Counting())
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    start = Start(np.zeros(problem.n_weights), problem.start())
    assert method.iterations_per_step(problem) == 10
    assert method.progress(problem, state) == 0.5
    assert method.recover(problem, state, start).passes == 7.0


@pytest.mark.parametrize("solver", ["dcd", "newton", "pragam", "qp-bmrm"])
def test_around_a_solver_nothing_changes(solver):
    problem = hinge_case("plain", True, 0).problem
    plain = pragam.solve(problem, solver, tol=1e-3)
    around = pragam.solve(problem, Around(pragam.solvers.by_name(solver)), tol=1e-3)
    assert around.w.tobytes() == plain.w.tobytes() and around.alpha.tobytes() == plain.alpha.tobytes()
    assert (around.n_iter, around.solver, around.status) == (plain.n_iter, plain.solver, plain.status)
