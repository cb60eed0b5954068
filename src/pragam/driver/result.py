"""What a solve returns: one record, whatever the solver and however it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

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
    ROUNDING = "Rounding, not time, is the limit: float64 cannot certify a smaller gap for this problem."
    FAILED = "The solver failed; the best certified point before that is kept."

    def __str__(self) -> str:
        return self.value

    def __reduce__(self) -> tuple[type[Status], tuple[str]]:
        """A call of the class: readers of models that run no code of a pickle (skops) understand that."""
        return type(self), (self.value,)


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


@dataclass(frozen=True, repr=False)
class Result:
    """The best certified pair (w, alpha) and its proof.

    Attributes
    ----------
    w, biases : the weights with the lowest certified J, and their best biases, an array (empty for a model without).
    bias : the only bias, 0.0 if there is none.
    alpha : the dual point with the highest certified D, in the paper's scaling (0 .. weight/n).
    certificate : ``certify(problem, w, alpha)``, the same numbers.
    status, reason : how the solve ended, and sentences if there is more to say (else ""): why it failed, or which
        algorithm of several failed on the way.
    history : what was certified on the way, as columns.
    solver : the name of the solver that ran.
    n_iter : the iterations it made.
    n_screened : the samples proved to be at a bound or vertex, which left the problem (0 without a warm start).
    """

    w: Vector
    alpha: Any  # a dual point
    certificate: Certificate
    status: Status
    history: History
    solver: str
    n_iter: int
    n_screened: int = 0
    reason: str = ""

    @property
    def biases(self) -> Vector:
        """The unpenalised weights that belong to w."""
        return self.certificate.biases

    @property
    def bias(self) -> float:
        """The only bias, 0.0 if there is none."""
        if len(self.biases) > 1:
            raise AttributeError(f"this model has {len(self.biases)} biases: see `biases`")
        return float(self.biases[0]) if len(self.biases) else 0.0

    def __repr__(self) -> str:
        return (
            f"<Result {self.status.name}: relative gap {self.certificate.relative_gap:.2e}, J = "
            f"{self.certificate.primal:.6g}, {self.solver}, {self.n_iter} iterations>"
        )

    @property
    def converged(self) -> bool:
        """Whether the tolerance was certified."""
        return self.status is Status.CONVERGED
