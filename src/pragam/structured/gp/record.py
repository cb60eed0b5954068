"""The record of :func:`gp_sequences`, on features of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.problem import AnyProblem
from pragam.risks.parameters import choice, number, truth_table
from pragam.risks.record import Risk
from pragam.risks.targets import Classes
from pragam.structured.gp.factor import FactorScores
from pragam.structured.gp.gram import GramScores
from pragam.structured.gp.problem import gp_sequences
from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES
from pragam.structured.targets import label_numbers

_SCORES = {"gram": GramScores, "factor": FactorScores}


@dataclass(frozen=True, kw_only=True)
class GPSequences(Risk):
    """Gaussian-process sequence labelling.

    ``basis`` says what X is: "gram", kernel functions of the training tokens, whose inner products are X itself;
    "factor", features with the plain inner product.
    """

    lam: float = number(1e-5, above=0)
    transition_scale: float = number(0.3, least=0)
    basis: str = choice("gram", *_SCORES)
    transitions: Any = choice(None, None, *SCHEMES, otherwise=truth_table)

    name: ClassVar[str] = "gp_sequences"
    kind: ClassVar[str] = "gp"
    form: ClassVar[str] = "chains"
    target: ClassVar[Any] = Classes()
    may_lack: ClassVar[bool] = True

    def rules(self, labels: NDArray[Any]) -> Rules | None:
        """What may follow what; None if nothing is forbidden."""
        table = self.transitions
        return Rules.named(np.array(table) if type(table) is tuple else table, labels.tolist())

    def pose(self, samples: Any, labels: NDArray[Any]) -> list[AnyProblem]:
        numbers, rules = label_numbers(samples.y, labels, samples.lengths, "sequence")[1], self.rules(labels)
        if rules is not None:
            rules.check(numbers, samples.lengths, labels.tolist())
        A = _SCORES[self.basis](samples.X, len(labels), self.transition_scale)
        return [gp_sequences(A, numbers, samples.lengths, self.lam, rules)]
