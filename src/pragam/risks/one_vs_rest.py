"""More than two classes: one binary problem for each class against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.operators import check_data
from pragam.problem import AnyProblem
from pragam.risks.hinge import Hinge
from pragam.risks.parameters import class_weights, parameter
from pragam.risks.record import Labels, Risk, Shape, Stated, record_of
from pragam.risks.rules import Largest, Rule
from pragam.risks.smoothed_hinge import SmoothedHinge
from pragam.risks.squared_hinge import SquaredHinge
from pragam.risks.targets import Classes

_KNOWN = {risk.name: risk for risk in (Hinge, SquaredHinge, SmoothedHinge)}


def positives(classes: Sequence[Any] | NDArray[Any]) -> Any:
    """The classes that have a problem, and so weights, of their own: of two the second, else all."""
    return classes[1:] if len(classes) == 2 else classes


def _unweighted(name: str, record: Any) -> Any:
    """A binary record without weights of classes: those of all classes are the combinator's."""
    if record.class_weight is not None:
        raise ValueError(f"{name} must have no class_weight: that of one_vs_rest counts")
    return record


@dataclass(frozen=True, kw_only=True)
class OneVsRest(Risk):
    """A binary record for each class against the rest; of two classes, one. Rows have the weights of their classes."""

    each: Any = parameter(Hinge(), lambda name, value: _unweighted(name, record_of(name, value, _KNOWN)))
    class_weight: Any = class_weights()

    name: ClassVar[str] = "one_vs_rest"
    target: ClassVar[Any] = Classes()
    rule: ClassVar[Rule] = Largest()

    @property
    def lam(self) -> float:
        """That of the binary problems."""
        return self.each.lam

    def at(self, lam: float) -> OneVsRest:
        return replace(self, each=self.each.at(lam))

    def sides(self, samples: Any, labels: Labels) -> list[tuple[NDArray[np.bool_], Vector]]:
        """(which rows are positive, the weights of the rows) of each problem."""
        code = self.target.encode(samples.y, labels)
        weights = self.target.weights(code, labels, samples.weights, self.class_weight)
        return [(code == k, weights) for k in positives(range(len(labels)))]

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        X = check_data(samples.X)
        return [self.each.between(X, *side) for side in self.sides(samples, labels)]

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        return [self.each.stated_between(*side) for side in self.sides(samples, labels)]

    def shape(self, labels: Labels) -> list[Shape]:
        return self.each.shape(labels) * len(positives(labels))

    def parts(self, labels: Labels) -> list[str]:
        names = [f"class {label} against the rest" for label in positives(labels.tolist())]
        return names if len(names) > 1 else [""]
