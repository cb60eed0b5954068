"""What an algorithm is to the driver: init, step, candidate and observe on an explicit state, and what it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeGuard, TypeVar

import numpy as np

from pragam.operators.base import Vector
from pragam.polytopes.box import Box
from pragam.problem import AnyProblem, BoxProblem

if TYPE_CHECKING:
    from typing_extensions import Self


class Seen(NamedTuple):
    """What the sweeps of another method have seen at a start (w, alpha), where w is w(alpha)."""

    scores: Vector  # A w + c, up to the rounding of w
    drift2: float  # how far slopes have moved from one visit to the next, squared, over the curvature: a mean
    passes: float  # over the data


class Start(NamedTuple):
    """Where a solve starts, or what a solver proposes: weights (not necessarily w(alpha)) and a feasible dual point."""

    w: Vector
    alpha: Any  # a dual point: a vector, unless the set keeps its points in another form
    b: Vector | None = None  # biases near the best for w, where finding those from nothing takes long; None: not known
    seen: Seen | None = None  # what need not be found out again, if w is w(alpha)


class Proof(Protocol):
    """What an algorithm may read of a certificate, which it never makes itself."""

    @property
    def primal(self) -> float: ...

    @property
    def dual(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def relative_gap(self) -> float: ...


class Certified(NamedTuple):
    """What the driver has just certified: the pair that was proposed, and the best one so far with its proof."""

    proposed: Start
    best: Start  # the weights with the lowest J and the dual point with the highest D, perhaps of two iterates
    proof: Proof


class Cost(NamedTuple):
    """What an algorithm should take to certify a tolerance: counted work, before it has begun.

    The unit is a second of the machine that last ran ``benchmarks/choice.py --fit``: numbers of operations times what
    one took there. No clock is read, so equal calls give equal answers.
    """

    passes: float  # over the data
    steps: float
    per_pass: float = 0.0
    per_step: float = 0.0
    start: float = 0.0  # before the first step
    trial: float = inf  # passes after which its progress tells whether it will do
    trust: float = 0.0  # in the rate at which its gap has fallen, from 0 to 1, against what was expected
    most_steps: float = inf  # after which it leaves the rest to others

    @property
    def total(self) -> float:
        """The work of the whole solve."""
        return self.work(self.passes, self.steps)

    def work(self, passes: float, steps: float) -> float:
        """The work of the start, of these passes and of these steps."""
        return self.start + self.per_pass * passes + self.per_step * steps

    def on(self, problem: AnyProblem) -> Cost:
        """It with what a pass over the data takes beside the work, whoever makes it."""
        return self._replace(per_pass=self.per_pass + problem.A.latency)


#: Of an algorithm that states nothing: it is never preferred to one that does.
UNKNOWN = Cost(inf, inf, 1.0, 1.0)


@dataclass
class State:
    """What an algorithm remembers between steps. ``passes`` counts its reads of the data."""

    passes: float


S = TypeVar("S", bound=State)
P = TypeVar("P", bound=AnyProblem)

#: What methods that walk over rows serve.
LOSSES_OF_SCORES = "sums of losses of one score each, such as hinge, quantile and ordinal_hinge"
#: Access to rows one by one, and a box for each dual variable: what coordinate and Newton methods walk over.
ROWS_AND_BOX = ("A.rows", "Q.lower", "Q.upper", "g.curvature")


def has(problem: AnyProblem, name: str) -> bool:
    """Whether a part of the problem has what a dotted name such as "A.rows" stands for."""
    part, method = name.split(".")
    owner = getattr(problem, part)
    return hasattr(owner, method) and method not in getattr(owner, "lacks", ())


def has_rows_and_box(problem: AnyProblem) -> TypeGuard[BoxProblem]:
    """Whether it has what coordinate and Newton methods walk over."""
    return all(has(problem, name) for name in ROWS_AND_BOX)


def unbounded(problem: AnyProblem) -> list[str]:
    """A misfit if Q is unbounded: D_2, the radius that rates are stated in, is infinite then."""
    return [] if problem.Q.is_bounded else [f"needs a bounded Q, and this {_name(problem.Q)} is unbounded"]


def unbounded_and_flat(problem: AnyProblem) -> list[str]:
    """A misfit if Q is unbounded where g has no curvature: the maximum over Q is infinite at some w then."""
    Q = problem.Q
    if Q.is_bounded or np.all(problem.g.curvature):
        return []
    flat = np.flatnonzero(np.broadcast_to(problem.g.curvature, Q.size) == 0)
    is_bounded = isinstance(Q, Box) and Q.take(flat).is_bounded
    return [] if is_bounded else unbounded(problem)


def curved(problem: AnyProblem) -> list[str]:
    """A misfit if the risk is smooth."""
    kappa = np.max(problem.g.curvature)
    return [] if kappa == 0 else [f"needs a piecewise linear risk, and its curvature is up to {kappa:g}"]


def shared(problem: BoxProblem) -> list[str]:
    """A misfit if dual variables share data rows."""
    return ["needs a data row for each dual variable"] if problem.A.number is not None else []


def _name(part: object) -> str:
    return type(part).__name__


class Tools(NamedTuple):
    """What the driver lends a solver for the solve that begins.

    ``solve(problem, **options)`` is the driver's loop, for problems inside the solver's own; ``memory`` the most bytes
    that the solver may allocate beside vectors of the lengths of w and alpha, None without such a limit.
    """

    solve: Callable[..., Any]
    memory: float | None = None


class Solver(ABC, Generic[P, S]):
    """An algorithm over problems of type P. It owns no clock, no printer, no certificate and no verdict.

    If :meth:`step` raises (a KeyboardInterrupt, say), the state it was given must still yield a candidate. Any other
    exception of any method means that the algorithm cannot go on: :meth:`recover` may know another.
    """

    name: ClassVar[str]
    #: Methods of the problem's parts that it calls, as dotted names. Whoever has them qualifies.
    needs: ClassVar[tuple[str, ...]] = ()
    #: What it is for, in words; empty if it takes whatever has what it needs.
    serves: ClassVar[str] = ""
    #: Whether a warm start may go on without blocks that are proved to be at a vertex (:mod:`pragam.driver.screened`).
    may_drop_rows: ClassVar[bool] = False
    #: Whether it works on packed rows (:func:`pragam.views.packed`).
    takes_packed_rows: ClassVar[bool] = False

    def given(self, tools: Tools) -> Self:
        """The solver with what the driver lends it; most need nothing."""
        return self

    def cost(self, problem: P, tol: float) -> Cost:
        """What it should take to certify ``tol`` from nothing, by counts alone; by default unknown."""
        return UNKNOWN

    @abstractmethod
    def init(self, problem: P, rng: np.random.Generator, start: Start | None, tol: float) -> S:
        """The state before the first step; ``tol`` is a hint of the accuracy wanted."""

    @abstractmethod
    def step(self, problem: P, state: S) -> S:
        """One iteration."""

    @abstractmethod
    def candidate(self, problem: P, state: S) -> tuple[Any, ...]:
        """The pair ``(w, alpha)`` proposed now, alpha in Q; perhaps with biases. A query: it leaves the state as it is.

        They may be the state's own arrays: the driver copies them before the next step.
        """

    def observe(self, problem: P, state: S, certified: Certified) -> S:
        """What follows from a certificate of the candidate of this state; by default nothing.

        The driver calls it after every certificate, so it has to be cheap. What costs time belongs in the next step.
        """
        return state

    def iterate(self, problem: P, state: S) -> Vector | None:
        """The last iterate where the candidate is another point, such as a mean of iterates; None where it is not.

        A query for those who study an algorithm; the driver does not ask.
        """
        return None

    def iterations_per_step(self, problem: P) -> int:
        """How many iterations of its literature one call of :meth:`step` makes."""
        return 1

    def estimate(self, problem: P, state: S) -> float | None:
        """A cheap guess of the relative gap, by which the driver chooses when to certify; None if unknown."""
        return None

    def progress(self, problem: P, state: S) -> float | None:
        """A gap that falls with the work, perhaps that of some rows, to judge the rate by; by default the estimate."""
        return self.estimate(problem, state)

    @property
    def shows_progress(self) -> bool:
        """Whether :meth:`progress` is another number than the estimate."""
        return type(self).progress is not Solver.progress

    def recover(self, problem: P, state: S, start: Start) -> S | None:
        """How to go on from the best certified pair when a call has failed; None, the default, if in no other way."""
        return None

    def relieve(self, problem: P, state: S, start: Start) -> S | None:
        """How to go on from the best certified pair when the driver sees no progress; None, the default, if in no other
        way."""
        return None

    def label(self, state: S) -> str:
        """What to call the algorithm that ran."""
        return self.name

    def n_screened(self, state: S) -> int:
        """The number of blocks that were proved to be at a vertex and have left the problem."""
        return 0

    @classmethod
    def misfits(cls, problem: P) -> list[str]:
        """What else keeps the algorithm from this problem, which has all it needs; one sentence each."""
        return []

    @classmethod
    def missing(cls, problem: AnyProblem) -> list[str]:
        """Why this algorithm does not fit the problem, one sentence each; empty if it does."""
        lacking = [name for name in cls.needs if not has(problem, name)]
        if lacking:
            purpose = [f"is for {cls.serves}"] if cls.serves else []
            needs = [f"needs {name}, which {_name(getattr(problem, name[0]))} does not have" for name in lacking]
            return purpose + needs
        fitting: Any = problem  # of type P, as it has all that is needed
        return cls.misfits(fitting)


AnySolver = Solver[Any, Any]


def advance(method: Solver[P, S], problem: P, state: S, tol: float, passes: float) -> S:
    """Steps until the solver's own estimate is at most ``tol`` or ``passes`` were made: a start for another solve.

    Nothing is certified, so nothing is claimed of the result.
    """
    while not _is_within(method.estimate(problem, state), tol) and state.passes < passes:
        state = method.step(problem, state)
    return state


def _is_within(estimate: float | None, tol: float) -> bool:
    return estimate is not None and not estimate > tol
