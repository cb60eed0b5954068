"""The loop: clock, budget, certificates, history, callbacks and Ctrl-C, once for all solvers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pragam import solvers
from pragam.certificate import RESOLVED, SHARE, Certificate, Lower, Upper, certificate_of
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
#: Call a solve stalled when this much more work improved the gap by less than 1 % ...
_STALL_FACTOR = 10.0
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

    Returns
    -------
    Result
        Also after Ctrl-C, with status ``Status.INTERRUPTED``.
    """
    _check_budget(tol, max_iter, max_seconds)
    method = solvers.choose(solver, problem)
    rng = np.random.default_rng(0 if random_state is None else random_state)
    with one_blas_thread():
        begin = _as_start(problem, start)
        if screening and begin is not None and Screened.fits(method, problem):
            method = Screened(method)
        return _run(problem, method, begin, rng, tol, max_iter, _Clock(max_seconds), callback)


def _run(
    problem: Problem,
    method: AnySolver,
    start: Start | None,
    rng: np.random.Generator,
    tol: float,
    max_iter: int | None,
    clock: _Clock,
    callback: Callback | None,
) -> Result:
    record = _Record(problem, start)
    status: Status | None = None
    iteration, state = 0, None
    try:
        state = method.init(problem, rng, start, tol)
        estimate = method.estimate(problem, state)
        if start is not None or estimate is None or estimate <= tol:
            record.certify(method.candidate(problem, state), iteration, state.passes, clock.seconds())
        else:
            record.note(iteration, state.passes, clock.seconds())
        while (status := _verdict(record, tol, iteration, max_iter, clock)) is None:
            record.own()
            if isinstance(method, Screened):
                state = method.screen(problem, state, Start(record.w, record.alpha), record.certificate)
            state = method.step(problem, state)
            iteration += 1
            if record.is_due(method.estimate(problem, state), state.passes, tol):
                record.certify(method.candidate(problem, state), iteration, state.passes, clock.seconds())
            if callback is not None and callback(record.progress(iteration, state.passes, clock, tol)):
                status = Status.STOPPED
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except _InfeasibleError:
        status = Status.FAILED
    status = _last_word(record, method, state, status, iteration, clock, tol)
    n_screened = method.n_screened(state) if isinstance(method, Screened) and state is not None else 0
    return record.result(status, method.name if state is None else method.label(state), iteration, n_screened)


class _InfeasibleError(Exception):
    """A solver proposed an alpha outside Q."""


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

    def _offer(self, w: Vector, alpha: Vector) -> None:
        upper, lower = self._stretched(Upper(self.problem, w)), Lower(self.problem, alpha)
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
            self._offer(*pair)
        except ValueError as error:
            raise _InfeasibleError from error
        self.note(iteration, passes, seconds)

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

    def has_stalled(self) -> bool:
        """Whether the last nine tenths of the work brought nothing."""
        _, passes, _, _, _, gap = self.rows[-1]
        if passes < _STALL_PASSES:
            return False
        before = [row[5] for row in self.rows if row[1] * _STALL_FACTOR <= passes]
        return bool(before) and gap > 0.99 * before[-1]

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

    def result(self, status: Status, solver: str, n_iter: int, n_screened: int) -> Result:
        return Result(
            w=self.w, alpha=self.alpha, certificate=self.certificate, status=status,
            history=History.from_rows(self.rows), solver=solver, n_iter=n_iter, n_screened=n_screened,
        )  # fmt: skip


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


def _verdict(record: _Record, tol: float, iteration: int, max_iter: int | None, clock: _Clock) -> Status | None:
    if record.certificate.relative_gap <= tol:
        return Status.CONVERGED
    if max_iter is not None and iteration >= max_iter:
        return Status.MAX_ITER
    if clock.is_over():
        return Status.MAX_SECONDS
    if record.is_rounding(tol):
        return Status.ROUNDING
    if record.has_stalled():
        return Status.STALLED
    return None


def _last_word(
    record: _Record, method: AnySolver, state: Any, status: Status, iteration: int, clock: _Clock, tol: float
) -> Status:
    """Certify where the solver stands at the end, unless that was just done; it may have converged."""
    if state is not None and status not in (Status.CONVERGED, Status.FAILED):
        if not record.rows or record.rows[-1][0] != iteration or status is Status.INTERRUPTED:
            record.own()
            try:
                record.certify(method.candidate(record.problem, state), iteration, state.passes, clock.seconds())
            except _InfeasibleError:
                return Status.FAILED
        if record.certificate.relative_gap <= tol:
            return Status.CONVERGED
    return status


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
