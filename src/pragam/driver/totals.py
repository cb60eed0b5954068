"""The sum of several problems as one: how it ended, and what was certified of it on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pragam.certificate import Certificate
from pragam.certificate.totals import sum_downward, sum_upward
from pragam.driver.result import History, Status
from pragam.operators.base import Vector

#: From the best end to the worst.
_STATUSES = (
    Status.CONVERGED, Status.ROUNDING, Status.STALLED, Status.MAX_ITER, Status.MAX_SECONDS, Status.STOPPED,
    Status.INTERRUPTED, Status.FAILED,
)  # fmt: skip


def worst_status(statuses: Sequence[Status]) -> Status:
    """How the sum ended: as badly as any of the problems."""
    return max(statuses, key=_STATUSES.index)


def total_history(histories: Sequence[History], begun: Sequence[float], certificates: Sequence[Certificate]) -> History:
    """What was certified of the sum, at each moment when something was certified of one of the problems.

    ``begun`` are the seconds at which the solves began, each the zero of its own history. Before that a problem counts
    with its first bounds. Iterations and passes are the sums over the problems.
    """
    if len(histories) == 1:
        return histories[0]
    moments = np.unique(np.concatenate([start + part.seconds for part, start in zip(histories, begun, strict=True)]))
    columns = [
        _at(moments, part, start, proof) for part, start, proof in zip(histories, begun, certificates, strict=True)
    ]
    iteration, passes = (sum(column[k] for column in columns) for k in (0, 1))
    primal, dual = sum_upward([column[2] for column in columns]), sum_downward([column[3] for column in columns])
    gap = np.array([Certificate(*pair).gap for pair in zip(primal.tolist(), dual.tolist(), strict=True)])
    return History(np.asarray(iteration, dtype=np.int64), np.asarray(passes), moments, primal, dual, gap)


def _at(moments: Vector, part: History, start: float, proof: Certificate) -> tuple[Vector, ...]:
    """(iteration, passes, primal, dual) of one problem at each of the moments."""
    if len(part) == 0:  # it was interrupted before anything was noted
        return tuple(np.full(len(moments), value) for value in (0.0, 0.0, proof.primal, proof.dual))
    row = np.searchsorted(start + part.seconds, moments, side="right") - 1
    before = row < 0
    counts = (np.where(before, 0, column[row]) for column in (part.iteration, part.passes))
    bounds = (column[np.maximum(row, 0)] for column in (part.primal, part.dual))
    return (*counts, *bounds)
