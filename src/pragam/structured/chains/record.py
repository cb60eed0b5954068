"""The record of :func:`chain_hinge`, as models of sequences have it: with a bias for each label, and named rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from pragam.operators.storage import WithConstant
from pragam.problem import AnyProblem
from pragam.risks.parameters import choice, matrix, number
from pragam.structured.chains.hinge import chain_hinge, token_storage
from pragam.structured.sequence_risk import SequenceRisk
from pragam.structured.targets import LOSSES


@dataclass(frozen=True, kw_only=True)
class ChainHinge(SequenceRisk):
    """Max-margin labelling of sequences. X gets a constant column, whose weights are the biases of the labels."""

    lam: float = number(1e-2, above=0)
    loss: Any = choice("hamming_mean", *LOSSES, otherwise=matrix)

    name: ClassVar[str] = "chain_hinge"
    kind: ClassVar[str] = "chain"

    def pose(self, samples: Any, labels: NDArray[Any]) -> list[AnyProblem]:
        rules = self.rules(labels)
        flags = {} if rules is None else {"transitions": rules.transitions, "starts": rules.starts, "ends": rules.ends}
        tokens = WithConstant(token_storage(samples.X, samples.lengths))
        return [
            chain_hinge(
                tokens, samples.y, samples.lengths, self.lam, self.loss, labels, sample_weight=samples.weights,
                token_weight=samples.token_weights, **flags,
            )
        ]  # fmt: skip
