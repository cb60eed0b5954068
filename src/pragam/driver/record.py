"""What is certified so far in a solve: the best of both bounds, their points, and the history."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pragam.certificate import RESOLVED, SHARE, Certificate, Lower, Upper, certificate_of
from pragam.driver.result import History, Result, Status
from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Certified, Start

#: Certify at the latest when the passes have grown by this factor since the last certificate.
_GROWTH = 1.2
#: If the solver's estimate is still above the tolerance, wait until the work since the last certificate is this many
#: times what one costs.
_UNHURRIED = 10.0
#: An estimate within the tolerance calls for a certificate only if the passes have grown by this factor since the last
#: time: it may be wrong.
_PROMISE_GROWTH = 1.05
#: A solve has stalled when all but the first 1/_STALL_FACTOR of its work has brought too little.
_STALL_FACTOR = 10.0
#: Too little is less than this share of what the solver's own bounds still lack: at that rate a thousand times the work
#: would not do.
_STALL_SHARE = 1e-3
#: No solve has stalled before this many passes.
_STALL_PASSES = 2000.0
#: Rounding of w and alpha themselves is the limit if a gap below the rounding of the plain products has not halved
#: while the passes have grown by this factor.
_ROUNDING_FACTOR = 1.5
#: The passes must also have grown by this many.
_ROUNDING_PASSES = 10.0
#: How much longer biases are tried where losses are their rounding, in units of that of the largest one and of 1.
_LONGER, _EPS = 16.0, float(np.finfo(np.float64).eps)
#: A step may overrun the budget by this share of it and these seconds: most steps end within, and their work counts.
_OVERRUN_SHARE, _OVERRUN_SECONDS = 0.1, 0.5


@dataclass(frozen=True)
class Progress:
    """What a callback sees after each iteration: the best certificate so far, and its pair, read-only."""

    iteration: int
    passes: float
    seconds: float
    certificate: Certificate
    tol: float
    w: Vector
    alpha: Any  # a dual point


class ContradictionError(Exception):
    """A lower bound exceeds an upper one: no algorithm is to blame, but the problem."""


def contradicts(error: ArithmeticError) -> str:
    return f"The problem contradicts itself: {error}."


class Judged(NamedTuple):
    """The better ones of both bounds, what they prove, and the candidate's own as first computed, with their slack."""

    upper: Upper
    lower: Lower
    proof: Certificate
    values: tuple[float, float]
    slack: float


@dataclass
class Record:
    """The best primal and the best dual point, each with its certified value, and the history.

    w and alpha may be the solver's own arrays, as it proposed them; ``own`` copies them before it goes on.
    """

    problem: AnyProblem
    tol: float
    start: Start | None = None
    near: Record | None = None  # of the same problem at another lam: what is known there is known here
    nothing: tuple[Upper, Lower] = field(init=False)  # the bounds before any solver has begun
    upper: Upper = field(init=False)
    lower: Lower = field(init=False)
    certificate: Certificate = field(init=False)
    is_owner: bool = True
    rows: list[tuple[int, float, float, float, float, float]] = field(default_factory=list)
    own_best: tuple[float, float] = np.inf, -np.inf  # the best bounds among the solver's own proposals
    own_slack: float = 0.0  # the rounding of plain products with its last proposal
    proposed: list[tuple[float, float, float]] = field(default_factory=list)  # passes and own_best, row by row
    relieved_at: float = 0.0  # passes when another algorithm took over from one that had stalled; there they begin
    promised_at: float = 0.0  # passes at the last certificate that an estimate called for

    def __post_init__(self) -> None:
        # The start w_0 = 0 counts as iterate 0, whatever the solver proposes first; and the answer is never worse than
        # a start that was given, even if the solver has no use for its w.
        self.upper, self.lower = self.nothing = self._of_nothing()
        self.certificate = certificate_of(self.problem, self.upper, self.lower)
        if self.near is not None:
            known = self.near.upper.at(self.problem), self.near.lower.at(self.problem)
            self._take(self.judge_bounds(*known))
            self.near = None
        if self.start is not None:
            self._take(self.judge(self.start))
            self.own()

    def _of_nothing(self) -> tuple[Upper, Lower]:
        """J(0), and D of the point that solvers start from."""
        problem = self.problem
        if self.near is not None:
            upper, lower = self.near.nothing
            return upper.at(problem), lower.at(problem)
        # Any biases will do for a bound to start with.
        biases = np.zeros(problem.n_biases) if problem.cut is not None and problem.cut.is_search_long else None
        return Upper(problem, None, biases), Lower(problem, problem.start())

    @property
    def w(self) -> Vector:
        """The weights with the lowest certified J."""
        return np.zeros(self.problem.n_weights) if self.upper.w is None else self.upper.w

    @property
    def alpha(self) -> Any:
        """The dual point with the highest certified D."""
        return self.lower.alpha

    def judge(self, pair: Start) -> Judged:
        """What would be kept of a candidate. Changes nothing, so an interrupt may end it."""
        return self.judge_bounds(Upper(self.problem, pair.w, pair.b), Lower(self.problem, pair.alpha))

    def judge_bounds(self, upper: Upper, lower: Lower) -> Judged:
        """The same for the bounds of a candidate."""
        values, slack = (upper.quick.value, lower.quick.value), upper.quick.slack + lower.quick.slack
        lower = lower if lower.beats(self.lower) else self.lower
        upper = upper if upper.beats(self.upper) else self.upper
        proof = certificate_of(self.problem, upper, lower)
        if proof.relative_gap > self.tol and SHARE * proof.gap < upper.quick.slack < np.inf:
            longer = self._stretched(upper)
            stretched = certificate_of(self.problem, longer, lower)
            if stretched.primal < proof.primal:  # in all digits, too
                upper, proof = longer, stretched
        # By rounding, a bound may be a little worse than one that was computed in more digits.
        if proof.primal > self.certificate.primal or proof.dual < self.certificate.dual:
            upper = self.upper if proof.primal > self.certificate.primal else upper
            lower = self.lower if proof.dual < self.certificate.dual else lower
            proof = certificate_of(self.problem, upper, lower)
        return Judged(upper, lower, proof, values, slack)

    def _take(self, judged: Judged) -> None:
        self.is_owner = False
        self.upper, self.lower, self.certificate, *_ = judged

    def own(self) -> None:
        """Copy what the solver may change in its next step."""
        if not self.is_owner:
            self.upper.own()
            self.lower.own()
            self.is_owner = True

    def _stretched(self, upper: Upper) -> Upper:
        """(1 + e) w instead of w if its J is lower. On separable data with a tiny lam, J is made of losses by rounding,
        and a slightly longer w has none. So it is with biases that are not searched for again; they may do alone."""
        if upper.w is None:
            return upper
        problem, b = self.problem, None
        if problem.cut is not None and problem.cut.is_search_long and upper.biases is not None:
            b = upper.biases * (1 + _LONGER * _EPS * (1 + float(np.abs(upper.biases).max())))
        rounding = float(problem.A.matvec_error(upper.w).max(initial=0.0))
        for longer in ((1 + 2 * rounding) * upper.w, *(() if b is None else (None,))):
            other = Upper(problem, longer, b)
            upper = other if other.beats(upper) else upper
        return upper

    def keep(self, pair: Start, judged: Judged) -> Certified:
        """Keep what improves either bound."""
        self._take(judged)
        (primal, dual), (least, most) = judged.values, self.own_best
        self.own_best, self.own_slack = (min(primal, least), max(dual, most)), judged.slack
        return Certified(pair, Start(self.w, self.alpha, self.upper.biases), self.certificate)

    @property
    def has_proposal(self) -> bool:
        """Whether anything but the start was certified."""
        return self.own_best[1] > -np.inf or self.start is not None

    def note(self, iteration: int, passes: float, seconds: float) -> None:
        """Write what is certified so far into the history."""
        proof = self.certificate
        self.rows.append((iteration, passes, seconds, proof.primal, proof.dual, proof.gap))
        self.proposed.append((passes - self.relieved_at, *self.own_best))

    def relieve(self, passes: float) -> None:
        """Another algorithm goes on: what the one before did says nothing of its progress."""
        self.proposed, self.relieved_at = [], passes

    def is_due(self, estimate: float | None, passes: float) -> bool:
        """Whether a certificate is worth its products now. Never whether to stop."""
        last = self.rows[-1][1]
        if estimate is None:
            return passes >= _GROWTH * last + 1
        if estimate <= self.tol and passes >= _PROMISE_GROWTH * self.promised_at + 1:
            self.promised_at = passes  # if the estimate was wrong, it may not call for another one at once
            return True
        return passes >= _GROWTH * last + _UNHURRIED * self.problem.A.certificate_passes

    def has_stalled(self) -> bool:
        """Whether, in the last 90 % of the work, the solver's own gap shrank by less than _STALL_SHARE of what lacks.

        Its own: the best of what it proposed. A bundle method may climb for thousands of iterations from a D far below
        zero, and no certified bound improves on that of the start meanwhile; but it does get on.
        """
        passes, primal, dual = self.proposed[-1] if self.proposed else (0.0, np.inf, -np.inf)
        if passes < _STALL_PASSES:
            return False
        before = [row for row in self.proposed if row[0] * _STALL_FACTOR <= passes]
        if not before:
            return False
        came_nearer = _difference(before[-1][1], primal) + _difference(dual, before[-1][2])
        values = self.certificate.primal, self.certificate.dual
        lacks = self.certificate.gap - self.tol * max(abs(value) for value in values)
        return not came_nearer >= _STALL_SHARE * lacks

    def is_hidden(self) -> bool:
        """Whether the gap is below the rounding of plain products with what the solver proposes: it works blindly.

        So it is where w is good, but no float alpha of the size that it needs has a small A' alpha.
        """
        return self.certificate.gap <= self.own_slack < np.inf

    def is_rounding(self) -> bool:
        """Whether rounding is the limit: of the proof, or of the numbers w and alpha that it is about.

        The first is so when the slack that is left in twice the precision is much of the gap and too much for the
        tolerance; the second when the gap is below the rounding of plain products and more work does not halve it.
        """
        proof, (_, passes, _, _, _, gap) = self.certificate, self.rows[-1]
        size = abs(proof.primal)
        if proof.slack > SHARE * gap and proof.slack > min(max(RESOLVED, SHARE * self.tol), 0.5 * self.tol) * size:
            return True
        plain = self.upper.quick.slack + self.lower.quick.slack
        before = [row[5] for row in self.rows if _ROUNDING_FACTOR * row[1] + _ROUNDING_PASSES <= passes]
        return bool(before) and before[-1] <= plain and gap > 0.5 * before[-1]

    def progress(self, iteration: int, passes: float, clock: Clock) -> Progress:
        self.own()
        w, alpha = _read_only(self.w), _read_only(self.alpha)
        return Progress(iteration, passes, clock.seconds(), self.certificate, self.tol, w, alpha)

    def result(self, status: Status, reason: str, solver: str, n_iter: int, n_screened: int) -> Result:
        return Result(
            w=self.w, alpha=self.alpha, certificate=self.certificate, status=status,
            history=History.from_rows(self.rows), solver=solver, n_iter=n_iter, n_screened=n_screened,
            reason=reason,
        )  # fmt: skip


def _difference(larger: float, smaller: float) -> float:
    """Their difference, 0 where both are the same infinity."""
    return 0.0 if larger == smaller else larger - smaller


def _read_only(x: Any) -> Any:
    """A view through which a callback cannot change what was certified. A dual point that is no vector has none."""
    if not isinstance(x, np.ndarray):
        return x
    view = x.view()
    view.flags.writeable = False
    return view


class Clock:
    """The seconds of a solve, ``before`` of which were spent before this clock began, outside its limit."""

    def __init__(self, limit: float | None, before: float = 0.0) -> None:
        self._begin = time.perf_counter()
        self._limit = np.inf if limit is None else limit
        self._before = before

    def seconds(self) -> float:
        return self._before + (time.perf_counter() - self._begin)

    def is_over(self) -> bool:
        return time.perf_counter() - self._begin >= self._limit

    @property
    def overrun(self) -> float:
        """The moment at which the limit counts as overrun: a step that still runs is broken off."""
        return self._begin + self._limit * (1 + _OVERRUN_SHARE) + _OVERRUN_SECONDS


class Reached(NamedTuple):
    """Where a solve stands that others have begun (:mod:`pragam.driver.together`): what is certified, and from where it
    may go on."""

    record: Record
    start: Start
    iteration: int
    passes: float
    seconds: float
    solver: str
