"""What the records of all regressions share: a residual r = y - f(x) for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pragam.risks.parameters import flag, number
from pragam.risks.record import Labels, Risk, Shape, Stated
from pragam.risks.rules import Rule, Value
from pragam.risks.targets import Numbers


@dataclass(frozen=True, kw_only=True)
class Regression(Risk):
    """lam/2 |w|^2 + (1/n) sum_i weight_i loss(y_i - <x_i, w> - b)."""

    lam: float = number(1e-4, above=0)
    bias: bool = flag(True)

    target: ClassVar[Any] = Numbers()
    rule: ClassVar[Rule] = Value()

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        return [Stated(self.to_json(), self.target.encode(samples.y, labels), samples.weights)]

    @property
    def title(self) -> str:
        """What tells it from others of its kind."""
        return str(self)

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(1, int(self.bias))]
