"""Models that do not say what they minimise, as those from a file of another program: they predict, no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pragam.problem import AnyProblem
from pragam.risks.record import Labels, Risk, Shape
from pragam.risks.rules import Largest, Rule, Value
from pragam.risks.targets import Classes, Numbers


@dataclass(frozen=True, kw_only=True)
class Unstated(Risk):
    """An output for each class, or one of two; no problem that it could be a solution of."""

    name: ClassVar[str] = "unstated"
    target: ClassVar[Any] = Classes()
    rule: ClassVar[Rule] = Largest()

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        raise ValueError("it names no risk, so nobody can tell what was minimised")

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(1, 1)] * (1 if len(labels) == 2 else len(labels))

    def parts(self, labels: Labels) -> list[str]:
        return [f"class {label}" for label in labels.tolist()] if len(labels) > 2 else [""]


@dataclass(frozen=True, kw_only=True)
class UnstatedNumbers(Unstated):
    """The same of a regression: one output, a number."""

    name: ClassVar[str] = "unstated_numbers"
    target: ClassVar[Any] = Numbers()
    rule: ClassVar[Rule] = Value()

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(1, 1)]
