"""The checkpoint of one solve: what it belongs to, and a turn of a solver in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pragam.driver.checkpoint.digest import Digests
from pragam.driver.checkpoint.keeper import Keeper, keeping
from pragam.driver.result import Result, Status
from pragam.driver.turn import Rules, Turn
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver

#: What a turn is, beside what the run that goes on has of its own.
_PARTS = ("record", "state", "iteration", "n_judged", "before", "begun_by")
#: A solve that ends so is over: the same call would end so again.
_FINAL = (Status.CONVERGED, Status.ROUNDING, Status.STALLED)


@dataclass(frozen=True)
class Checkpoint:
    """Where a solve is kept. Several solves of the same data share what is known of these."""

    path: str | os.PathLike[str]
    digests: Digests = field(default_factory=Digests)


def checkpoint_of(given: Any) -> Checkpoint | None:
    """What the argument ``checkpoint`` means."""
    if given is None or isinstance(given, Checkpoint):
        return given
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise ValueError(f"checkpoint must be None or the path of a file, not {given!r:.60}")
    return Checkpoint(given)


def belongs_to(problem: AnyProblem, method: AnySolver, digests: Digests, **settings: Any) -> dict[str, Any]:
    """What a checkpoint was made with, in the order in which it is compared."""
    from pragam import __version__

    rest = [problem.c, problem.Q, problem.B, problem.g, problem.origin, problem.rest]
    return {
        "version of pragam": __version__,
        "data": digests.of(problem.A),
        "lam": repr(problem.lam),
        "risk": digests.of(rest),
        "solver": method.name,
        "settings of the solver": digests.of(method),
        **{name: value if value is None or isinstance(value, (bool, int, str)) else repr(value)
           for name, value in settings.items()},
    }  # fmt: skip


class SolveKeeper:
    """The checkpoint of one solve at work."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def result(self) -> Result | None:
        """What came of it, if it is over; else what it was is at hand for :meth:`resumed`."""
        found = self._keeper.found()
        self._left = None if found is None or found[1] else found[0]
        return found[0] if found is not None and found[1] else None

    @property
    def seconds(self) -> float:
        """Those that were spent before."""
        return 0.0 if self._left is None else self._left["seconds"]

    def resumed(self, problem: AnyProblem, method: AnySolver, rules: Rules) -> Turn | None:
        """The turn that was left; None if there was none."""
        if self._left is None:
            return None
        parts, self._left = self._left, None
        return Turn(problem, method, rules=rules, **{name: parts[name] for name in _PARTS})

    def perhaps(self, turn: Turn) -> None:
        """Write where it stands if it is time."""
        self._keeper.perhaps(_of(turn), **_told(turn))

    def leave(self, turn: Turn) -> None:
        """Write where it stands, at the end of a run that may be gone on with.

        An iteration that was broken off leaves nothing whole: then what was written before it stays.
        """
        if turn.is_whole:
            self._keeper.write(_of(turn), **_told(turn))

    def end(self, result: Result) -> None:
        """Write what came of it, if it is over."""
        if result.status in _FINAL:
            self._keeper.write(result, is_over=True, status=result.status.name, iteration=result.n_iter)


@contextmanager
def kept(
    checkpoint: Checkpoint, belongs: dict[str, Any], problem: AnyProblem, method: AnySolver
) -> Iterator[SolveKeeper]:
    """The checkpoint of a solve, from its beginning to its end."""
    objects = {"problem": problem, "method": method}
    with keeping(checkpoint.path, "solve", belongs, objects, _innermost(method)) as keeper:
        yield SolveKeeper(keeper)


def _innermost(method: Any) -> Any:
    while hasattr(method, "method"):
        method = method.method
    return method


def _of(turn: Turn) -> dict[str, Any]:
    return {name: getattr(turn, name) for name in _PARTS} | {"seconds": turn.rules.clock.seconds()}


def _told(turn: Turn) -> dict[str, Any]:
    proof = turn.record.certificate
    return {"iteration": turn.iteration, "passes": turn.passes, "gap": _finite(proof.relative_gap)}


def _finite(x: float) -> float | None:
    return x if abs(x) < float("inf") else None
