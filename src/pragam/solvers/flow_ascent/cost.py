r"""What pairwise dual ascent on trellis flows should cost.

    passes = (passes_per_digit + H / hard) log10(1/tol),     H the C R^2 of a token.

Of a token, not of a sequence, because steps are for runs of tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.solvers.base import Cost
from pragam.solvers.choice.hardness import structured_hardness
from pragam.solvers.choice.sizes import digits
from pragam.structured.chains.structure import ChainStructure
from pragam.structured.expected_features import StructuredProblem

#: Labellings of sequences.
ChainProblem = StructuredProblem[ChainStructure]


@dataclass(frozen=True)
class FlowAscentConstants:
    """Passes for a digit, and what one takes for an entry of X and a label: on CoNLL chunks 9 and 5e-10, on OCR letters
    13 to 30 and 1e-10 (``benchmarks/chains.py``). A step takes as long as Python does."""

    passes_per_digit: float = 10.0
    hard: float = 10.0  # C R^2 of a token for each further pass; it is 5 with the chunks, and up to 50 with the letters
    per_entry: float = 3e-10
    per_step: float = 1e-4
    trust: float = 0.5


def flow_ascent_cost(problem: ChainProblem, tol: float, by: FlowAscentConstants = FlowAscentConstants()) -> Cost:
    """The cost for this problem and tolerance."""
    model: ChainStructure = problem.Q.trellis
    of_token = structured_hardness(problem) / (model.n_tokens / model.n) ** 2
    passes = (by.passes_per_digit + of_token / by.hard) * max(digits(tol), 1.0)
    return Cost(passes, passes, per_pass=by.per_entry * problem.A.entries, per_step=by.per_step, trust=by.trust)
