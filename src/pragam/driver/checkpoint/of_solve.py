"""The checkpoint of one solve: what it belongs to, and a turn of a solver in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pragam.driver.checkpoint.digest import Digests
from pragam.driver.checkpoint.keeper import Keeper, keeping
from pragam.driver.checkpoint.place import Checkpoint
from pragam.driver.record import Record
from pragam.driver.result import Result, Status
from pragam.driver.turn import Rules, Turn
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver

#: What a turn is, beside what the run that goes on has of its own.
_PARTS = ("record", "state", "iteration", "n_judged", "before", "begun_by", "told")
#: A solve that ends so is over: the same call would end so again.
_FINAL = (Status.CONVERGED, Status.ROUNDING, Status.STALLED)


def belongs_to(problem: AnyProblem, method: AnySolver, digests: Digests, **settings: Any) -> dict[str, Any]:
    """What a checkpoint was made with, in the order in which it is compared."""
    rest = [problem.c, problem.Q, problem.B, problem.g, problem.origin, problem.rest]
    return {
        "version of pragam": sys.modules["pragam"].__version__,
        "data": digests.of(problem.A),
        "lam": repr(problem.lam),
        "risk": digests.of(rest),
        "solver": method.name,
        "settings of the solver": digests.of(method),
        **{name: value if value is None or isinstance(value, (bool, int, str)) else repr(value)
           for name, value in settings.items()},
    }  # fmt: skip


class Unkept:
    """A solve that is not kept."""

    #: Those that were spent before.
    seconds: float = 0.0

    def over(self) -> tuple[Result, Record] | None:
        """What came of the solve, and what was certified, if it is over."""
        return None

    def resumed(self, problem: AnyProblem, method: AnySolver, rules: Rules) -> Turn | None:
        """The turn that was left; None if there was none."""
        return None

    def perhaps(self, turn: Turn) -> None:
        """Write where it stands if it is time. Called between two iterations, before the verdict."""

    def leave(self, turn: Turn, status: Status | None = None) -> None:
        """Write where it stands, at the end of a run that may be gone on with; None: it has ended by an error."""

    def end(self, result: Result, record: Record) -> None:
        """Write what came of it, if it is over."""


class SolveKeeper(Unkept):
    """The checkpoint of one solve at work."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper, self._left = keeper, None
        self._found = keeper.found()
        if self._found is None:
            return
        what, is_over = self._found
        if not _is_one(what, is_over):
            raise keeper.unusable("it holds no solve")
        if not is_over:
            self._left, self.seconds = what, what["seconds"]

    def over(self) -> tuple[Result, Record] | None:
        return self._found[0] if self._found is not None and self._found[1] else None

    def resumed(self, problem: AnyProblem, method: AnySolver, rules: Rules) -> Turn | None:
        if self._left is None:
            return None
        parts = {name: self._left[name] for name in _PARTS}
        self._found = self._left = None  # it changes now
        return Turn(problem, method, rules=rules, **parts)  # until its first iteration there is nothing new to write

    def perhaps(self, turn: Turn) -> None:
        self._keeper.perhaps(_of(turn), **_told(turn))

    def leave(self, turn: Turn, status: Status | None = None) -> None:
        """An iteration that was broken off leaves nothing whole: then what was written before it stays."""
        if turn.is_whole and status not in _FINAL and self._keeper.can_write:
            self._keeper.write(_of(turn), **_told(turn))

    def end(self, result: Result, record: Record) -> None:
        if result.status in _FINAL:
            self._keeper.write((result, record), is_over=True, status=result.status.name, iteration=result.n_iter)


@contextmanager
def kept(
    checkpoint: Checkpoint, belongs: dict[str, Any], problem: AnyProblem, method: AnySolver
) -> Iterator[SolveKeeper]:
    """The checkpoint of a solve, from its beginning to its end."""
    objects = {"problem": problem, "method": method}
    free = ("start",) if checkpoint.begins_anywhere else ()
    with keeping(checkpoint.path, "solve", belongs, objects, free, _innermost(method)) as keeper:
        yield SolveKeeper(keeper)


def _innermost(method: Any) -> Any:
    while hasattr(method, "method"):
        method = method.method
    return method


def _is_one(what: Any, is_over: bool) -> bool:
    """Whether this is what ``end`` or ``leave`` writes."""
    if is_over:
        return isinstance(what, tuple) and [type(each) for each in what] == [Result, Record]
    return isinstance(what, dict) and set(what) == {*_PARTS, "seconds"} and isinstance(what["seconds"], float)


def _of(turn: Turn) -> dict[str, Any]:
    return {name: getattr(turn, name) for name in _PARTS} | {"seconds": turn.rules.clock.seconds()}


def _told(turn: Turn) -> dict[str, Any]:
    proof = turn.record.certificate
    return {"iteration": turn.iteration, "passes": turn.passes, "gap": _finite(proof.relative_gap)}


def _finite(x: float) -> float | None:
    return x if abs(x) < float("inf") else None
