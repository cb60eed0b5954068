"""From a solution within the tolerance to the optimum itself, on small problems: one call of newton-dense, or for few
dual variables of many labels some steps of proximal-newton.

Equal problems then have equal models, to rounding: weighting a row is the same as repeating it, to the digits that
people compare. Where ``auto`` begins with newton-dense, its own call goes there (``aiming_there``); else it takes this
step.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from pragam.driver.result import History, Result, Status
from pragam.driver.solve import Callback, Progress, solve
from pragam.driver.solve_all import Stop
from pragam.problem import AnyProblem
from pragam.solvers import Auto, NewtonDense, ProximalNewton
from pragam.solvers.base import AnySolver, has

#: A relative gap that is rounding: who has this is there. And what the step aims at.
_THERE, _AIM = 1e-12, 1e-13
#: So few dual variables that some steps of proximal-newton, a fraction of a millisecond each, are not felt,
_FEW = 256
#: and how many it may make.
_STEPS = 60


def aiming_there(solver: str) -> str | AnySolver:
    """The solver of this name; as ``auto``, one whose newton-dense goes on to the optimum, whatever its steps cost.

    A second solve from its answer would make the same steps, and prove the start, the end and w = 0 once more.
    """
    if solver != Auto.name:
        return solver
    to_the_end = NewtonDense(exact_products=inf, beyond=inf)
    own = Auto().candidates
    return Auto(candidates=tuple(to_the_end if isinstance(each, NewtonDense) else each for each in own))


def at_the_optimum(
    problem: AnyProblem,
    result: Result,
    tol: float,
    max_iter: int | None,
    max_seconds: float | None,
    callback: Callback | None,
    stop: Stop,
) -> Result:
    """The result after one more iteration if that is better and allowed, with its own certificate; else as it is.

    ``tol`` is what the user asked for; callbacks see it, and the counts of the whole solve.
    """
    finisher, steps = _finisher(problem)
    if not result.converged or result.certificate.relative_gap <= _THERE or finisher is None:
        return result
    if max_iter is not None:
        steps = min(steps, max_iter - result.n_iter)
    if steps <= 0:
        return result
    past = result.history
    left = None if max_seconds is None else max(max_seconds - past.seconds[-1], 0.0)

    def go_on(progress: Progress) -> Any:
        assert callback is not None
        return callback(
            replace(
                progress,
                iteration=result.n_iter + progress.iteration,
                passes=past.passes[-1] + progress.passes,
                seconds=past.seconds[-1] + progress.seconds,
                tol=tol,
            )
        )

    finer = solve(
        problem, finisher, tol=_AIM, max_iter=steps, max_seconds=left, start=result,
        callback=None if callback is None else go_on, screening=False,
    )  # fmt: skip
    if finer.status is Status.INTERRUPTED:
        stop.set()  # this problem is solved, but Ctrl-C means the others too
    if finer.certificate.gap > result.certificate.gap:
        return result
    return replace(
        finer,
        status=result.status,
        history=_joined(past, finer.history),
        solver=result.solver,
        n_iter=result.n_iter + finer.n_iter,
        n_screened=result.n_screened,
    )


def _finisher(problem: AnyProblem) -> tuple[AnySolver | None, int]:
    """Who goes there, and in how many iterations at the most; None if nobody does at little cost."""
    if not NewtonDense.missing(problem):
        return NewtonDense(), 1
    if problem.Q.size <= _FEW and has(problem, "A.example_rows") and not ProximalNewton.missing(problem):
        return ProximalNewton(), _STEPS
    return None, 0


def _joined(first: History, second: History) -> History:
    """One history after the other, without the second's start, which is the first's end."""
    later = second.iteration > 0
    counts = ("iteration", "passes", "seconds")
    columns = {
        name: np.concatenate([column, getattr(second, name)[later] + (column[-1] if name in counts else 0)])
        for name, column in vars(first).items()
    }
    return History(**columns)
