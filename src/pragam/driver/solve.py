"""The loop: budgets, certificates, callbacks and Ctrl-C, once for all solvers."""

from __future__ import annotations

import os
from math import inf
from typing import Any

import numpy as np

from pragam import solvers
from pragam.certificate import Upper, certificate_of
from pragam.driver.checkpoint.of_solve import Unkept, belongs_to, kept
from pragam.driver.checkpoint.place import Checkpoint, checkpoint_of
from pragam.driver.record import Clock, Progress, Reached, Record, contradicts
from pragam.driver.result import History, Result, Status
from pragam.driver.screened import screened
from pragam.driver.turn import Callback, FailedError, Rules, Turn
from pragam.numerics.arguments import check_flag, check_number, check_seconds, is_whole, real_array
from pragam.operators.base import Vector
from pragam.operators.needs import HasData
from pragam.polytopes.base import REPAIRABLE
from pragam.problem import AnyProblem
from pragam.runtime.interrupts import listen
from pragam.runtime.threads import one_blas_thread
from pragam.solvers.base import AnySolver, Start, Tools, has
from pragam.solvers.in_units import in_units

__all__ = ["Callback", "Progress", "solve"]


def solve(
    problem: AnyProblem,
    solver: str | AnySolver = "auto",
    *,
    tol: float = 1e-6,
    max_iter: int | None = None,
    max_seconds: float | None = None,
    start: Result | Reached | tuple[Vector | None, Vector] | Vector | None = None,
    callback: Callback | None = None,
    random_state: int | np.random.Generator | None = None,
    screening: bool = True,
    stall: bool = True,
    memory: float | None = None,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
) -> Result:
    r"""Minimise J(w) until the certified relative gap (J - D) / max(\|J\|, \|D\|) is at most ``tol``.

    Parameters
    ----------
    problem : AnyProblem
        As made by :func:`pragam.hinge` and the other risks.
    solver : str or Solver
        A name out of ``pragam.solvers.names()`` or a solver object with its own settings.
    tol : float >= 0
        The relative duality gap to certify.
    max_iter, max_seconds : optional budgets
        When one ends first, the best pair so far is returned with its gap. 0 certifies the start alone.
        The clock is read between iterations. An iteration that overruns ``max_seconds`` by a tenth and half a second
        is broken off at the next place where long loops listen (:func:`pragam.runtime.interrupts.check`).
    start : Result, (w, alpha) or alpha, optional
        A warm start. alpha is projected onto Q; w is taken as w(alpha) if it is missing. (Or what a start of several
        problems together has reached, :mod:`pragam.driver.together`.)
    callback : callable, optional
        Called with a :class:`Progress` after each iteration; a true return value stops the solve.
    random_state : int or numpy Generator, optional
        Seed of the randomised solvers. The default, None, is seed 0: equal calls give equal answers.
    screening : bool
        Whether, in a warm start of auto, dcd, newton or sequential-dual on a hinge, samples whose dual variables are
        proved to be at a bound or vertex leave the problem for the rest of the solve (:mod:`pragam.driver.screening`).
        ``Result.n_screened`` counts them. Every certificate remains that of the whole problem. The samples left are
        copied, half of all at most.
    stall : bool
        Whether a solve ends as ``Status.STALLED`` when a thousand times the work would not reach ``tol`` at its present
        rate. If False, only the budgets end a solve that gets nowhere.
    memory : bytes, optional
        For data in blocks (:func:`pragam.open_packed`): what the solve may allocate beside vectors of the lengths of w
        and alpha. By default a fifth of the rows are held in memory.
    checkpoint : path of a file, optional
        Where the solve is kept while it runs, and its result once it is over. The same call goes on from there, to the
        same bits, also after the process was killed; a file of other data, another risk or other settings is refused.
        Budgets may differ: ``max_iter`` counts the iterations of all runs, ``max_seconds`` are those of this one. See
        docs/checkpoints.md.

    Returns
    -------
    Result
        Always, once the arguments are accepted: with status ``Status.INTERRUPTED`` after Ctrl-C, with ``Status.FAILED``
        and the cause in ``Result.reason`` if the solver fails. Only what a callback raises is passed on.
    """
    return recorded(
        problem, solver, tol=tol, max_iter=max_iter, max_seconds=max_seconds, start=start, callback=callback,
        random_state=random_state, screening=screening, stall=stall, memory=memory, checkpoint=checkpoint,
    )[0]  # fmt: skip


def recorded(
    problem: AnyProblem,
    solver: str | AnySolver,
    *,
    tol: float,
    max_iter: int | None = None,
    max_seconds: float | None = None,
    start: Any = None,
    callback: Callback | None = None,
    random_state: Any = None,
    screening: bool = True,
    stall: bool = True,
    memory: float | None = None,
    checkpoint: Any = None,
) -> tuple[Result, Record | None]:
    """:func:`solve`, with the record of what was certified; None of a problem that contradicts itself."""
    with listen() as signals, one_blas_thread(), np.errstate(all="ignore"):
        _check_budget(tol, max_iter, max_seconds)
        check_flag("screening", screening)
        check_flag("stall", stall)
        _check_memory(memory, problem)
        if not (callback is None or callable(callback)):
            raise ValueError(f"callback must be None or callable, not {callback!r:.60}")
        asked = solvers.choose(solver, problem)
        method = asked.given(Tools(solve, memory))
        rng, place = _generator(random_state), checkpoint_of(checkpoint)
        reached = start if isinstance(start, Reached) else None
        begin = _as_start(problem, start) if reached is None else reached.start
        if screening and begin is not None and reached is None:
            method = screened(method, problem)
        method = in_units(method, problem)

        def run(keeper: Unkept) -> tuple[Result, Record | None]:
            before = 0.0 if reached is None else reached.seconds
            clock = Clock(max_seconds, keeper.seconds or before)
            rules = Rules(float(tol), max_iter, stall, clock, signals)
            with signals.until(clock.overrun):
                return _run(problem, method, begin, rng, rules, callback, reached, keeper)

        if place is None:
            return run(Unkept())
        is_given = reached is not None and not place.begins_anywhere  # by the data alone: a start of several together
        belongs = belongs_to(
            problem, asked, place.digests, tol=float(tol), seed=_seed(random_state), screening=screening, stall=stall,
            memory=memory, start=None if begin is None or is_given else place.digests.of(begin),
        )  # fmt: skip
        with kept(place, belongs, problem, method) as keeper:
            return keeper.over() or run(keeper)


def _run(
    problem: AnyProblem,
    method: AnySolver,
    start: Start | None,
    rng: np.random.Generator,
    rules: Rules,
    callback: Callback | None,
    reached: Reached | None,
    keeper: Unkept,
) -> tuple[Result, Record | None]:
    try:
        left = keeper.resumed(problem, method, rules)
        turn = left or _begun(problem, method, start, rules, reached)
    except ArithmeticError as error:
        return _contradiction(problem, method, error), None
    status, reason = None, ""
    try:
        if left is None:
            status = None if reached is None else turn.said_of_it(callback)
        if status is None:
            if left is None:
                turn.begin(rng, start)
            status = _steps(turn, callback, keeper)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except FailedError as error:
        status, reason = Status.FAILED, str(error)
    except BaseException:  # of a callback
        keeper.leave(turn)
        raise
    keeper.leave(turn, status)
    status, reason = turn.last_word(status, reason)
    if status is Status.INTERRUPTED and rules.has_overrun:
        status = Status.MAX_SECONDS
    result = turn.record.result(status, reason, turn.label, turn.iteration, turn.n_screened)
    keeper.end(result, turn.record)
    return result, turn.record


def _begun(problem: AnyProblem, method: AnySolver, start: Start | None, rules: Rules, reached: Reached | None) -> Turn:
    if reached is None:
        return Turn(problem, method, Record(problem, rules.tol, start), rules)
    return Turn(
        problem, method, reached.record, rules,
        iteration=reached.iteration, before=reached.passes, begun_by=reached.solver,
    )  # fmt: skip


def _steps(turn: Turn, callback: Callback | None, keeper: Unkept) -> Status:
    """Steps until there is a verdict."""
    while True:
        keeper.perhaps(turn)
        if (status := turn.verdict()) is not None:
            return status
        turn.step()
        if callback is not None and turn.stopped_by(callback):
            return Status.STOPPED


def _contradiction(problem: AnyProblem, method: AnySolver, error: ArithmeticError) -> Result:
    """What is left to say of a problem whose bounds exclude each other from the start: J(0), and no lower bound."""
    w, alpha = np.zeros(problem.n_weights), problem.start()
    certificate = certificate_of(problem, Upper(problem, None), None)
    return Result(
        w, alpha, certificate, Status.FAILED, History.from_rows([]), method.name, 0, reason=contradicts(error)
    )  # fmt: skip


def _as_start(problem: AnyProblem, start: Any) -> Start | None:
    if start is None:
        return None
    biases: Vector | None = None
    if isinstance(start, Result | Start):
        biases = start.biases if isinstance(start, Result) else start.b
        start = (start.w, start.alpha)
    pair = start if isinstance(start, tuple) else (None, start)
    if len(pair) != 2:
        raise ValueError(f"start must be a Result, (w, alpha) or alpha, not a tuple of length {len(pair)}")
    w, alpha = pair[0], _dual_start(problem, pair[1])
    w = problem.w_of_alpha(alpha) if w is None else _finite("start (w)", w, problem.n_weights)
    if biases is None or problem.cut is None or not problem.cut.is_search_long or len(biases) != problem.n_biases:
        return Start(w, alpha)
    return Start(w, alpha, _finite("start (biases)", biases, problem.n_biases))


def _dual_start(problem: AnyProblem, alpha: Any) -> Any:
    """A feasible dual point: the one given, or a vector projected onto Q."""
    if "project" in problem.Q.lacks:
        return problem.domain.point(alpha)
    alpha = _finite("start (alpha)", alpha, problem.Q.size)
    return alpha if problem.domain.contains(alpha) else _feasible(problem, alpha)


def _feasible(problem: AnyProblem, alpha: Vector) -> Any:
    """alpha moved into the set; where that is beyond float64, the point that solvers start from."""
    try:
        moved = problem.domain.project(alpha)
    except ValueError:  # too large to project
        return problem.start()
    return moved if problem.domain.contains(moved, REPAIRABLE) else problem.start()


def _finite(name: str, x: Any, size: int) -> Vector:
    found = np.array(real_array(name, x), dtype=np.float64).reshape(-1)
    if found.size != size or not np.isfinite(found).all():
        raise ValueError(f"{name} must hold {size} finite numbers, not {np.isfinite(found).sum()} out of {found.size}")
    return found


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    seed = 0 if random_state is None else random_state
    if not is_whole(seed):
        raise ValueError(
            f"random_state must be None, a whole number >= 0 or a numpy Generator, not {random_state!r:.60}"
        )
    return np.random.default_rng(seed)


def _seed(random_state: Any) -> int:
    """The seed that a checkpoint belongs to."""
    if isinstance(random_state, np.random.Generator):
        raise ValueError(
            "with a checkpoint random_state must be a seed, a whole number >= 0: nobody can rewind a Generator"
        )
    return 0 if random_state is None else int(random_state)


def _check_budget(tol: Any, max_iter: Any, max_seconds: Any) -> None:
    check_number("tol", tol, least=0, most=inf)
    if not (max_iter is None or is_whole(max_iter)):
        raise ValueError(f"max_iter must be None or a whole number >= 0, not {max_iter!r:.60}")
    check_seconds(max_seconds)


def _check_memory(memory: Any, problem: AnyProblem) -> None:
    if memory is None:
        return
    check_number("memory", memory, above=0)
    if has(problem, "A.reading"):
        return
    if isinstance(problem.A, HasData) and "reading" in getattr(problem.A.storage.bare, "lacks", ()):
        raise ValueError("memory is for rows that one process reads: on workers no solver holds rows but a sample")
    if isinstance(problem.A, HasData) and problem.A.storage.in_blocks:
        raise ValueError("memory is for losses of one score each: on data in blocks no solver of others holds any rows")
    raise ValueError("memory is for data in blocks, of which solvers choose what to hold: see pragam.open_packed")
