r"""The sum of several problems as one: its certificate, its history and how it ended.

One-vs-rest problems share nothing but X, so the minimum of the sum of their objectives is the sum of their minima:

    sum_k D_k(alpha_k) <= min of sum_k J_k = sum_k min J_k <= sum_k J_k(w_k).

Sums of bounds are bounds if they are rounded outward, after every addition: upper bounds up, lower bounds down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pragam.certificate import Certificate
from pragam.driver.result import History, Status
from pragam.numerics.rounding import TINY
from pragam.operators.base import Vector

#: From the best end to the worst.
_STATUSES = (
    Status.CONVERGED, Status.ROUNDING, Status.STALLED, Status.MAX_ITER, Status.MAX_SECONDS, Status.STOPPED,
    Status.INTERRUPTED, Status.FAILED,
)  # fmt: skip


def total_certificate(certificates: Sequence[Certificate]) -> Certificate:
    """That of the sum of the problems."""
    if len(certificates) == 1:
        return certificates[0]
    return Certificate(
        float(_sum([proof.primal for proof in certificates], np.inf)),
        float(_sum([proof.dual for proof in certificates], -np.inf)),
        np.concatenate([proof.biases for proof in certificates]),
        exact=all(proof.exact for proof in certificates),
        rigorous=all(proof.rigorous for proof in certificates),
        slack=float(_sum([proof.slack for proof in certificates], np.inf)),
    )


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
    primal, dual = _sum([column[2] for column in columns], np.inf), _sum([column[3] for column in columns], -np.inf)
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


def _sum(bounds: Sequence[float] | Sequence[Vector], outward: float) -> Vector:
    """Rounded outward, towards ``outward``, after every addition; what is below TINY may have been read as zero."""
    total, lost = np.array(bounds[0], dtype=np.float64), np.copysign(2 * TINY, outward)
    for bound in bounds[1:]:
        total = np.nextafter(total + bound + lost, outward)
    return total
