r"""The regularisation path: one problem at many lam, each solved from its neighbour's solution, each certified.

    J(w; lam)     = lam/2 |w|^2 + R(w)
    D(alpha; lam) = <c, alpha> - g(alpha) - |A' (alpha - origin)|^2 / (2 lam),    alpha in Q

Neither R nor Q depends on lam, so the pair (w, alpha) of one lam is feasible for the next, and its certificate there
follows from numbers that are at hand: R(w), <c, alpha> - g(alpha), |w| and |A' (alpha - origin)|. No product is made
again. The path goes from the largest lam, which is the easiest problem, to the smallest. A point at which the
neighbour's pair is within the tolerance is done. Otherwise the solve starts from that pair, or from the line through
the last two (:mod:`pragam.driver.prediction`). What solvers prepare of the data, such as packed rows, is prepared once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pragam.driver.checkpoint.place import AnyPath, Checkpoints, checkpoints_of
from pragam.driver.exact_end import aiming_there, at_the_optimum
from pragam.driver.prediction import Prediction
from pragam.driver.record import Reached, Record
from pragam.driver.result import Result, Status
from pragam.driver.solve import Callback, Progress, recorded
from pragam.driver.solve_all import Job, Stop, Unsolved, solve_all
from pragam.numerics.arguments import check_number, real_array
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver

#: A point of a path, and what was certified there; None of a problem that contradicts itself.
Found = tuple[Result, Record | None]


@dataclass(frozen=True)
class PathProgress(Progress):
    """What a callback sees after each iteration: where the present point stands, and which point that is."""

    lam: float
    point: int  # its number in the order of solving, from 0
    n_points: int


def path(
    problem: AnyProblem,
    lams: Iterable[float],
    tol: float = 1e-6,
    solver: str | AnySolver = "auto",
    max_seconds: float | None = None,
    callback: Callback | None = None,
    random_state: int | np.random.Generator | None = None,
    max_iter: int | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
    memory: float | None = None,
) -> list[Result]:
    """Solve the problem at every lam, from the largest to the smallest, each from the solution of the one before.

    Parameters
    ----------
    problem : AnyProblem
        As made by :func:`pragam.hinge` and the other risks. Its own lam does not matter.
    lams : numbers > 0, in any order
        A number that occurs twice is solved once.
    tol : float >= 0
        The relative duality gap to certify at every lam.
    solver : str or Solver
    max_seconds : float, optional
        For the whole path. Each point may use an even share of what is left, so what easy points save is for the
        others. A point whose share ends first has status ``MAX_SECONDS``, and the next one starts where it ended.
    callback : callable, optional
        Called with a :class:`PathProgress` where a point begins at what another has reached, and after each iteration.
        A true return value ends the path: this point and those after it have status ``STOPPED``.
    random_state : int or numpy Generator, optional
        As in :func:`pragam.solve`.
    max_iter : int, optional
        Iterations of each point.
    checkpoint : path of a directory, optional
        Where every point is kept, as by :func:`pragam.solve`. The same call goes on from there.
    memory : float, optional
        Of data in blocks, what each solve may hold, as in :func:`pragam.solve`.

    Returns
    -------
    list of Result, in the order of ``lams``
        After Ctrl-C the points done are as they are. The others have status ``INTERRUPTED``, with the certified gap of
        the point that they would have started from.
    """
    found = paths(
        [problem], lams, tol, solver, max_seconds, callback, random_state, max_iter, checkpoint, memory=memory
    )
    return found[0]


def paths(
    problems: Sequence[AnyProblem],
    lams: Iterable[float],
    tol: float = 1e-6,
    solver: str | AnySolver = "auto",
    max_seconds: float | None = None,
    callback: Callback | None = None,
    random_state: int | np.random.Generator | None = None,
    max_iter: int | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
    exact_end: bool = False,
    memory: float | None = None,
) -> list[list[Result]]:
    """:func:`path` for several problems, one after the other, under one budget: a list of Results for each.

    With ``exact_end`` points of small problems go on to the optimum (:mod:`pragam.driver.exact_end`).
    """
    wanted = _checked(lams)
    falling = sorted(set(wanted), reverse=True)
    if exact_end and isinstance(solver, str):
        solver = aiming_there(solver)
    places = checkpoints_of(checkpoint)
    places = None if places is None else replace(places, begins_anywhere=True)
    n_points = len(problems) * len(falling)
    tour = _Tour(tol, solver, callback, random_state, max_iter, places, exact_end, memory, n_points)
    jobs = [job for problem in problems for job in tour.jobs(problem, falling)]
    results = solve_all(jobs, max_seconds, n_threads=1)
    parts = [results[k : k + len(falling)] for k in range(0, len(results), len(falling))]
    return [[part[falling.index(lam)] for lam in wanted] for part in parts]


def _checked(lams: Any) -> list[float]:
    if not isinstance(lams, Iterable):
        raise ValueError(f"lams must be a sequence of numbers > 0, not {lams!r:.60}")
    values = real_array("lams", lams if isinstance(lams, np.ndarray) else list(lams))
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"lams must be a sequence of at least one number, not of shape {values.shape}")
    return [check_number("lams", lam, above=0) for lam in values.tolist()]


@dataclass
class _Tour:
    """How every point is solved, how many have begun, and whether the callback has asked to stop."""

    tol: float
    solver: str | AnySolver
    callback: Callback | None
    random_state: Any
    max_iter: int | None
    places: Checkpoints | None
    exact_end: bool
    memory: float | None
    n_points: int
    n_begun: int = 0
    is_stopped: bool = False

    def jobs(self, problem: AnyProblem, lams: list[float]) -> list[Job]:
        """One for each lam. Each starts from what those before it have found."""
        shared, last, prediction = problem.keeping(), None, Prediction()

        def job(lam: float) -> Job:
            def run(seconds: float | None, stop: Stop) -> Result:
                nonlocal shared, last, prediction
                shared = shared.at(lam)  # with what is cached by now
                start = last and _moved(shared, self.tol, *last, prediction)
                last = self._solve(shared, start, seconds, stop)
                prediction.learn(lam, last[0])
                result = last[0]
                if lam == lams[-1]:  # what was kept for the points to come may be large
                    shared, last, prediction = problem, None, Prediction()
                return result

            return run

        return [job(lam) for lam in lams]

    def _solve(self, problem: AnyProblem, start: Reached | None, seconds: float | None, stop: Stop) -> Found:
        listener = None if self.callback is None else self._listener(self.callback, problem.lam, self.n_begun)
        is_ended = self.is_stopped or stop.is_set()
        place = None if self.places is None or is_ended else self.places.of(f"point-{self.n_begun}")
        self.n_begun += 1
        result, record = recorded(
            problem, Unsolved() if is_ended else self.solver, tol=self.tol, start=start, checkpoint=place,
            max_seconds=0.0 if self.is_stopped else seconds, max_iter=self.max_iter, callback=listener,
            random_state=self.random_state, memory=self.memory,
        )  # fmt: skip
        if self.exact_end:
            result = at_the_optimum(problem, result, self.tol, self.max_iter, seconds, listener, stop)
        if self.is_stopped and not result.converged:
            return replace(result, status=Status.STOPPED), record
        self.is_stopped |= result.status is Status.STOPPED
        return result, record

    def _listener(self, callback: Callback, lam: float, point: int) -> Callback:
        def listen(progress: Progress) -> Any:
            return callback(PathProgress(**vars(progress), lam=lam, point=point, n_points=self.n_points))

        return listen


def _moved(
    problem: AnyProblem, tol: float, result: Result, near: Record | None, prediction: Prediction
) -> Reached | None:
    """Where a solve stands at this lam with the points of its neighbour, whose products with the data are at hand."""
    if near is None:
        return None
    record = Record(problem, tol, near=near)
    record.note(0, 0.0, 0.0)
    return Reached(record, prediction.start(problem, record), 0, 0.0, 0.0, result.solver)
