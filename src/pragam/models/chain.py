"""Labellers of sequences: node weights with a bias, transitions, starts and ends; the best labelling by Viterbi."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.models.base import Model, Shapes, Solves
from pragam.models.chain_weights import ChainWeights
from pragam.models.kernel import Kernel
from pragam.numerics.vector import Vector
from pragam.risks import Risk


class ChainModel(Model):
    """F(y) = start_{y_0} + sum_t <coef_{y_t}, x_t> + intercept_{y_t} + sum_t transitions_{y_t y_{t+1}} + end_{y_T}."""

    kind: ClassVar[str] = "chain"
    shapes: ClassVar[Shapes] = {
        "coef": ("K", "d"), "intercept": ("K",), "transitions": ("K", "K"), "start": ("K",), "end": ("K",),
    }  # fmt: skip

    @classmethod
    def tensors_of(cls, risk: Risk, labels: NDArray[Any], solves: Solves) -> dict[str, Vector]:
        weights = ChainWeights.from_vector(solves[0][1].w, len(labels), None)
        return {name: getattr(weights, name) for name in cls.shapes}

    @cached_property
    def weights(self) -> ChainWeights:
        """The tensors, with the rules of the record."""
        return ChainWeights(**self.tensors, rules=self.risk.rules(self.labels))  # type: ignore[attr-defined]

    def column_weights(self) -> Vector | None:
        return None if self.features.find(Kernel) is not None else self.tensors["coef"]

    @property
    def transitions(self) -> Vector:
        """Scores of transitions, (K, K)."""
        return self.tensors["transitions"]

    def points(self) -> list[tuple[Vector, Vector]]:
        return [(self.weights.to_vector(), np.empty(0))]

    def predicted(self, own: Any) -> Any:
        return self.labels[self.weights.labels(own.X, own.lengths)]

    def margins(self, samples: Any) -> Any:
        """For each token, how much the best labelling loses if this token must have another label."""
        own = self.features.of(samples)
        return samples.answer(self.weights.labels_and_margins(own.X, own.lengths)[1])

    def top(self, samples: Any, k: int) -> list[list[tuple[NDArray[Any], float]]]:
        """For each sequence the k best labellings with their scores, the best first; of no tokens the empty one."""
        own = self.features.of(samples)
        found = iter(self.weights.top(own.X, own.lengths, k))
        return [
            [(self.labels[codes], float(score)) for codes, score in zip(*next(found), strict=True)]
            if length
            else [(self.labels[:0], 0.0)]
            for length in own.lengths.tolist()
        ]

    def checked(self) -> ChainModel:
        """Rules that the labels do not fit are refused here, and not at the first prediction."""
        assert self.weights is not None
        return self
