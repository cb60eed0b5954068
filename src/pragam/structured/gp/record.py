"""The record of :func:`gp_sequences`, on features of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from pragam.problem import AnyProblem
from pragam.risks.parameters import choice, number
from pragam.structured.gp.factor import FactorScores
from pragam.structured.gp.gram import GramScores
from pragam.structured.gp.problem import gp_sequences
from pragam.structured.sequence_risk import SequenceRisk
from pragam.structured.targets import label_numbers

_SCORES = {"gram": GramScores, "factor": FactorScores}


@dataclass(frozen=True, kw_only=True)
class GPSequences(SequenceRisk):
    """Gaussian-process sequence labelling.

    ``basis`` says what X is: "gram", kernel functions of the training tokens, whose inner products are X itself;
    "factor", features with the plain inner product.
    """

    lam: float = number(1e-5, above=0)
    transition_scale: float = number(0.3, least=0)
    basis: str = choice("gram", *_SCORES)

    name: ClassVar[str] = "gp_sequences"
    kind: ClassVar[str] = "gp"

    def pose(self, samples: Any, labels: NDArray[Any]) -> list[AnyProblem]:
        numbers, rules = label_numbers(samples.y, labels, samples.lengths, "sequence")[1], self.rules(labels)
        if rules is not None:
            rules.check(numbers, samples.lengths, labels.tolist())
        A = _SCORES[self.basis](samples.X, len(labels), self.transition_scale)
        return [gp_sequences(A, numbers, samples.lengths, self.lam, rules)]
