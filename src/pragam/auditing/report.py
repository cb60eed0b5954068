"""The answer of an audit, for people, notebooks and programs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from html import escape
from typing import Any

from pragam.auditing.predictions import Agreement
from pragam.auditing.verdict import Bounds, Verdict
from pragam.driver.result import Status
from pragam.problem import AnyProblem

_DOWN, _UP = Context(prec=5, rounding=ROUND_FLOOR), Context(prec=5, rounding=ROUND_CEILING)
#: So many of several problems are printed, the worst ones.
_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """How far a model is from the optimum of the problem it claims to solve.

    Attributes
    ----------
    model, claim : str
        What was audited, and the objective that it claims to minimise.
    problems : tuple of Problem
        The same as objects, to be solved or certified by anybody.
    verdicts : tuple of Verdict
        The bounds of each problem.
    total : Verdict
        Those of their sum: of the only problem, if there is one.
    predictions : Agreement or None
        How many predictions on X are proven to be those of the optimum. None for numbers, sequences and graphs.
    tol : float
        The relative accuracy in question.
    """

    model: str
    claim: str
    problems: tuple[AnyProblem, ...]
    verdicts: tuple[Verdict, ...]
    total: Verdict
    predictions: Agreement | None
    tol: float

    @property
    def above(self) -> Bounds:
        """J(model) - min J lies between these."""
        return self.total.above

    @property
    def relative(self) -> Bounds:
        """(J(model) - min J) / min J lies between these."""
        return self.total.relative

    @property
    def within(self) -> bool | None:
        """Whether the model is within ``tol`` of the optimum, relatively: proven, refuted, or None if undecided."""
        return self.is_within(self.tol)

    def is_within(self, distance: float) -> bool | None:
        """The same of another relative distance."""
        lower, upper = self.relative
        if not self.total.rigorous:
            return None
        return True if upper <= distance else False if lower > distance else None

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.within is not None:
            return f"proven: {'' if self.within else 'not '}within {self.tol:g} of the optimum"
        text = f"undecided whether it is within {self.tol:g} of the optimum"
        return text if self.total.status is Status.CONVERGED else f"{text}: {self.total.status}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it, but for infinite numbers."""
        return {
            "model": self.model, "claim": self.claim, "within": self.within, "tol": self.tol,
            **{key: value for key, value in self.total.to_dict().items() if key != "name"},
            "predictions": None if self.predictions is None else self.predictions._asdict(),
            "outputs": [verdict.to_dict() for verdict in self.verdicts],
        }  # fmt: skip

    def rows(self) -> list[tuple[str, str]]:
        """(what, its value) for every line of a table."""
        rows = [
            ("model", self.model),
            ("claims to minimise", self.claim),
            ("J(model)", f"{self.total.objective.upper:.10g}"),
            ("J(model) - min J", _interval(self.above)),
            ("relative to min J", _interval(self.relative)),
        ]
        if self.predictions is not None:
            agree, differ, open_ = self.predictions
            text = f"{agree} proven to be the optimum's, {differ} proven not to be, {open_} undecided"
            rows.append(("predictions on X", text))
        return [*rows, ("verdict", self.sentence)]

    def worst(self) -> list[tuple[str, str]]:
        """The problems that are farthest from their optimum, if there are several."""
        ordered = sorted(self.verdicts, key=lambda verdict: verdict.relative.upper, reverse=True)
        return [(each.name, _interval(each.relative)) for each in ordered[:_SHOWN] if each.name]

    def __repr__(self) -> str:
        lines = [f"  {name:20}{value}" for name, value in self.rows()]
        others = [f"    {name:26}{value}" for name, value in self.worst()]
        count = f"  relative to min J, {len(others)} of {len(self.verdicts)} problems, the worst first"
        return "\n".join(["Audit", *lines, *([count, *others] if others else [])])

    def _repr_html_(self) -> str:
        rows = [*self.rows(), *self.worst()]
        cells = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for name, value in rows
        )
        return f"<table><caption>Audit</caption><tbody>{cells}</tbody></table>"


def _interval(bounds: Bounds) -> str:
    """Both ends in a few digits, rounded outward: what is printed is as true as what is not."""
    lower, upper = _DOWN.create_decimal(bounds.lower), _UP.create_decimal(bounds.upper)
    return f"between {float(lower):.5g} and {float(upper):.5g}"
