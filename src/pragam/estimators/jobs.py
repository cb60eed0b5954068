"""The problems of one fit as jobs of :mod:`pragam.driver.solve_all`: seeds, progress, callbacks, the exact end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from pragam.driver.exact_end import at_the_optimum
from pragam.driver.progress import ProgressLine
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.driver.solve_all import Job, Stop, Unsolved, solve_all
from pragam.estimators.callbacks import FitTasks, both
from pragam.operators.base import Vector
from pragam.problem import Problem


def solve_problems(
    estimator: Any, problems: Sequence[Problem], starts: Sequence[Vector | None]
) -> tuple[list[Result], list[float]]:
    """Solve all problems as the estimator's parameters say.

    Returns the results, and the seconds at which their solves began, counted from the call.
    """
    tasks = FitTasks(estimator, len(problems))
    seeds = _seeds(estimator.random_state, len(problems))
    begun = [0.0] * len(problems)
    clock = time.perf_counter()

    def job(k: int, line: ProgressLine | None) -> Job:
        def run(max_seconds: float | None, stop: Stop) -> Result:
            begun[k] = time.perf_counter() - clock
            with tasks.problem(k) as listener:
                callback = both(line and line.part(k), listener)
                result = solve(
                    problems[k], Unsolved() if stop.is_set() else estimator.solver, tol=estimator.tol,
                    max_iter=estimator.max_iter, max_seconds=max_seconds, start=starts[k], callback=callback,
                    random_state=seeds[k],
                )  # fmt: skip
                return at_the_optimum(
                    problems[k], result, estimator.tol, estimator.max_iter, max_seconds, callback, stop
                )

        return run

    label = type(estimator).__name__
    with ProgressLine(label, n_problems=len(problems)) if estimator.verbose else nullcontext() as line:
        n_threads = min(effective_n_jobs(estimator.n_jobs), len(problems))
        jobs = [job(k, line) for k in range(len(problems))]
        results = solve_all(jobs, estimator.max_seconds, n_threads)
    tasks.end()
    return results, begun


def _seeds(random_state: Any, n: int) -> list[int]:
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31 - 1, size=n).tolist()
    return [int(random_state or 0)] * n
