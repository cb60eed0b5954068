r"""What is proven of one objective at the model's own point, and of the sum of several.

With floor <= J(model) <= primal and dual <= min J <= best,

    floor - best <= J(model) - min J <= primal - dual,

and, divided by min J, by at most ``best`` and at least ``dual``. All roundings are outward. Problems that share nothing
but X have a sum whose minimum is the sum of their minima.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any, NamedTuple

from pragam.certificate import Certificate
from pragam.certificate.totals import sum_downward, sum_upward
from pragam.driver.result import Status
from pragam.driver.totals import worst_status
from pragam.numerics.rounding import downward


class Bounds(NamedTuple):
    """A number lies between these two."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Verdict:
    """Proven bounds of one problem, or of the sum of several.

    Attributes
    ----------
    name : str
        Which of the problems this is: "class 2 against the rest"; empty if there is only one.
    objective : Bounds
        J(model), both ends.
    optimum : Bounds
        min J, both ends.
    status : Status
        How the solve ended that brought the bounds of min J: the worst one for a sum.
    rigorous : bool
        Whether the bounds hold as real numbers, as they do unless a part of the problem does not bound its rounding.
    """

    name: str
    objective: Bounds
    optimum: Bounds
    status: Status
    rigorous: bool

    @property
    def above(self) -> Bounds:
        """J(model) - min J."""
        gap = Certificate(self.objective.upper, self.optimum.lower).gap
        return Bounds(max(downward(self.objective.lower, -self.optimum.upper), 0.0), gap)

    @property
    def relative(self) -> Bounds:
        """(J(model) - min J) / min J. Losses are not negative, hence neither is min J."""
        lower, upper = self.above
        least, most = self.optimum
        below = 0.0 if lower == 0 else max(nextafter(lower / most, 0.0), 0.0) if most > 0 else inf
        return Bounds(below, 0.0 if upper == 0 else nextafter(upper / least, inf) if least > 0 else inf)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        pairs = {name: list(getattr(self, name)) for name in ("objective", "optimum", "above", "relative")}
        return {"name": self.name, **pairs, "status": self.status.name, "rigorous": self.rigorous}


def total(verdicts: Sequence[Verdict]) -> Verdict:
    """That of the sum of the objectives."""
    if len(verdicts) == 1:
        return verdicts[0]
    return Verdict(
        "the sum",
        _sum([verdict.objective for verdict in verdicts]),
        _sum([verdict.optimum for verdict in verdicts]),
        worst_status([verdict.status for verdict in verdicts]),
        all(verdict.rigorous for verdict in verdicts),
    )


def _sum(bounds: Sequence[Bounds]) -> Bounds:
    lower, upper = sum_downward([pair.lower for pair in bounds]), sum_upward([pair.upper for pair in bounds])
    return Bounds(float(lower), float(upper))
