"""Points of a path go on to smaller gaps until the exact model's count of wrong predictions is settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pragam.driver.jobs import Settings
from pragam.driver.path import PathProgress
from pragam.driver.result import Result, Status
from pragam.driver.solve import Callback, Progress, solve
from pragam.models.base import Solves
from pragam.problem import AnyProblem
from pragam.selection.counts import Counts

#: The gaps that are asked for in turn. Newton's method makes the first cheap, and it settles most counts; the second is
#: about what float64 proves of problems in ordinary units.
_GAPS = (1e-9, 1e-13)
#: A gap of which so much is rounding is about the least that float64 proves.
_ROUNDING = 0.25
#: What ends the whole search.
_ENDED = (Status.INTERRUPTED, Status.STOPPED)


class Judged(NamedTuple):
    """A point of the path: the model, its problems with their results, and its count on the samples left out."""

    model: Any
    solves: Solves
    counts: Counts | None


def settled(
    lams: Sequence[float],
    points: Sequence[Judged],
    judge: Callable[[float, Solves], Judged],
    settings: Settings,
    seconds: float | None,
    callback: Callback | None,
) -> list[Judged]:
    """The points with smaller gaps where the count was open. ``seconds`` are those of the path and of this together.

    What was certified to the tolerance stays so, whatever ends the search for a smaller gap but the user.
    """
    found = list(points)
    for tol in _GAPS:
        for i, lam in enumerate(lams):
            one = found[i]
            if one.counts is None or one.counts.is_settled or _ended(found):
                continue
            listener = None if callback is None else _listener(callback, lam, i, len(lams))
            left = _left(seconds, found)
            found[i] = judge(lam, [(p, _finer(p, result, tol, settings, left, listener)) for p, result in one.solves])
    return found


def _finer(
    problem: AnyProblem, result: Result, tol: float, settings: Settings, left: float | None, listener: Callback | None
) -> Result:
    """The same problem to a smaller gap, from where it is; as it is where that is proven, or there is no time left."""
    if result.certificate.relative_gap <= tol or left == 0 or result.status is Status.ROUNDING:
        return result
    found = solve(
        problem, settings.solver, tol=tol, start=result, max_seconds=left, callback=listener,
        random_state=settings.seed(0), memory=settings.memory,
    )  # fmt: skip
    was_enough = result.converged and found.status not in _ENDED
    return replace(found, status=Status.CONVERGED) if was_enough else found


def is_at_the_limit(points: Sequence[Judged]) -> bool:
    """Whether more time would settle nothing: every open count belongs to gaps as small as are asked for, or proven."""
    return all(
        one.counts is None or one.counts.is_settled or all(_is_least(result) for _, result in one.solves)
        for one in points
    )


def _is_least(result: Result) -> bool:
    proof = result.certificate
    return proof.relative_gap <= _GAPS[-1] or result.status is Status.ROUNDING or proof.slack > _ROUNDING * proof.gap


def _left(seconds: float | None, points: Sequence[Judged]) -> float | None:
    if seconds is None:
        return None
    used = sum(float(result.history.seconds[-1:].sum()) for point in points for _, result in point.solves)
    return max(seconds - used, 0.0)


def _ended(points: Sequence[Judged]) -> bool:
    return any(result.status in _ENDED for point in points for _, result in point.solves)


def _listener(callback: Callback, lam: float, point: int, n_points: int) -> Callback:
    def listen(progress: Progress) -> Any:
        return callback(PathProgress(**vars(progress), lam=lam, point=point, n_points=n_points))

    return listen
