"""The problems of one model as jobs of :mod:`pragam.driver.solve_all`, for estimators, commands, paths and audits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pragam.driver.checkpoint.place import AnyPath, Checkpoint, Checkpoints, checkpoints_of
from pragam.driver.exact_end import aiming_there, at_the_optimum
from pragam.driver.result import Result
from pragam.driver.solve import Callback, solve
from pragam.driver.solve_all import Job, Stop, Unsolved, solve_all
from pragam.driver.together import together
from pragam.problem import AnyProblem
from pragam.runtime.threads import using
from pragam.solvers import Auto

#: A context that gives the callback of problem k; None if nobody listens.
Listener = Callable[[int], AbstractContextManager[Callback | None]]
#: Calls its first argument with the seconds that are left: where a command handles its signals.
Guard = Callable[[Callable[[float | None], Result], float | None], Result]


@dataclass(frozen=True)
class Settings:
    """How a model is solved. JSON can hold it.

    Attributes
    ----------
    tol : the relative gap to certify, of every problem
    solver, max_iter, max_seconds : as for :func:`pragam.solve`; the seconds are those of all problems together
    seeds : one for each problem, taken in turn
    n_jobs : threads. Several problems are shared among them; a single one has them all inside its solve.
    exact_end : whether small problems go on to the optimum itself (:mod:`pragam.driver.exact_end`)
    memory : bytes that a solve on data in blocks may take, as for :func:`pragam.solve`
    """

    tol: float = 1e-6
    solver: str = "auto"
    max_iter: int | None = None
    max_seconds: float | None = None
    seeds: tuple[int, ...] = (0,)
    n_jobs: int | None = None
    exact_end: bool = False
    memory: float | None = None

    def seed(self, k: int) -> int:
        """That of problem k."""
        return self.seeds[k % len(self.seeds)]

    def to_json(self) -> dict[str, Any]:
        """As a model file keeps it."""
        return {**asdict(self), "seeds": list(self.seeds)}


class Solved(NamedTuple):
    """The results, and the seconds at which their solves began, counted from the call."""

    results: list[Result]
    begun: list[float]


def nobody(k: int) -> AbstractContextManager[None]:
    """The listener that does not listen."""
    return nullcontext()


def unguarded(run: Callable[[float | None], Result], seconds: float | None) -> Result:
    """The guard that does nothing."""
    return run(seconds)


def solve_problems(
    problems: Sequence[AnyProblem],
    settings: Settings,
    starts: Sequence[Any] | None = None,
    listener: Listener = nobody,
    guard: Guard = unguarded,
    checkpoint: AnyPath | Checkpoints | None = None,
) -> Solved:
    """Solve all problems as the settings say. Ctrl-C ends all: each returns what was certified so far.

    Without starts ``auto`` begins with several of them at a time (:mod:`pragam.driver.together`) where that pays.
    ``checkpoint`` is a directory in which each problem is kept, as by :func:`pragam.solve`.
    """
    begun, clock = [0.0] * len(problems), time.perf_counter()
    solver = aiming_there(settings.solver) if settings.exact_end else settings.solver
    is_free = starts is None and settings.solver == Auto.name
    budgets = settings.max_iter, settings.max_seconds
    places = checkpoints_of(checkpoint)
    groups = together(problems, settings.tol, *budgets, settings.seed(0), places) if is_free else None

    def place(k: int) -> Checkpoint | None:
        return None if places is None else places.of(f"problem-{k}")

    def start(k: int) -> Any:
        if groups is None:
            return starts[k] if starts else None
        own = place(k)
        if own is not None and Path(own.path).exists():  # it has left its group
            return None
        reached = groups.reached(k)
        begun[k] -= 0.0 if reached is None else reached.seconds
        return reached

    def job(k: int) -> Job:
        def run(share: float | None, stop: Stop) -> Result:
            begun[k] = time.perf_counter() - clock
            with listener(k) as callback:
                return guard(lambda seconds: _solved(problems[k], k, seconds, stop, callback), share)

        return run

    def _solved(problem: AnyProblem, k: int, seconds: float | None, stop: Stop, callback: Callback | None) -> Result:
        begin, is_ended = start(k), stop.is_set()
        result = solve(
            problem, Unsolved() if is_ended else solver, tol=settings.tol, max_iter=settings.max_iter,
            max_seconds=seconds, start=begin, callback=callback, random_state=settings.seed(k),
            memory=settings.memory, checkpoint=None if is_ended else place(k),
        )  # fmt: skip
        if not settings.exact_end:
            return result
        return at_the_optimum(problem, result, settings.tol, settings.max_iter, seconds, callback, stop)

    with using(settings.n_jobs if len(problems) == 1 else None):
        n_threads = min(settings.n_jobs or 1, len(problems))
        order = list(range(len(problems))) if groups is None else groups.order
        results = dict(zip(order, solve_all([job(k) for k in order], settings.max_seconds, n_threads), strict=True))
    return Solved([results[k] for k in range(len(problems))], begun)
