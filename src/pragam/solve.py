"""The loop: clock, budget, certificates, history, callbacks and Ctrl-C, once for all solvers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pragam import solvers
from pragam.certificate import RESOLVED, SHARE, Certificate, Lower, Upper, certificate_of
from pragam.interrupts import Signals, listen
from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.result import History, Result, Status
from pragam.screened import Screened
from pragam.solvers.base import AnySolver, Start
from pragam.threads import one_blas_thread

#: Certify each time the work has grown by this factor, at the latest ...
_GROWTH = 1.2
#: ... and by so many passes where the solver's own estimate says that there is no hurry: a certificate costs two.
_PATIENCE = 20.0
#: A solve has stalled when the last nine tenths of its work (the part after the first 1/_STALL_FACTOR) brought the
#: solver's own bounds nearer to each other by less than this share of what lacks: a thousand times the work, at that
#: rate, would not do ...
_STALL_FACTOR, _STALL_SHARE = 10.0, 1e-3
#: ... but never before this many passes over the data.
_STALL_PASSES = 2000.0
#: Where rounding may be this share of J, a slightly longer w is tried as well.
_UNRESOLVED = 1e-11
#: A gap that is smaller than the rounding of the plain products and that this much more work has not halved is the
#: rounding of w and alpha themselves.
_ROUNDING_FACTOR, _ROUNDING_PASSES = 1.5, 10.0


@dataclass(frozen=True)
class Progress:
    """What a callback sees after each iteration: the best certificate so far, and its pair, read-only."""

    iteration: int
    passes: float
    seconds: float
    certificate: Certificate
    tol: float
    w: Vector
    alpha: Vector


Callback = Callable[[Progress], Any]


def solve(
    problem: Problem,
    solver: str | AnySolver = "auto",
    *,
    tol: float = 1e-6,
    max_iter: int | None = None,
    max_seconds: float | None = None,
    start: Result | tuple[Vector | None, Vector] | Vector | None = None,
    callback: Callback | None = None,
    random_state: int | np.random.Generator | None = None,
    screening: bool = True,
    stall: bool = True,
) -> Result:
    r"""Minimise J(w) until the certified relative gap (J - D) / max(\|J\|, \|D\|) is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        As made by :func:`pragam.hinge` and the other risks.
    solver : str or Solver
        A name out of ``pragam.solvers.names()`` or a solver object with its own settings.
    tol : float >= 0
        The relative duality gap to certify.
    max_iter, max_seconds : optional budgets
        When one ends first, the best pair so far is returned with its gap. 0 certifies the start alone.
        The clock is read between iterations.
    start : Result, (w, alpha) or alpha, optional
        A warm start. alpha is projected onto Q; w is taken as w(alpha) if it is missing.
    callback : callable, optional
        Called with a :class:`Progress` after each iteration; a true return value stops the solve.
    random_state : int or numpy Generator, optional
        Seed of the randomised solvers. The default, None, is seed 0: equal calls give equal answers.
    screening : bool
        Whether, in a warm start of auto, dcd or newton on a hinge, samples whose dual variable is proved to be at a
        bound leave the problem for the rest of the solve (:mod:`pragam.screening`). ``Result.n_screened`` counts them.
        Every certificate remains that of the whole problem. The samples left are copied, half of all at most.
    stall : bool
        Whether a solve ends as ``Status.STALLED`` when a thousand times the work would not reach ``tol`` at its present
        rate. If False, only the budgets end a solve that gets nowhere.

    Returns
    -------
    Result
        Always, once the arguments are accepted: with status ``Status.INTERRUPTED`` after Ctrl-C, with ``Status.FAILED``
        and the cause in ``Result.reason`` if the solver fails. Only what a callback raises is passed on.
    """
    with listen() as signals, one_blas_thread(), np.errstate(all="ignore"):
        _check_budget(tol, max_iter, max_seconds)
        method = solvers.choose(solver, problem)
        rng = np.random.default_rng(0 if random_state is None else random_state)
        begin = _as_start(problem, start)
        if screening and begin is not None and Screened.fits(method, problem):
            method = Screened(method)
        rules = _Rules(tol, max_iter, stall, _Clock(max_seconds), signals)
        return _run(problem, method, begin, rng, rules, callback)


def _run(
    problem: Problem,
    method: AnySolver,
    start: Start | None,
    rng: np.random.Generator,
    rules: _Rules,
    callback: Callback | None,
) -> Result:
    try:
        record = _Record(problem, start)
    except ArithmeticError as error:
        return _contradiction(problem, method, error)
    turn = _Turn(problem, method, record, rules)
    reason = ""
    try:
        turn.begin(rng, start)
        while (status := rules.verdict(record, turn.iteration)) is None:
            turn.step()
            if callback is not None and turn.stopped_by(callback):
                status = Status.STOPPED
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except _FailedError as error:
        status, reason = Status.FAILED, str(error)
    status, reason = turn.last_word(status, reason)
    return record.result(status, reason, turn.label, turn.iteration, turn.n_screened)


class _FailedError(Exception):
    """No algorithm can go on. The message is a sentence for the user."""


class _ContradictionError(Exception):
    """A lower bound exceeds an upper one: no algorithm is to blame, but the problem."""


def _contradiction(problem: Problem, method: AnySolver, error: ArithmeticError) -> Result:
    """What is left to say of a problem whose bounds exclude each other from the start: J(0), and no lower bound."""
    w, alpha = np.zeros(problem.n_weights), problem.Q.project(np.zeros(problem.Q.size))
    certificate = certificate_of(problem, Upper(problem, None), None)
    return Result(
        w, alpha, certificate, Status.FAILED, History.from_rows([]), method.name, 0, reason=_contradicts(error)
    )  # fmt: skip


def _contradicts(error: ArithmeticError) -> str:
    return f"The problem contradicts itself: {error}."


@dataclass(frozen=True)
class _Rules:
    """When a solve ends."""

    tol: float
    max_iter: int | None
    stall: bool
    clock: _Clock
    signals: Signals

    def verdict(self, record: _Record, iteration: int) -> Status | None:
        """The status to end with now, if any."""
        if record.certificate.relative_gap <= self.tol:
            return Status.CONVERGED
        if self.signals.asked:
            return Status.INTERRUPTED
        if self.max_iter is not None and iteration >= self.max_iter:
            return Status.MAX_ITER
        if self.clock.is_over():
            return Status.MAX_SECONDS
        if record.is_rounding(self.tol):
            return Status.ROUNDING
        if self.stall and record.has_stalled(self.tol):
            return Status.STALLED
        return None


@dataclass
class _Turn:
    """A solver at work: its state, and what happens when one of its calls fails."""

    problem: Problem
    method: AnySolver
    record: _Record
    rules: _Rules
    state: Any = None
    iteration: int = 0

    def begin(self, rng: np.random.Generator, start: Start | None) -> None:
        """The state before the first step, and its certificate if that may be good."""
        tol = self.rules.tol
        with self._guarded():
            with self.rules.signals.raising():
                self.state = self.method.init(self.problem, rng, start, tol)
            estimate = self.method.estimate(self.problem, self.state)
            if start is not None or estimate is None or estimate <= tol:
                self._certify()
        if not self.record.rows:
            self.record.note(self.iteration, self.state.passes, self.rules.clock.seconds())

    def step(self) -> None:
        """One iteration, and a certificate if it is due."""
        record, method = self.record, self.method
        record.own()
        with self._guarded():
            with self.rules.signals.raising():
                if isinstance(method, Screened):
                    best = Start(record.w, record.alpha)
                    self.state = method.screen(self.problem, self.state, best, record.certificate)
                self.state = method.step(self.problem, self.state)
            self.iteration += 1
            if record.is_due(method.estimate(self.problem, self.state), self.state.passes, self.rules.tol):
                self._certify()

    def stopped_by(self, callback: Callback) -> bool:
        """What the callback says. Its errors are not ours."""
        progress = self.record.progress(self.iteration, self.state.passes, self.rules.clock, self.rules.tol)
        with self.rules.signals.raising():
            return bool(callback(progress))

    def last_word(self, status: Status, reason: str) -> tuple[Status, str]:
        """Certify where the solver stands at the end, unless that was just done; it may have converged."""
        rows, record = self.record.rows, self.record
        if status is not Status.CONVERGED and self.state is not None:
            done = bool(rows) and rows[-1][0] == self.iteration
            if not done or status in (Status.INTERRUPTED, Status.FAILED):
                record.own()
                try:
                    self._certify()
                except Exception as error:  # an interrupted or failed step may have left nothing to propose
                    if status not in (Status.INTERRUPTED, Status.FAILED):
                        status, reason = Status.FAILED, self._sentence(error)
            if record.certificate.relative_gap <= self.rules.tol:
                return Status.CONVERGED, ""
        return status, reason

    @property
    def label(self) -> str:
        return self.method.name if self.state is None else self.method.label(self.state)

    @property
    def n_screened(self) -> int:
        method = self.method
        return method.n_screened(self.state) if isinstance(method, Screened) and self.state is not None else 0

    def _certify(self) -> None:
        pair = self.method.candidate(self.problem, self.state)
        self.record.certify(pair, self.iteration, self.state.passes, self.rules.clock.seconds())

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Whatever a solver's call raises ends the turn of its algorithm: the solver may go on with another."""
        try:
            yield
        except _ContradictionError as error:
            raise _FailedError(str(error)) from error
        except Exception as error:
            if not self._recovers():
                raise _FailedError(self._sentence(error)) from error

    def _recovers(self) -> bool:
        if self.state is None:
            return False
        self.record.own()
        try:
            state = self.method.recover(self.problem, self.state, Start(self.record.w.copy(), self.record.alpha.copy()))
        except Exception:
            return False
        if state is not None:
            self.state = state
        return state is not None

    def _sentence(self, error: Exception) -> str:
        what = str(error).strip().rstrip(".") or "no message"
        return f"The solver {self.label!r} failed in iteration {self.iteration}: {what} ({type(error).__name__})."


@dataclass
class _Record:
    """The best primal and the best dual point, each with its certified value, and the history.

    w and alpha may be the solver's own arrays, as it proposed them; ``own`` copies them before it goes on.
    """

    problem: Problem
    start: Start | None = None
    upper: Upper = field(init=False)
    lower: Lower = field(init=False)
    certificate: Certificate = field(init=False)
    is_owner: bool = True
    rows: list[tuple[int, float, float, float, float, float]] = field(default_factory=list)
    proposed: list[tuple[float, float, float]] = field(default_factory=list)  # passes, and the solver's own best bounds
    promised_at: float = 0.0  # passes at the last certificate that an estimate called for

    def __post_init__(self) -> None:
        # The start w_0 = 0 counts as iterate 0, whatever the solver proposes first; and the answer is never worse than
        # a start that was given, even if the solver has no use for its w.
        problem = self.problem
        self.upper, self.lower = Upper(problem, None), Lower(problem, problem.Q.project(np.zeros(problem.Q.size)))
        self.certificate = certificate_of(problem, self.upper, self.lower)
        if self.start is not None:
            self._offer(self.start.w, self.start.alpha)
            self.own()

    @property
    def w(self) -> Vector:
        """The weights with the lowest certified J."""
        return np.zeros(self.problem.n_weights) if self.upper.w is None else self.upper.w

    @property
    def alpha(self) -> Vector:
        """The dual point with the highest certified D."""
        return self.lower.alpha

    def _offer(self, w: Vector, alpha: Vector) -> tuple[float, float]:
        """Keep what improves either bound; the values of both, as first computed."""
        upper, lower = self._stretched(Upper(self.problem, w)), Lower(self.problem, alpha)
        values = upper.quick.value, lower.quick.value
        upper = upper if upper.beats(self.upper) else self.upper
        lower = lower if lower.beats(self.lower) else self.lower
        proof = certificate_of(self.problem, upper, lower)
        if (
            proof.primal > self.certificate.primal or proof.dual < self.certificate.dual
        ):  # by rounding, within its slack
            upper = self.upper if proof.primal > self.certificate.primal else upper
            lower = self.lower if proof.dual < self.certificate.dual else lower
            proof = certificate_of(self.problem, upper, lower)
        self.is_owner, self.upper, self.lower, self.certificate = False, upper, lower, proof
        return values

    def own(self) -> None:
        """Copy what the solver may change in its next step."""
        if not self.is_owner:
            self.upper.own()
            self.lower.own()
            self.is_owner = True

    def _stretched(self, upper: Upper) -> Upper:
        """(1 + e) w instead of w if its J is lower. On separable data with a tiny lam, J is made of losses by rounding,
        and a slightly longer w has none."""
        bound = upper.quick
        if upper.w is None or not _UNRESOLVED * abs(bound.value) < bound.slack < np.inf:
            return upper
        rounding = float(self.problem.A.matvec_error(upper.w).max(initial=0.0))
        longer = Upper(self.problem, (1 + 2 * rounding) * upper.w)
        return longer if longer.beats(upper) else upper

    def certify(self, pair: tuple[Vector, Vector], iteration: int, passes: float, seconds: float) -> None:
        """Certify a candidate and keep what improves either bound."""
        try:
            primal, dual = self._offer(*pair)
        except ArithmeticError as error:
            raise _ContradictionError(_contradicts(error)) from error
        self.note(iteration, passes, seconds)
        _, least, most = self.proposed[-1] if self.proposed else (0.0, np.inf, -np.inf)
        self.proposed.append((passes, min(primal, least), max(dual, most)))

    def note(self, iteration: int, passes: float, seconds: float) -> None:
        """Write what is certified so far into the history."""
        proof = self.certificate
        self.rows.append((iteration, passes, seconds, proof.primal, proof.dual, proof.gap))

    def is_due(self, estimate: float | None, passes: float, tol: float) -> bool:
        """Whether a certificate is worth its two products now. Never whether to stop."""
        last = self.rows[-1][1]
        if estimate is None:
            return passes >= _GROWTH * last + 1
        if estimate <= tol and passes >= 1.05 * self.promised_at + 1:
            self.promised_at = passes  # if the estimate was wrong, it may not call for another one at once
            return True
        return passes >= _GROWTH * last + _PATIENCE

    def has_stalled(self, tol: float) -> bool:
        """Whether the last nine tenths of the work brought the solver's own bounds hardly nearer to each other.

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
        lacks = self.certificate.gap - tol * max(abs(value) for value in values)
        return not came_nearer >= _STALL_SHARE * lacks

    def is_rounding(self, tol: float) -> bool:
        """Whether rounding is the limit: of the proof, or of the numbers w and alpha that it is about.

        The first is so when the slack that is left in twice the precision is much of the gap and too much for the
        tolerance; the second when the gap is below the rounding of plain products and more work does not halve it.
        """
        proof, (_, passes, _, _, _, gap) = self.certificate, self.rows[-1]
        size = abs(proof.primal)
        if proof.slack > SHARE * gap and proof.slack > min(max(RESOLVED, SHARE * tol), 0.5 * tol) * size:
            return True
        plain = self.upper.quick.slack + self.lower.quick.slack
        before = [row[5] for row in self.rows if _ROUNDING_FACTOR * row[1] + _ROUNDING_PASSES <= passes]
        return bool(before) and before[-1] <= plain and gap > 0.5 * before[-1]

    def progress(self, iteration: int, passes: float, clock: _Clock, tol: float) -> Progress:
        self.own()
        w, alpha = _read_only(self.w), _read_only(self.alpha)
        return Progress(iteration, passes, clock.seconds(), self.certificate, tol, w, alpha)

    def result(self, status: Status, reason: str, solver: str, n_iter: int, n_screened: int) -> Result:
        return Result(
            w=self.w, alpha=self.alpha, certificate=self.certificate, status=status,
            history=History.from_rows(self.rows), solver=solver, n_iter=n_iter, n_screened=n_screened,
            reason=reason,
        )  # fmt: skip


def _difference(larger: float, smaller: float) -> float:
    """Their difference, 0 where both are the same infinity."""
    return 0.0 if larger == smaller else larger - smaller


def _read_only(x: Vector) -> Vector:
    """A view through which a callback cannot change what was certified."""
    view = x.view()
    view.flags.writeable = False
    return view


class _Clock:
    def __init__(self, limit: float | None) -> None:
        self._begin = time.perf_counter()
        self._limit = np.inf if limit is None else limit

    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def is_over(self) -> bool:
        return self.seconds() >= self._limit


def _as_start(problem: Problem, start: Any) -> Start | None:
    if start is None:
        return None
    if isinstance(start, Result):
        start = (start.w, start.alpha)
    w, alpha = start if isinstance(start, tuple) else (None, start)
    alpha = _finite("start (alpha)", alpha, problem.Q.size)
    if not problem.Q.contains(alpha):
        alpha = problem.Q.project(alpha)
    w = problem.w_of_alpha(alpha) if w is None else _finite("start (w)", w, problem.n_weights)
    return Start(w, alpha)


def _finite(name: str, x: Any, size: int) -> Vector:
    x = np.array(x, dtype=np.float64).reshape(-1)
    if x.size != size or not np.isfinite(x).all():
        raise ValueError(f"{name} must hold {size} finite numbers, not {np.isfinite(x).sum()} out of {x.size}")
    return x


def _check_budget(tol: float, max_iter: int | None, max_seconds: float | None) -> None:
    if not tol >= 0:
        raise ValueError(f"tol must be a number >= 0, not {tol!r}")
    if max_iter is not None and not max_iter >= 0:
        raise ValueError(f"max_iter must be None or a whole number >= 0, not {max_iter!r}")
    if max_seconds is not None and not max_seconds >= 0:
        raise ValueError(f"max_seconds must be None or a number >= 0, not {max_seconds!r}")
