r"""The default: the algorithm that should be cheapest, what it shows while it runs, and PRAGAM's guarantee under all.

*Choice.* Each algorithm states what it should cost (:meth:`~pragam.solvers.base.Solver.cost`), in counted work, and the
cheapest begins. Another one begins in its place if a trial of it costs next to nothing beside that: an estimate may be
wrong by a factor of three, and progress tells more.

*Learning.* After each step the work left is judged by what the algorithm has shown
(:mod:`pragam.solvers.choice.outlook`).
If that is more than twice what a rival would take from here, the rival takes over; once half of the rival's work has
been spent, if it is 1.3 times that. Each hand-over doubles both margins, so there are few. All of this is counted and
no clock is read: equal calls give equal answers. ``benchmarks/choice.py`` measures what the choice costs.

*Hand-over.* A rival starts at the point reached, but from nothing where that is hardly better than w = 0: its own first
guess is better there. Binary data are packed once (:func:`pragam.views.packed`), for all who take them so.

*Guarantee.* PRAGAM certifies eps after k iterations with 4 L D_2 / ((k+1)(k+2)) <= eps, whatever the data. When the
others have read the data as often as that bound allows, PRAGAM takes over: in all at most about twice its bound
(:mod:`pragam.theory.auto_guarantee` states it exactly). Where D_2 is infinite, as for the squared hinge, PRAGAM does
not fit, and no number of passes is promised: :meth:`Auto.guarantee` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from pragam.engines import EngineError
from pragam.problem import AnyProblem
from pragam.solvers.base import (
    UNKNOWN,
    AnySolver,
    Certified,
    Cost,
    Solver,
    Start,
    State,
    Tools,
    has_rows_and_box,
)
from pragam.solvers.block_ascent import BlockAscent
from pragam.solvers.block_newton import BlockNewton
from pragam.solvers.bundle.qp_bmrm import QpBmrm
from pragam.solvers.choice.outlook import WARM, Outlook
from pragam.solvers.dcd import Dcd
from pragam.solvers.excessive_gap.pragam import Pragam
from pragam.solvers.flow_ascent import FlowAscent
from pragam.solvers.gp import GPBlockAscent, RkhsLbfgs
from pragam.solvers.merged_ascent import MergedAscent
from pragam.solvers.newton import Newton
from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.on_view import OnView
from pragam.solvers.proximal_newton import ProximalNewton
from pragam.solvers.sequential_dual import SequentialDual
from pragam.solvers.windows import Windows
from pragam.solvers.working_set import WorkingSet
from pragam.views import View, packed

#: Those that may run. The first one tells its cost from the shape of the data alone.
CANDIDATES: tuple[AnySolver, ...] = (
    NewtonDense(),
    Dcd(),
    Newton(),
    SequentialDual(),
    ProximalNewton(),
    FlowAscent(),
    BlockAscent(),
    QpBmrm(),
    RkhsLbfgs(),
    GPBlockAscent(),
    WorkingSet(),
    BlockNewton(),
    Windows(),
    MergedAscent(),
)
#: What certifies any tolerance in a number of passes known beforehand.
NET: AnySolver = Pragam()
#: Asking for all costs takes up to a tenth of this work. A candidate that is cheaper begins at once, and less work
#: than this is not judged.
_QUESTION = 2.5e-3
#: A candidate is tried first if its trial costs no more than this share of what the cheapest one should cost. Nobody
#: hands over before that share of the rival's work is spent.
_TRIAL = 0.05
#: A solver hands over when the work left is this many times that of a rival. The best of 1.5, 2 and 3 on the even seeds
#: of ``benchmarks/choice.py``, by a little; so are _LATE and _SPENT.
_EARLY = 2.0
#: The same once _SPENT of the rival's work has been used.
_LATE = 1.3
#: The share of a rival's work after which the margin is _LATE.
_SPENT = 0.5
#: The work left is judged again when the work done has grown by this factor: a judgement takes as long as a short step.
_AGAIN = 1.2
#: Where no progress is seen another one is tried, if it should cost no more than all so far or than this work: on tiny
#: problems thousands of passes cost less than a hand-over is judged at.
_RELIEF = 1.0
#: Each hand-over multiplies the margins by this.
_GROWTH = 2.0
#: Passes that may be made before the net's limit is computed, which takes a pass.
_FREE = 20.0


@dataclass(eq=False)
class Rival:
    """An algorithm, perhaps on packed rows, and what it has done so far."""

    solver: AnySolver
    outlook: Outlook


@dataclass
class AutoState(State):
    rng: np.random.Generator
    tol: float
    has_net: bool  # whether the net may still take over
    asked: int = 0  # candidates that have been asked for their cost
    rivals: list[Rival] = field(default_factory=list)  # those among them that may run, the current one included
    current: Any = None  # a Rival; None before the first
    inner: Any = None  # its state
    estimates: list[float | None] = field(default_factory=list)  # its estimate after its last step; empty at its start
    before: float = 0.0  # passes of earlier turns
    turns: int = 0  # hand-overs so far
    judged_at: float = 0.0  # work of the current algorithm when it was last judged
    limit: float | None = None  # passes after which the net takes over, once that is known
    view: View | None = None  # the problem on packed rows, once somebody takes it so

    @property
    def others(self) -> list[Rival]:
        return [rival for rival in self.rivals if rival is not self.current]


@dataclass(frozen=True)
class Auto(Solver[AnyProblem, AutoState]):
    """The candidate that should be fastest, then the one that is, with the worst case of the net."""

    candidates: tuple[AnySolver, ...] = CANDIDATES
    net: AnySolver = NET

    name = "auto"
    may_drop_rows = True

    def given(self, tools: Tools) -> Auto:
        return replace(self, candidates=tuple(each.given(tools) for each in self.candidates))

    @classmethod
    def missing(cls, problem: AnyProblem) -> list[str]:
        """Something is missing only if it is for every algorithm; then what the net needs, which needs least."""
        return [] if any(not solver.missing(problem) for solver in CANDIDATES) else NET.missing(problem)

    def guarantee(self, problem: AnyProblem) -> str:
        """What is promised for this problem whatever the data, as a sentence."""
        if reasons := self.net.missing(problem):
            return f"No number of passes is promised: {self.net.name} {'; it '.join(reasons)}."
        return f"At most about twice the passes of {self.net.name}'s worst case (pragam.theory.auto_guarantee)."

    def first(self, problem: AnyProblem, tol: float) -> tuple[str, Cost]:
        """Who would begin, and what that should take."""
        state = AutoState(0.0, np.random.default_rng(0), tol, has_net=False)
        self._ask(problem, state, until=_QUESTION)
        rival = _first(state.rivals)
        return ("", UNKNOWN) if rival is None else (rival.solver.name, rival.outlook.cost)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> AutoState:
        state = AutoState(0.0, rng, tol, has_net=not self.net.missing(problem))
        self._ask(problem, state, until=_QUESTION)
        self._begin(problem, state, _first(state.rivals) or self._take_net(problem, state), start)
        return state

    def step(self, problem: AnyProblem, state: AutoState) -> AutoState:
        rival = self._judge(problem, state)
        if rival is not state.current:
            self._begin(problem, state, rival, self._point(problem, state, rival))
        solver = state.current.solver
        state.inner = solver.step(problem, state.inner)
        state.passes = state.before + state.inner.passes
        state.estimates = [solver.estimate(problem, state.inner)]  # the driver asks for it next
        shown = solver.progress(problem, state.inner) if solver.shows_progress else state.estimates[0]
        state.current.outlook.note(state.inner.passes, shown)
        return state

    def recover(self, problem: AnyProblem, state: AutoState, start: Start) -> AutoState | None:
        """Go on with another algorithm; the one that has failed gets no further turn."""
        state.rivals = state.others
        rival = self._cheapest(problem, state)
        if rival is None:
            return None
        self._begin(problem, state, rival, start)
        return state

    def relieve(self, problem: AnyProblem, state: AutoState, start: Start) -> AutoState | None:
        """Go on with another algorithm if its try is cheap; the one that got nowhere gets no further turn."""
        self._ask(problem, state)
        own = state.current.outlook
        cheap = [each for each in state.others if each.outlook.left_from(own.gap) <= max(own.used, _RELIEF)]
        if not cheap:
            return None
        state.rivals = state.others
        self._begin(problem, state, min(cheap, key=lambda each: each.outlook.left_from(own.gap)), start)
        return state

    def candidate(self, problem: AnyProblem, state: AutoState) -> tuple[Any, ...]:
        return state.current.solver.candidate(problem, state.inner)

    def observe(self, problem: AnyProblem, state: AutoState, certified: Certified) -> AutoState:
        """What the current algorithm counts for the certificate is added to the passes after its next step."""
        state.inner = state.current.solver.observe(problem, state.inner, certified)
        return state

    def estimate(self, problem: AnyProblem, state: AutoState) -> float | None:
        """That of the current algorithm after its last step, or at its start."""
        if state.estimates:
            return state.estimates[0]
        return state.current.solver.estimate(problem, state.inner)

    def label(self, state: AutoState) -> str:
        return f"auto ({state.current.solver.name})"

    def _ask(self, problem: AnyProblem, state: AutoState, until: float = 0.0) -> None:
        """Ask the candidates that fit for their cost, until one is no more expensive than this."""
        for solver in self.candidates[state.asked :]:
            state.asked += 1
            if solver.missing(problem):
                continue
            if solver.takes_packed_rows and has_rows_and_box(problem):
                state.view = state.view or packed(problem)
                solver = OnView(solver, state.view)
            cost = solver.cost(problem, state.tol).on(problem)
            state.rivals.append(Rival(solver, Outlook(cost, state.tol)))
            if cost.total <= until:
                break

    def _judge(self, problem: AnyProblem, state: AutoState) -> Rival:
        """Who makes the next step."""
        current: Rival = state.current
        own = current.outlook
        if not own.steps:
            return current
        if state.has_net and state.limit is None and state.passes > _FREE:
            state.limit = self.net.cost(problem, state.tol).passes
        if state.has_net and state.limit is not None and state.passes > state.limit:
            return self._take_net(problem, state)
        if own.steps >= own.cost.most_steps:
            return self._cheapest(problem, state) or current
        if own.used < max(_AGAIN * state.judged_at, _QUESTION):
            return current
        state.judged_at = own.used
        self._ask(problem, state)
        left, margin = own.left, _GROWTH**state.turns
        ahead = [other for other in state.others if left > margin * _needed(other.outlook, own, margin)]
        return min(ahead, key=lambda other: other.outlook.left_from(own.gap), default=current)

    def _cheapest(self, problem: AnyProblem, state: AutoState) -> Rival | None:
        """Of the others; the net if there is none."""
        self._ask(problem, state)
        gap = state.current.outlook.gap if state.current else 1.0
        if state.others:
            return min(state.others, key=lambda other: other.outlook.left_from(gap))
        return self._take_net(problem, state) if state.has_net else None

    def _take_net(self, problem: AnyProblem, state: AutoState) -> Rival:
        """The net, which is the last: nobody takes over from it."""
        state.has_net, state.rivals, state.asked = False, [], len(self.candidates)
        return Rival(self.net, Outlook(UNKNOWN, state.tol))

    def _point(self, problem: AnyProblem, state: AutoState, rival: Rival) -> Start | None:
        """Where the rival starts: at the point reached if that is worth it; the net in any case."""
        if state.current.outlook.gap > WARM and rival in state.rivals:
            return None
        return Start(*(part.copy() for part in self.candidate(problem, state)))

    def _begin(self, problem: AnyProblem, state: AutoState, rival: Rival, start: Start | None) -> None:
        """Let this algorithm go on. One that cannot start is left out, and the cheapest other one takes its place."""
        while True:
            try:
                inner = rival.solver.init(problem, state.rng, start, state.tol)
                break
            except EngineError:  # the workers are to blame, and not the algorithm
                raise
            except Exception:
                state.rivals = [other for other in state.rivals if other is not rival]
                following = self._cheapest(problem, state)
                if following is None:
                    raise
                rival = following
        state.turns += state.current is not None
        state.before, state.current, state.inner, state.estimates = state.passes, rival, inner, []
        state.judged_at = 0.0
        state.passes += inner.passes
        rival.outlook.begin_turn(inner.passes)


def _first(rivals: list[Rival]) -> Rival | None:
    """The cheapest one, or one whose trial costs next to nothing beside that."""
    if not rivals:
        return None
    cheapest = min(rivals, key=_total)
    worth = [rival for rival in rivals if _trial(rival) <= _TRIAL * _total(cheapest)]
    return min(worth, key=_total, default=cheapest)


def _total(rival: Rival) -> float:
    return rival.outlook.cost.total


def _trial(rival: Rival) -> float:
    return rival.outlook.cost.work(rival.outlook.cost.trial, 0.0)


def _needed(other: Outlook, own: Outlook, margin: float) -> float:
    """What must be left for another one to take over; inf during a trial, and while all is cheap beside the other."""
    if own.passes < own.cost.trial < inf or own.used <= _TRIAL * other.cost.total:
        return inf
    factor = _LATE if own.used > _SPENT * margin * other.cost.total else _EARLY
    return factor * other.left_from(own.gap)
