"""Several regressions of the same numbers in one model, such as several quantiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.risks.epsilon_insensitive import EpsilonInsensitive
from pragam.risks.parameters import flag, parameter
from pragam.risks.quantile import Quantile
from pragam.risks.record import Labels, Risk, Shape, Stated, record_of
from pragam.risks.rules import Ranked, Rule, Value
from pragam.risks.targets import Numbers

_KNOWN = {risk.name: risk for risk in (EpsilonInsensitive, Quantile)}


def _records(name: str, value: Any) -> tuple[Any, ...]:
    """Records, or what JSON makes of them."""
    is_list = isinstance(value, (list, tuple))
    found: tuple[Any, ...] = tuple(record_of(name, each, _KNOWN) for each in value) if is_list else ()
    if not found or len({each.lam for each in found}) > 1:
        raise ValueError(f"{name} must be regressions with one lam, at least one, not {value!r:.60}")
    return found


@dataclass(frozen=True, kw_only=True)
class Each(Risk):
    """An output for each record; the model minimises the sum of their problems.

    With ``sort``, the predictions of a row are sorted in the order of the quantiles, which then do not cross.
    """

    risks: Any = parameter((Quantile(),), _records)
    sort: bool = flag(False)

    name: ClassVar[str] = "each"
    target: ClassVar[Any] = Numbers()

    @property
    def rule(self) -> Rule:  # type: ignore[override]
        """Numbers as they are, or sorted."""
        if not self.sort:
            return Value()
        return Ranked(tuple(np.argsort([getattr(each, "q", 0.5) for each in self.risks], kind="stable").tolist()))

    @property
    def lam(self) -> float:
        """That of all of them."""
        return self.risks[0].lam

    def at(self, lam: float) -> Each:
        return replace(self, risks=tuple(each.at(lam) for each in self.risks))

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        if all(isinstance(each, Quantile) and each.bias == self.risks[0].bias for each in self.risks):
            return Quantile.posed_together(self.risks, samples, labels)
        return [problem for each in self.risks for problem in each.pose(samples, labels)]

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        return [one for each in self.risks for one in each.stated(samples, labels)]

    def shape(self, labels: Labels) -> list[Shape]:
        return [shape for each in self.risks for shape in each.shape(labels)]

    def parts(self, labels: Labels) -> list[str]:
        return self.outputs(labels)

    def outputs(self, labels: Labels) -> list[str]:
        return [each.title for each in self.risks] if len(self.risks) > 1 else [""]

    def worth(self, truth: Any, predicted: Any) -> Vector:
        """The mean over the outputs, each judged by its own risk."""
        columns = np.reshape(predicted, (len(truth), -1)).T
        return np.mean([each.worth(truth, own) for each, own in zip(self.risks, columns, strict=True)], axis=0)
