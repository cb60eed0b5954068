"""The checkpoint of a search: a file with what is decided of each row, beside that of the model they are left out from.

Each row is decided by itself, from that model alone, so a search that goes on ends as one that was never broken off.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pragam.certificate.left_out import MarginProblem
from pragam.driver.checkpoint.keeper import keeping
from pragam.driver.checkpoint.place import Checkpoints
from pragam.selection.left_out.rows import LeftOutRows

_PARTS = ("bounds", "stage", "wrong", "solves", "done")


@contextmanager
def kept(
    places: Checkpoints | None, problem: MarginProblem, rows: LeftOutRows
) -> Iterator[Callable[[LeftOutRows], None]]:
    """What writes the rows if it is time, and at the end; they begin as the run before has left them."""
    if places is None:
        yield lambda rows: None
        return
    place = places.of("rows")
    with keeping(place.path, "leave-one-out", _belongs(places, problem, rows), {}) as keeper:
        found = keeper.found()
        if found is not None:
            _check(found[0], rows, keeper.unusable)
            vars(rows).update(found[0])
        first = last = _stands(rows)

        def perhaps(rows: LeftOutRows) -> None:
            nonlocal last
            if _stands(rows) != last:  # else a run that is broken off again and again would write the same for ever
                last = _stands(rows)
                keeper.perhaps(_of(rows), **last)

        yield perhaps
        if last != first:
            keeper.write(_of(rows), **last)


def _stands(rows: LeftOutRows) -> dict[str, Any]:
    """What has been done, in numbers."""
    return {"decided": int(np.count_nonzero(rows.stage)), "solves": rows.solves, "done": rows.done}


def _of(rows: LeftOutRows) -> dict[str, object]:
    return {name: getattr(rows, name) for name in _PARTS}


def _belongs(places: Checkpoints, problem: MarginProblem, rows: LeftOutRows) -> dict[str, str]:
    """What the rows were left out of, in the order in which it is compared."""
    digests = places.digests
    return {
        "version of pragam": sys.modules["pragam"].__version__,
        "data": digests.of(problem.A),
        "lam": repr(problem.lam),
        "risk": digests.of([problem.c, problem.Q, problem.B, problem.g, rows.code]),
    }


def _check(found: object, rows: LeftOutRows, unusable: Callable[[str], ValueError]) -> None:
    """Refuse a file that is whole, but holds something else."""
    fits = isinstance(found, dict) and set(found) == set(_PARTS)
    for name in _PARTS:
        mine, theirs = getattr(rows, name), found.get(name) if isinstance(found, dict) else None
        fits &= type(mine) is type(theirs)
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
            fits &= mine.shape == theirs.shape and mine.dtype == theirs.dtype
    if not fits:
        raise unusable("it holds no rows that are left out")
