"""Gaussian-process labellers of sequences: coefficients of kernel functions or features, and transitions."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.models.base import Model, Shapes, Solves
from pragam.models.calibration import best_temperature, marginals
from pragam.models.kernel import Kernel
from pragam.numerics.vector import Vector
from pragam.risks import Risk
from pragam.structured.gp import ChainMoments
from pragam.structured.rules import Rules
from pragam.structured.targets import label_numbers

#: The power of the variance of a transition that stands between a weight and its score.
_POWERS = {"gram": 1.0, "factor": 0.5}


class GPModel(Model):
    """The most probable labelling of each sequence, F(y) = sum_t <coef_{y_t}, phi(x_t)> + sum_t T_{y_t y_{t+1}}.

    T are the tensor ``transitions`` times the variance of a transition, or its root if phi are features.
    """

    kind: ClassVar[str] = "gp"
    shapes: ClassVar[Shapes] = {"coef": ("functions", "K"), "transitions": ("K", "K")}

    @classmethod
    def tensors_of(cls, risk: Risk, labels: NDArray[Any], solves: Solves) -> dict[str, Vector]:
        K, w = len(labels), solves[0][1].w
        return {"coef": w[: -K * K].reshape(-1, K), "transitions": w[-K * K :].reshape(K, K)}

    @classmethod
    def calibrations(cls, risk: Risk) -> tuple[str, ...]:
        return ("temperature",)

    def check_samples(self, samples: Any) -> None:
        """Also that the tokens whose kernel functions the model is made of are those of the samples."""
        super().check_samples(samples)
        own = self.kernel
        if own.map is None and not _same(own.rows, self.features.numbers(samples).X):
            raise ValueError("the model is made of the kernel functions of other tokens than these")

    def points(self) -> list[tuple[Vector, Vector]]:
        return [(np.concatenate([self.tensors["coef"].ravel(), self.tensors["transitions"].ravel()]), np.empty(0))]

    @property
    def kernel(self) -> Kernel:
        """The map in front of the weights."""
        found: Kernel = self.features.find(Kernel)
        return found

    @cached_property
    def rules(self) -> Rules | None:
        """Which labellings there are."""
        risk: Any = self.risk
        found: Rules | None = risk.rules(self.labels)
        return found

    @property
    def transitions(self) -> Vector:
        """Scores of transitions, (K, K)."""
        risk: Any = self.risk
        scale: float = risk.transition_scale ** _POWERS[risk.basis]
        return scale * self.tensors["transitions"]

    @property
    def temperature(self) -> float:
        """What scores are divided by before they are probabilities."""
        return self.calibration.get("temperature", 1.0)

    def scores(self, samples: Any) -> Vector:
        """Those of the labels of all tokens, (tokens, K)."""
        if self.rules is not None and not (possible := self.rules.have_labelling(samples.lengths)).all():
            i = int(np.argmin(possible))
            raise ValueError(f"sequence {i}: transitions allow no labelling of its {samples.lengths[i]} tokens")
        return self.kernel.scores(self.features.numbers(samples), self.tensors["coef"])

    def predictions(self, samples: Any) -> Any:
        scores, lengths = self.scores(samples), samples.lengths[samples.lengths > 0]
        if not len(lengths):
            return self.labels[:0]
        Q = ChainMoments(np.zeros(len(scores), dtype=np.int64), lengths, len(self.labels), self.rules)
        return self.labels[Q.best_labels(np.concatenate([scores.ravel(), self.transitions.ravel()]))]

    def proba(self, samples: Any) -> Any:
        """The marginal probabilities of the labels of each token, in the form of the samples."""
        scores, lengths = self.scores(samples), samples.lengths[samples.lengths > 0]
        if not len(lengths):
            return samples.answer(scores)
        return samples.answer(marginals(scores, self.transitions, lengths, self.rules, self.temperature))

    def best_temperature(self, held: Any) -> float:
        """The one that suits samples that the model was not trained on."""
        index = label_numbers(held.y, self.labels, held.lengths, "sequence")[1]
        return best_temperature(self.scores(held), self.transitions, held.lengths, index, self.rules)

    def checked(self) -> GPModel:
        """Coefficients belong to functions of a kernel, of the kind that the record says."""
        kernel = self.features.find(Kernel)
        if kernel is None or (kernel.map is None) != (self.risk.basis == "gram"):  # type: ignore[attr-defined]
            raise ValueError(f"its risk {self.risk} needs a kernel of that basis")
        if kernel.n_functions != len(self.tensors["coef"]):
            raise ValueError(f"coef must have {kernel.n_functions} rows, not {len(self.tensors['coef'])}")
        if not self.temperature > 0:
            raise ValueError(f"its temperature must be a number > 0, not {self.temperature!r:.40}")
        assert self.rules is None or len(self.rules.starts) == len(self.labels)
        return self


def _same(rows: Any, X: Any) -> bool:
    """Whether two matrices, dense or CSR, hold the same numbers."""
    if rows.shape != X.shape:
        return False
    is_other = rows != X
    return not (is_other.nnz if hasattr(is_other, "nnz") else np.any(is_other))
