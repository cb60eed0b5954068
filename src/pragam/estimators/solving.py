"""How an estimator's parameters say that problems are solved: settings, seeds, threads, and who listens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import effective_n_jobs

from pragam.driver.jobs import Listener, Settings
from pragam.driver.progress import ProgressLine
from pragam.driver.solve import Callback
from pragam.estimators.callbacks import FitTasks, both
from pragam.runtime.screen import LOGGER, Screen


def settings_of(estimator: Any, n_problems: int) -> Settings:
    """Those of tol, solver, the budgets, random_state and n_jobs. Small problems go on to the optimum."""
    threads = effective_n_jobs(estimator.n_jobs)
    n_jobs = None if estimator.n_jobs is None and threads == 1 else threads
    seeds = _seeds(estimator.random_state, n_problems)
    budgets = estimator.max_iter, estimator._seconds
    return Settings(estimator._gap, estimator.solver, *budgets, seeds, n_jobs, exact_end=True)


@contextmanager
def listening(estimator: Any, tasks: FitTasks, n_problems: int) -> Iterator[Listener]:
    """scikit-learn's callbacks and, if the estimator is verbose or somebody reads the log, a line of progress."""
    quiet = not estimator.verbose
    if not _is_heard(estimator):
        yield tasks.problem
        return
    with ProgressLine(type(estimator).__name__, n_problems=n_problems, quiet=quiet) as line:

        @contextmanager
        def listener(k: int) -> Iterator[Callback | None]:
            with tasks.problem(k) as callback:
                yield both(line.part(k), callback)

        yield listener


def telling(estimator: Any) -> Callable[[str], None] | None:
    """What says a line that stays; None if nobody would hear it."""
    return Screen(quiet=not estimator.verbose).say if _is_heard(estimator) else None


def _is_heard(estimator: Any) -> bool:
    return bool(estimator.verbose) or LOGGER.isEnabledFor(logging.INFO)


def _seeds(random_state: Any, n: int) -> tuple[int, ...]:
    """None is a fixed seed; a RandomState gives one for each problem."""
    if hasattr(random_state, "randint"):
        return tuple(random_state.randint(2**31 - 1, size=n).tolist())
    return (int(random_state or 0),)
