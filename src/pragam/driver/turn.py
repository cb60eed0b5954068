"""A solver at work inside a solve: its steps, when they are certified, when they end, and what follows if one fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from pragam.driver.failures import sentence_of
from pragam.driver.record import Clock, ContradictionError, Judged, Progress, Record, contradicts
from pragam.driver.result import Status
from pragam.engines import EngineError
from pragam.problem import AnyProblem
from pragam.runtime.interrupts import Signals
from pragam.solvers.base import AnySolver, Start

#: Seconds for the last certificate after an interrupt. If it takes longer, the one before is the last.
_GRACE = 0.7

Callback = Callable[[Progress], Any]


class FailedError(Exception):
    """No algorithm can go on. The message is a sentence for the user."""


@dataclass(frozen=True)
class Rules:
    """When a solve ends."""

    tol: float
    max_iter: int | None
    stall: bool
    clock: Clock
    signals: Signals

    @property
    def has_overrun(self) -> bool:
        """Whether it was the budget, and no signal, that broke off a step."""
        return self.clock.is_over() and not self.signals.asked

    def verdict(self, record: Record, iteration: int, is_news: bool) -> Status | None:
        """The status to end with now, if any; ``is_news`` if there is another certificate than the last time."""
        if record.certificate.relative_gap <= self.tol:
            return Status.CONVERGED
        if self.signals.asked:
            return Status.INTERRUPTED
        if self.max_iter is not None and iteration >= self.max_iter:
            return Status.MAX_ITER
        if self.clock.is_over():
            return Status.MAX_SECONDS
        if is_news and record.is_rounding():
            return Status.ROUNDING
        if is_news and self.stall and record.has_stalled():
            return Status.ROUNDING if record.is_hidden() else Status.STALLED
        return None


@dataclass
class Turn:
    """A solver at work: its state, and what happens when one of its calls fails."""

    problem: AnyProblem
    method: AnySolver
    record: Record
    rules: Rules
    state: Any = None
    iteration: int = 0
    n_judged: int = 0  # rows of the history at the last verdict
    before: float = 0.0  # passes that were made before the solver began
    begun_by: str = ""  # who made them
    is_whole: bool = False  # whether the last iteration of this run was made to its end
    told: list[str] = field(default_factory=list)  # what has failed on the way, a sentence each

    @property
    def passes(self) -> float:
        """All that were made."""
        return self.before if self.state is None else self.before + float(self.state.passes)

    def begin(self, rng: np.random.Generator, start: Start | None) -> None:
        """The state before the first step, and its certificate if that may be good."""
        tol = self.rules.tol
        try:
            with self.rules.signals.raising:
                self.state = self.method.init(self.problem, rng, start, tol)
            estimate = self.method.estimate(self.problem, self.state)
            is_certified = bool(self.record.rows)  # what others have reached is its start
            if (start is not None and not is_certified) or estimate is None or estimate <= tol:
                self._certify()
        except Exception as error:
            self._go_on_after(error)
        if not self.record.rows:
            self.record.note(self.iteration, self.passes, self.rules.clock.seconds())
        self.is_whole = True

    def step(self) -> None:
        """One iteration, and a certificate if it is due."""
        record, method = self.record, self.method
        record.own()
        self.is_whole = False
        try:
            with self.rules.signals.raising:
                self.state = method.step(self.problem, self.state)
            self.iteration += 1
            if record.is_due(method.estimate(self.problem, self.state), self.passes):
                self._certify()
        except Exception as error:
            self._go_on_after(error)
        self.is_whole = True

    def verdict(self) -> Status | None:
        """The status to end with now, if any."""
        status = self.rules.verdict(self.record, self.iteration, len(self.record.rows) > self.n_judged)
        if status is Status.STALLED and self._is_relieved():
            status = None
        if status is None:  # else a run that goes on from here hears the same news
            self.n_judged = len(self.record.rows)
        return status

    def _is_relieved(self) -> bool:
        """Whether the solver goes on in another way, now that it has stalled."""
        if not self._goes_on(self.method.relieve):
            return False
        self.record.relieve(self.passes)
        return True

    def said_of_it(self, callback: Callback | None) -> Status | None:
        """The status to end with before the solver begins, where others have certified a start."""
        is_stopped = callback is not None and self.stopped_by(callback)
        return self.verdict() or (Status.STOPPED if is_stopped else None)

    def stopped_by(self, callback: Callback) -> bool:
        """What the callback says. Its errors are not ours, and no budget breaks it off."""
        progress = self.record.progress(self.iteration, self.passes, self.rules.clock)
        with self.rules.signals.raising, self.rules.signals.unhurried():
            return bool(callback(progress))

    def last_word(self, status: Status, reason: str) -> tuple[Status, str]:
        """Certify where the solver stands at the end, unless that was just done; it may have converged."""
        rows, record, signals = self.record.rows, self.record, self.rules.signals
        if status is not Status.CONVERGED and self.state is not None:
            done = bool(rows) and rows[-1][0] == self.iteration
            if not done or status in (Status.INTERRUPTED, Status.FAILED):
                record.own()
                is_short = status is Status.INTERRUPTED and (record.has_proposal or self.iteration == 0)
                try:
                    with signals.grace(_GRACE if is_short else inf):
                        proposed = self._judged()
                    self._keep(*proposed)
                except KeyboardInterrupt:  # what was certified before remains
                    pass
                except Exception as error:  # an interrupted or failed step may have left nothing to propose
                    if status not in (Status.INTERRUPTED, Status.FAILED):
                        status, reason = Status.FAILED, self._sentence(error)
            if record.certificate.relative_gap <= self.rules.tol:
                status, reason = Status.CONVERGED, ""
        return status, " ".join([*self.told, reason]).strip()

    @property
    def label(self) -> str:
        if self.state is None:
            return self.begun_by or self.method.name
        return self.method.label(self.state)

    @property
    def n_screened(self) -> int:
        return 0 if self.state is None else self.method.n_screened(self.state)

    def _certify(self) -> None:
        """Certify what the solver proposes. An interrupt may end this before anything has changed."""
        with self.rules.signals.raising:
            proposed = self._judged()
        self._keep(*proposed)

    def _judged(self) -> tuple[Start, Judged]:
        pair = Start(*self.method.candidate(self.problem, self.state))
        try:
            return pair, self.record.judge(pair)
        except ArithmeticError as error:
            raise ContradictionError(contradicts(error)) from error

    def _keep(self, pair: Start, judged: Judged) -> None:
        """Tell the solver what came of its proposal, which it may count as work."""
        self.state = self.method.observe(self.problem, self.state, self.record.keep(pair, judged))
        self.record.note(self.iteration, self.passes, self.rules.clock.seconds())

    def _go_on_after(self, error: Exception) -> None:
        """Whatever a solver's call raises ends the turn of its algorithm: the solver may go on with another.

        Where workers are to blame, another one would change the answer, and hide what has happened.
        """
        if isinstance(error, ContradictionError):
            raise FailedError(str(error)) from error
        said = self._sentence(error)
        if isinstance(error, EngineError) or not self._goes_on(self.method.recover):
            raise FailedError(said) from error
        self.told.append(f"{said} It went on as {self.label!r}.")

    def _goes_on(self, way: Callable[[AnyProblem, Any, Start], Any]) -> bool:
        """Whether the solver goes on, from the best certified pair, by its method ``recover`` or ``relieve``."""
        if self.state is None:
            return False
        self.record.own()
        best = Start(self.record.w.copy(), self.record.alpha.copy(), self.record.upper.biases)
        try:
            state = way(self.problem, self.state, best)
        except Exception:
            return False
        if state is not None:
            self.state = state
        return state is not None

    def _sentence(self, error: Exception) -> str:
        return sentence_of(error, self.problem, self.label, self.iteration)
