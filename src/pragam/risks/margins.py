"""What the records of all binary risks share: a margin y f(x) for each row, a function h of 1 less the margin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.risks.parameters import class_weights, flag, number
from pragam.risks.record import Labels, Risk, Shape, Stated
from pragam.risks.rules import Largest, Rule
from pragam.risks.targets import Classes

#: The parameters of all of these; what else a record has is the loss's own.
_SHARED = ("lam", "bias", "class_weight")


@dataclass(frozen=True, kw_only=True)
class Margin(Risk):
    """lam/2 |w|^2 + (1/n) sum_i weight_i h(1 - y_i (<x_i, w> + b)),  y_i = -1 or +1."""

    lam: float = number(1e-4, above=0)
    bias: bool = flag(True)
    class_weight: Any = class_weights()

    target: ClassVar[Any] = Classes(most=2)
    rule: ClassVar[Rule] = Largest()
    build: ClassVar[Callable[..., AnyProblem]]

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        code = self.target.encode(samples.y, labels)
        weights = self.target.weights(code, labels, samples.weights, self.class_weight)
        return [self.between(samples.X, code == 1, weights)]

    def between(self, X: Any, is_positive: NDArray[np.bool_], weights: Vector) -> AnyProblem:
        """The problem of two sides."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _SHARED}
        sign = np.where(is_positive, 1, -1)
        return type(self).build(X, sign, self.lam, bias=self.bias, sample_weight=weights, **own)

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        code = self.target.encode(samples.y, labels)
        weights = self.target.weights(code, labels, samples.weights, self.class_weight)
        return [self.stated_between(code == 1, weights)]

    def stated_between(self, is_positive: NDArray[np.bool_], weights: Vector) -> Stated:
        """The problem of two sides in plain terms."""
        own = {name: value for name, value in self.to_json().items() if name != "class_weight"}
        return Stated(own, np.where(is_positive, 1, -1), weights)

    def shape(self, labels: Labels) -> list[Shape]:
        return [Shape(1, int(self.bias))]
