"""What an algorithm is to the driver: init, step, candidate and observe on an explicit state, and what it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem


class Start(NamedTuple):
    """Where a solve starts: a feasible dual point and weights (not necessarily w(alpha))."""

    w: Vector
    alpha: Vector


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


@dataclass
class State:
    """What an algorithm remembers between steps. ``passes`` counts its reads of the data."""

    passes: float


S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Requirement:
    """A property of a problem that an algorithm relies on."""

    holds: Callable[[Problem], bool]
    needs: str
    has: Callable[[Problem], str]


def _name(part: object) -> str:
    return type(part).__name__


ROWS = Requirement(
    lambda p: isinstance(p.A, RowOperator) and p.A.number is None,
    "an operator A that hands out its rows (a RowOperator), one for each dual variable",
    lambda p: f"A is {_name(p.A)}",
)
BOX = Requirement(
    lambda p: isinstance(p.Q, Box) and not isinstance(p.Q, BoxPlane),
    "Q to be a Box without an equality constraint (no bias)",
    lambda p: f"Q is {_name(p.Q)}",
)
BOX_OR_PLANE = Requirement(
    lambda p: isinstance(p.Q, Box), "Q to be a Box or a BoxPlane", lambda p: f"Q is {_name(p.Q)}"
)
BOUNDED = Requirement(
    lambda p: bool(np.isfinite(p.Q.radius2())), "a bounded Q", lambda p: f"this {_name(p.Q)} is unbounded"
)
PIECEWISE_LINEAR = Requirement(
    lambda p: not np.any(p.kappa), "a piecewise linear risk (kappa = 0)", lambda p: f"kappa is {np.max(p.kappa):g}"
)


class Solver(ABC, Generic[S]):
    """An algorithm over a :class:`Problem`. It owns no clock, no printer, no certificate and no verdict.

    If :meth:`step` raises (a KeyboardInterrupt, say), the state it was given must still yield a candidate. Any other
    exception of any method means that the algorithm cannot go on: :meth:`recover` may know another.
    """

    name: ClassVar[str]
    requires: ClassVar[tuple[Requirement, ...]] = ()
    #: Whether a warm start may go on without the rows that are proved to be at a bound (:mod:`pragam.screened`).
    may_drop_rows: ClassVar[bool] = False

    @abstractmethod
    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> S:
        """The state before the first step; ``tol`` is a hint of the accuracy wanted."""

    @abstractmethod
    def step(self, problem: Problem, state: S) -> S:
        """One iteration."""

    @abstractmethod
    def candidate(self, problem: Problem, state: S) -> tuple[Vector, Vector]:
        """The pair ``(w, alpha)`` proposed now, alpha in Q. A query: it leaves the state as it is.

        They may be the state's own arrays: the driver copies them before the next step.
        """

    def observe(self, problem: Problem, state: S, certified: Certified) -> S:
        """What follows from a certificate of the candidate of this state; by default nothing.

        The driver calls it after every certificate, so it has to be cheap. What costs time belongs in the next step.
        """
        return state

    def estimate(self, problem: Problem, state: S) -> float | None:
        """A cheap guess of the relative gap, by which the driver chooses when to certify; None if unknown."""
        return None

    def recover(self, problem: Problem, state: S, start: Start) -> S | None:
        """How to go on from the best certified pair when a call has failed; None, the default, if in no other way."""
        return None

    def label(self, state: S) -> str:
        """What to call the algorithm that ran."""
        return self.name

    def n_screened(self, state: S) -> int:
        """The number of rows that were proved to be at a bound and have left the problem."""
        return 0

    @classmethod
    def missing(cls, problem: Problem) -> list[str]:
        """What this problem lacks for this algorithm, one sentence each; empty if it fits."""
        return [f"needs {r.needs}, and {r.has(problem)}" for r in cls.requires if not r.holds(problem)]


AnySolver = Solver[Any]


def advance(method: Solver[S], problem: Problem, state: S, tol: float, passes: float) -> S:
    """Steps until the solver's own estimate is at most ``tol`` or ``passes`` were made: a start for another solve.

    Nothing is certified, so nothing is claimed of the result.
    """
    while not _is_within(method.estimate(problem, state), tol) and state.passes < passes:
        state = method.step(problem, state)
    return state


def _is_within(estimate: float | None, tol: float) -> bool:
    return estimate is not None and not estimate > tol
