"""What a solve returns: one record, whatever the solver and however it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.operators.base import Vector


class Status(Enum):
    """How a solve ended. The value is the sentence for the user."""

    CONVERGED = "The certified relative gap is within the tolerance."
    MAX_ITER = "The iteration budget ended before the tolerance was certified."
    MAX_SECONDS = "The time budget ended before the tolerance was certified."
    INTERRUPTED = "The solve was interrupted before the tolerance was certified."
    STOPPED = "The callback asked to stop before the tolerance was certified."
    STALLED = "The gap stopped improving before the tolerance was certified."
    FAILED = "The solver failed before the tolerance was certified; the best certified point is kept."

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class History:
    """One entry per certificate, as columns. Values are the best so far, so each bound is monotone."""

    iteration: NDArray[np.int64]
    passes: Vector
    seconds: Vector
    primal: Vector
    dual: Vector
    gap: Vector

    @classmethod
    def from_rows(cls, rows: list[tuple[int, float, float, float, float, float]]) -> History:
        """From a list of (iteration, passes, seconds, primal, dual, gap)."""
        columns = np.array(rows, dtype=np.float64).reshape(-1, 6).T
        return cls(columns[0].astype(np.int64), *(column.copy() for column in columns[1:]))

    def __len__(self) -> int:
        return len(self.iteration)


@dataclass(frozen=True)
class Result:
    """The best certified pair (w, alpha) and its proof.

    Attributes
    ----------
    w, bias : the weights with the lowest certified J, and their best bias (0.0 for a model without).
    alpha : the dual point with the highest certified D, in the paper's scaling (0 .. weight/n).
    certificate : ``certify(problem, w, alpha)``, the same numbers.
    status : how the solve ended.
    history : what was certified on the way, as columns.
    solver : the name of the solver that ran.
    n_iter : the iterations it made.
    n_screened : the samples that were proved to be at a bound and left the problem (0 without a warm start).
    reason : why a solve failed, in a sentence; "" where the status says it all.
    """

    w: Vector
    bias: float
    alpha: Vector
    certificate: Certificate
    status: Status
    history: History
    solver: str
    n_iter: int
    n_screened: int = 0
    reason: str = ""

    @property
    def converged(self) -> bool:
        """Whether the tolerance was certified."""
        return self.status is Status.CONVERGED
