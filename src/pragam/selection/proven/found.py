r"""What was proven of a range of lams, in means over the rows left out: shares of errors, or mean losses.

*Whose error.* ``cells`` and ``bounds`` speak of exact models, the optima at any lam; ``error`` is that of the model
that was computed at ``lam``. So the proof is that no *exact* model has an error lower than error - proven. A computed
model may by luck be better than every exact one; ``points`` have both.

*What it does not say.* Nothing of new data: rows were left out by chance, and a difference below the standard error is
within that chance. Whoever chooses by them has fitted lam to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import Result, Status
from pragam.numerics.arguments import float_of
from pragam.numerics.vector import Vector
from pragam.selection.folds import Fold


class Cells(NamedTuple):
    """Columns by rising lam: from ``lo`` to ``hi`` every exact model has an error between ``lower`` and ``upper``."""

    lo: Vector
    hi: Vector
    lower: Vector
    upper: Vector


class SolvedLams(NamedTuple):
    """Columns by rising lam: the error of the computed model, between what that of the exact one is, and the gap."""

    lam: Vector
    error: Vector
    lower: Vector
    upper: Vector
    gap: Vector


@dataclass(frozen=True, repr=False)
class ProvenRange:
    """What :func:`pragam.tune` found with ``prove``; true if what was asked for is proven.

    Attributes
    ----------
    lam, error : the best lam, the largest of several, and the error of the model that was computed there, rounded down
    proven : no lam of the range has an exact model with an error below error - proven, rounded up; inf if nothing is
        known
    asked : the eps that was asked for; of "se" the standard error it stands for
    standard_error : that of ``error``
    cells, points : what is known between lams, and at those that were solved; bounds are rounded outward
    n_rows, n_solves, seconds : rows left out in all folds, solves of all folds, and what it took
    status : what ended the search early; None if nothing did
    results : of each fold at the best lam
    folds : which rows were left out
    measure : "errors", "absolute", "pinball" or "hinge"
    """

    lam: float
    error: float
    proven: float
    asked: float
    standard_error: float
    cells: Cells
    points: SolvedLams
    n_rows: int
    n_solves: int
    seconds: float
    status: Status | None
    results: list[Result]
    folds: list[Fold]
    measure: str

    @property
    def is_proven(self) -> bool:
        """Whether no exact model of the range is better than the best one by more than was asked for."""
        return self.proven <= self.asked and self.proven < inf

    def __bool__(self) -> bool:
        return self.is_proven

    @property
    def lams(self) -> tuple[float, float]:
        """The ends of the range."""
        return float(self.cells.lo[0]), float(self.cells.hi[-1])

    @property
    def open(self) -> Cells:
        """The cells that keep ``proven`` above what was asked for."""
        is_open = np.nextafter(self.cells.lower, inf) < self.error - self.asked  # as rounded, none that has passed
        is_open &= not self.is_proven
        return Cells(*(column[is_open] for column in self.cells))

    @property
    def passed(self) -> float:
        """The share of the range, in octaves, of which what was asked for is proven."""
        low, high = self.lams
        octaves = np.log(self.open.hi) - np.log(self.open.lo)
        return max(1.0 - float(octaves.sum()) / (log(high) - log(low)), 0.0)

    @property
    def not_excluded(self) -> NDArray[np.bool_]:
        """The cells in which an exact model may be as good as the best one, or better."""
        return np.asarray(self.cells.lower <= self.error)

    def bounds(self, lam: float) -> tuple[float, float]:
        """Between which numbers the error of every exact model at this lam is, any of the range."""
        low, high = self.lams
        if not low <= float_of(lam) <= high:
            raise ValueError(f"lam must be between {low:g} and {high:g}, the ends of the range, not {lam!r:.40}")
        here = (self.cells.lo <= lam) & (lam <= self.cells.hi)
        at = self.points.lam == lam
        lower = max(*self.cells.lower[here], *self.points.lower[at], 0.0)
        return float(lower), float(min([*self.cells.upper[here], *self.points.upper[at]]))

    @property
    def remark(self) -> str:
        """What is proven and what is not, in sentences."""
        from pragam.selection.proven.remark import remark_on

        return remark_on(self)

    def plot(self, axes: Any = None) -> Any:
        """The figure of :func:`pragam.plot.proven_range`: the cells, what was solved, and the best lam enlarged."""
        import pragam  # figures lie above, behind the package's own door

        return pragam.plot.proven_range(self, axes)

    def starts(self, n: int) -> list[tuple[Vector, Vector]] | None:
        """(w, alpha) at the best lam to go on from with all n rows; None if the rows of a fold are no part of them.

        The dual variables of the training rows shrink with their boxes, 1/n_train to 1/n. The other rows have 0.
        """
        rows, found = self.folds[0].train, self.results[0]
        per_row = found.alpha.size // len(rows)
        if found.alpha.size != per_row * len(rows) or rows[-1] >= n:
            return None
        alpha = np.zeros((n, per_row))
        alpha[rows] = found.alpha.reshape(-1, per_row) * (len(rows) / n)
        return [(found.w, alpha.ravel())]

    def to_json(self) -> dict[str, Any]:
        """All numbers as JSON can hold them."""
        names = ("lam", "error", "proven", "asked", "standard_error", "n_rows", "n_solves", "seconds", "measure")
        return {
            **{name: getattr(self, name) for name in names},
            "is_proven": self.is_proven,
            "passed": self.passed,
            "status": None if self.status is None else self.status.name,
            "remark": self.remark,
            "cells": {name: column.tolist() for name, column in self.cells._asdict().items()},
            "points": {name: column.tolist() for name, column in self.points._asdict().items()},
        }

    def __repr__(self) -> str:
        return f"<ProvenRange: {self.remark}>"
