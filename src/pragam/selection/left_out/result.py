"""What is known of the predictions of rows that are left out: where each score lies, and who has proven it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

#: What may have decided a row: nothing yet; the optima of all rows; the pair moved off the row; a solve without it.
STAGES = ("open", "model", "moved", "solve")


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The error of leaving out one row at a time, or between which numbers it lies.

    Attributes
    ----------
    bounds : (n, 2) array
        The decision value of each row at every optimum of the problem without it lies between the two. An end is
        infinite where nothing is proven on that side: of a row whose sign alone is known, the far one.
    predictions : (n,) masked array
        The label that every such optimum predicts; masked where that is not proven.
    wrong : (n,) bool array
        Whether that is proven to be another label than the row's own.
    decided_by : (n,) array of str
        "model": the optima of all rows prove it; "moved": the certified pair, moved off the row; "solve": a solve
        without the row; "open": nothing does.
    solves : int
        How many solves without a row were made.
    ended : str
        What ended the search early, a sentence; empty if nothing did.
    """

    bounds: Vector
    predictions: Any
    wrong: NDArray[np.bool_]
    decided_by: NDArray[np.str_]
    solves: int
    ended: str = ""

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.bounds)

    @property
    def n_open(self) -> int:
        """The rows whose prediction is not proven."""
        return int(np.count_nonzero(self.decided_by == "open"))

    @property
    def is_settled(self) -> bool:
        """Whether every prediction is proven, and the error a number."""
        return self.n_open == 0

    @property
    def errors(self) -> int | tuple[int, int]:
        """How many predictions are wrong; (at least, at most) while some are open."""
        fewest = int(np.count_nonzero(self.wrong))
        return fewest if self.is_settled else (fewest, fewest + self.n_open)

    @property
    def interval(self) -> tuple[float, float]:
        """The error as a share of the rows, at least and at most."""
        fewest = int(np.count_nonzero(self.wrong))
        return fewest / self.n, (fewest + self.n_open) / self.n

    @property
    def error(self) -> float | tuple[float, float]:
        """The same as one number if it is known."""
        return self.interval[0] if self.is_settled else self.interval

    def decided(self, stage: str) -> int:
        """How many rows a stage has decided."""
        return int(np.count_nonzero(self.decided_by == stage))

    @property
    def remark(self) -> str:
        """What is proven, in a sentence."""
        if self.is_settled:
            return f"Every prediction is proven: {self.errors} of {self.n} rows are wrong when they are left out."
        fewest, most = self.errors  # type: ignore[misc]  # some are open
        of = "1 row, whose score" if self.n_open == 1 else f"{self.n_open} rows, whose scores"
        why = self.ended or f"There float64 proves no sign of {of} may be 0, or next to it."
        return f"Between {fewest} and {most} of {self.n} rows are wrong when they are left out. {why}"

    def __repr__(self) -> str:
        shares = ", ".join(f"{self.decided(stage)} by {stage}" for stage in STAGES[1:])
        errors = str(self.errors) if self.is_settled else "{}..{}".format(*self.errors)  # type: ignore[misc]
        return f"<LeaveOneOut: {errors} errors of {self.n} rows; {shares}, {self.n_open} open, {self.solves} solves>"
