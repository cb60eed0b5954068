"""A solver around another one: it forwards everything, and a subclass overrides what is its own.

The solver inside may see another problem than the one outside, and its state may be a part of the state outside. Five
small methods say how the two belong together, each by default that they are the same:

    _seen      the problem that the solver inside works on
    _inner     its state
    _with      the state outside, once the one inside has changed
    _restrict  what a pair outside is inside
    _lift      what a dual point inside is outside
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Certified, Cost, P, Solver, Start, Tools


class Around(Solver[P, Any]):
    """Answers as ``method`` does, to the bit."""

    def __init__(self, method: AnySolver) -> None:
        self.method = method

    def _seen(self, problem: P, state: Any = None) -> AnyProblem:
        """What the solver inside works on; at the start there is no state."""
        return problem

    def _inner(self, state: Any) -> Any:
        return state

    def _with(self, state: Any, inner: Any) -> Any:
        return inner

    def _restrict(self, problem: P, state: Any, pair: Start) -> Start:
        return pair

    def _lift(self, problem: P, state: Any, alpha: Any) -> Any:
        return alpha

    def given(self, tools: Tools) -> Around[P]:
        own = copy(self)
        own.method = self.method.given(tools)
        return own

    # What it is -----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.method.name

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.method.needs

    @property
    def serves(self) -> str:  # type: ignore[override]
        return self.method.serves

    @property
    def may_drop_rows(self) -> bool:  # type: ignore[override]
        return self.method.may_drop_rows

    @property
    def takes_packed_rows(self) -> bool:  # type: ignore[override]
        return self.method.takes_packed_rows

    @property
    def shows_progress(self) -> bool:
        return self.method.shows_progress

    def misfits(self, problem: P) -> list[str]:  # type: ignore[override]
        return self.method.misfits(self._seen(problem))

    def missing(self, problem: Any) -> list[str]:  # type: ignore[override]
        return self.method.missing(self._seen(problem))

    def cost(self, problem: P, tol: float) -> Cost:
        return self.method.cost(self._seen(problem), tol)

    def iterations_per_step(self, problem: P) -> int:
        return self.method.iterations_per_step(self._seen(problem))

    # What it does ---------------------------------------------------------------------------------------------------

    def init(self, problem: P, rng: np.random.Generator, start: Start | None, tol: float) -> Any:
        begin = None if start is None else self._restrict(problem, None, start)
        return self.method.init(self._seen(problem), rng, begin, tol)

    def step(self, problem: P, state: Any) -> Any:
        return self._with(state, self.method.step(self._seen(problem, state), self._inner(state)))

    def observe(self, problem: P, state: Any, certified: Certified) -> Any:
        proposed, best = (self._restrict(problem, state, pair) for pair in certified[:2])
        shown = Certified(proposed, best, certified.proof)
        return self._with(state, self.method.observe(self._seen(problem, state), self._inner(state), shown))

    def recover(self, problem: P, state: Any, start: Start) -> Any | None:
        begin = self._restrict(problem, state, start)
        inner = self.method.recover(self._seen(problem, state), self._inner(state), begin)
        return None if inner is None else self._with(state, inner)

    def relieve(self, problem: P, state: Any, start: Start) -> Any | None:
        begin = self._restrict(problem, state, start)
        inner = self.method.relieve(self._seen(problem, state), self._inner(state), begin)
        return None if inner is None else self._with(state, inner)

    # What it answers ------------------------------------------------------------------------------------------------

    def candidate(self, problem: P, state: Any) -> tuple[Any, ...]:
        w, alpha, *biases = self.method.candidate(self._seen(problem, state), self._inner(state))
        return w, self._lift(problem, state, alpha), *biases

    def iterate(self, problem: P, state: Any) -> Vector | None:
        return self.method.iterate(self._seen(problem, state), self._inner(state))

    def estimate(self, problem: P, state: Any) -> float | None:
        return self.method.estimate(self._seen(problem, state), self._inner(state))

    def progress(self, problem: P, state: Any) -> float | None:
        return self.method.progress(self._seen(problem, state), self._inner(state))

    def label(self, state: Any) -> str:
        return self.method.label(self._inner(state))

    def n_screened(self, state: Any) -> int:
        return self.method.n_screened(self._inner(state))
