"""A solver on a problem that shrinks: what safe screening proves leaves, and the solver goes on with the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam.certificate import Certificate
from pragam.driver.screening import can_screen, likely_share, proven_vertices, without
from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BlockProblem
from pragam.solvers.around import Around
from pragam.solvers.base import AnySolver, Certified, Start, State
from pragam.views import View

#: Look for provable blocks again when the gap has fallen by this factor.
_FALL = 10.0
#: Do not look when the gap is within this factor of the tolerance: too little is left to be saved.
_NEAR = 30.0
#: Go on without the proven blocks if they are this share of those left. For fewer the copy costs more than it saves.
_SHARE = 0.5
#: What a look costs, in passes.
_PASSES = 2.0


@dataclass
class ScreenedState(State):
    inner: Any  # of the solver, on the problem that it sees
    view: View[Any, Any] | None  # that problem; None: the whole one
    known: Vector | None  # the vertices proved so far, NaN where none is
    before: float  # passes up to the last change of problem
    look_at: float  # the gap at which to look again
    tol: float
    rng: np.random.Generator
    certified: Certified | None = None  # since the last step


def screened(method: AnySolver, problem: AnyProblem) -> AnySolver:
    """The solver on ever fewer blocks, if it gains by that and blocks of the problem can be screened; else itself."""
    return Screened(method) if method.may_drop_rows and can_screen(problem) else method


class Screened(Around[BlockProblem]):
    """``method``, which sees ever fewer blocks. Its candidates are those of the whole problem."""

    def _seen(self, problem: BlockProblem, state: ScreenedState | None = None) -> AnyProblem:
        return problem if state is None or state.view is None else state.view.problem

    def _inner(self, state: ScreenedState) -> Any:
        return state.inner

    def _with(self, state: ScreenedState, inner: Any) -> ScreenedState:
        state.inner = inner
        state.passes = state.before + (1.0 if state.view is None else state.view.share) * inner.passes
        return state

    def _restrict(self, problem: BlockProblem, state: ScreenedState | None, pair: Start) -> Start:
        return pair if state is None or state.view is None else pair._replace(alpha=state.view.restrict(pair.alpha))

    def _lift(self, problem: BlockProblem, state: ScreenedState, alpha: Any) -> Any:
        return alpha if state.view is None else state.view.lift(alpha)

    def init(self, problem: BlockProblem, rng: np.random.Generator, start: Start | None, tol: float) -> ScreenedState:
        inner = self.method.init(problem, rng, start, tol)
        return ScreenedState(inner.passes, inner, None, None, 0.0, np.inf, tol, rng)

    def observe(self, problem: BlockProblem, state: ScreenedState, certified: Certified) -> ScreenedState:
        """Keep what is certified for the next step, and tell the solver, which sees other blocks, of its own."""
        state = super().observe(problem, state, certified)
        state.certified = certified
        return state

    def _screen(
        self, problem: BlockProblem, state: ScreenedState, pair: Start, certificate: Certificate
    ) -> ScreenedState:
        """Go on from the certified pair on fewer blocks, if the gap has fallen since the last look and many can go."""
        if certificate.gap > state.look_at or certificate.relative_gap < _NEAR * state.tol:
            return state
        state.look_at = certificate.gap / _FALL
        left = problem.Q.size if state.view is None else state.view.problem.Q.size
        if (1 - likely_share(problem, pair.w, certificate)) * problem.Q.size > (1 - _SHARE) * left:
            return state
        state.before += _PASSES
        state.passes += _PASSES
        known = proven_vertices(problem, pair.w, pair.alpha, certificate)
        if state.known is not None:
            known = np.where(np.isnan(known), state.known, known)
        if np.isnan(known).sum() > (1 - _SHARE) * left:
            return state
        return self._go_on(problem, state, pair, known)

    def _go_on(self, problem: BlockProblem, state: ScreenedState, pair: Start, known: Vector) -> ScreenedState:
        view = without(problem, known, pair.alpha)
        start = pair._replace(alpha=view.problem.domain.project(view.restrict(pair.alpha)))
        inner = self.method.init(view.problem, state.rng, start, state.tol)
        before, passes = state.passes, state.passes + view.share * inner.passes
        return ScreenedState(passes, inner, view, known, before, state.look_at, state.tol, state.rng)

    def step(self, problem: BlockProblem, state: ScreenedState) -> ScreenedState:
        if state.certified is not None:
            _, pair, proof = state.certified
            assert isinstance(proof, Certificate)
            state = self._screen(problem, state, pair, proof)
            state.certified = None
        stepped: ScreenedState = super().step(problem, state)
        return stepped

    def recover(self, problem: BlockProblem, state: ScreenedState, start: Start) -> ScreenedState | None:
        """All blocks come back, and the solver goes on in its own way, if it knows one."""
        before = state.passes - state.inner.passes
        inner = self.method.recover(problem, state.inner, start)
        if inner is None:
            return None
        return ScreenedState(before + inner.passes, inner, None, None, before, 0.0, state.tol, state.rng)

    def n_screened(self, state: ScreenedState) -> int:
        return 0 if state.view is None else state.view.n_fixed
