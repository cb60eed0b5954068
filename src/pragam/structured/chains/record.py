"""The record of :func:`chain_hinge`, as models of sequences have it: with a bias for each label, and named rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.operators.storage import WithConstant
from pragam.problem import AnyProblem
from pragam.risks.parameters import choice, matrix, number, truth_table
from pragam.risks.record import Risk
from pragam.risks.targets import Classes
from pragam.structured.chains.hinge import chain_hinge, token_storage
from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES
from pragam.structured.targets import LOSSES


@dataclass(frozen=True, kw_only=True)
class ChainHinge(Risk):
    """Max-margin labelling of sequences. X gets a constant column, whose weights are the biases of the labels."""

    lam: float = number(1e-2, above=0)
    loss: Any = choice("hamming_mean", *LOSSES, otherwise=matrix)
    transitions: Any = choice(None, None, *SCHEMES, otherwise=truth_table)

    name: ClassVar[str] = "chain_hinge"
    kind: ClassVar[str] = "chain"
    form: ClassVar[str] = "chains"
    target: ClassVar[Any] = Classes()
    may_lack: ClassVar[bool] = True

    def rules(self, labels: NDArray[Any]) -> Rules | None:
        """What may follow what; None if nothing is forbidden."""
        table = self.transitions
        return Rules.named(np.array(table) if type(table) is tuple else table, labels.tolist())

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
