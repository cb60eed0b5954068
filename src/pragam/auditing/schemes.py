"""What other programs do with more than two classes, as records beside :class:`pragam.risks.OneVsRest`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.risks import OneVsRest, Shape
from pragam.risks.record import Labels
from pragam.risks.rules import Rule, Votes


@dataclass(frozen=True, kw_only=True)
class OwnWeights(OneVsRest):
    """Each class against the rest, where the weight of a class scales its own rows alone: LIBLINEAR, SGD."""

    name: ClassVar[str] = "one_vs_rest_own_weights"
    words: ClassVar[str] = "one problem for each class against the rest, and their sum"

    def sides(self, samples: Any, labels: Labels) -> list[tuple[NDArray[np.bool_], Vector]]:
        code, rows, both = self._weights(samples, labels)
        return [(code == k, np.where(code == k, both, rows)) for k in range(len(labels))]

    def _weights(self, samples: Any, labels: Labels) -> tuple[NDArray[np.int64], Vector, Vector]:
        """(the class of each row, its own weight, and that times the weight of its class)."""
        code = self.target.encode(samples.y, labels)
        rows, both = (self.target.weights(code, labels, samples.weights, of) for of in (None, self.class_weight))
        return code, rows, both


@dataclass(frozen=True, kw_only=True)
class OneVsOne(OwnWeights):
    """A problem for each pair of classes i < j, positive for i; rows of other classes have weight 0: LIBSVM."""

    name: ClassVar[str] = "one_vs_one"
    words: ClassVar[str] = (
        "one problem for each pair of classes, in which rows of other classes have weight 0, and their sum"
    )
    rule: ClassVar[Rule] = Votes()

    def sides(self, samples: Any, labels: Labels) -> list[tuple[NDArray[np.bool_], Vector]]:
        code, _, both = self._weights(samples, labels)
        pairs = combinations(range(len(labels)), 2)
        return [(code == i, np.where((code == i) | (code == j), both, 0.0)) for i, j in pairs]

    def shape(self, labels: Labels) -> list[Shape]:
        return self.each.shape(labels) * len(self.parts(labels))

    def parts(self, labels: Labels) -> list[str]:
        return [f"class {i} against class {j}" for i, j in combinations(labels.tolist(), 2)]
