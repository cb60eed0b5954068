"""A fold at work: its problem at any lam, what is proven between two lams, and the measure on its rows left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pragam.certificate.moving import Moving
from pragam.driver.checkpoint.place import Checkpoints
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.problem import AnyProblem
from pragam.selection.proven.measures import Measure


@dataclass
class FoldAtWork:
    """Its own lam is ``factor`` times that of the range.

    The problem keeps what solvers prepare of the data, and what is cached of them, for all lams.
    """

    problem: AnyProblem
    measure: Measure
    factor: float = 1.0
    places: Checkpoints | None = None
    moving: Moving = field(init=False)

    def __post_init__(self) -> None:
        self.problem = self.problem.keeping()
        self.moving = Moving(self.problem, self.measure.X)

    def lam(self, lam: float) -> float:
        """That of this fold. Rising, also as it is rounded: what lies between two lams does so here."""
        return lam * self.factor

    def solve(self, lam: float, tol: float, start: Any, seconds: float | None, settings: Any) -> Result:
        """The fold at a lam of the range. Kept on the disk, if anything is, by the lam and the tolerance.

        Its rows are not screened: from so near a start that costs more than it saves, a tenth of the whole search.
        """
        self.problem = self.problem.at(self.lam(lam))
        place = None if self.places is None else self.places.of(f"lam-{lam.hex()}-{tol:.0e}")
        return solve(
            self.problem, settings.solver, tol=tol, start=start, max_seconds=seconds, random_state=settings.seed(0),
            screening=False, checkpoint=place,
        )  # fmt: skip

    def pair(self, lam: float, result: Result) -> Any:
        """What cells are made of, at a lam that is solved."""
        problem = self.problem.at(self.lam(lam))
        return self.moving.pair(problem, result.w, result.alpha, result.certificate)

    def total(self, result: Result) -> tuple[float, float]:
        """The measure of the computed model, and the root of the sum of its squares."""
        return self.measure.of(self.measure.X.matvec(result.w) + result.bias)
