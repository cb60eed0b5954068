r"""What the methods of this package ask of a problem's structure: answers for one example at a time.

    J(w) = lam/2 |w|^2 + sum_i totals_i max over y of loss_i(y) + <w, psi_i(y)>,     psi_i(y) = Phi_i(y) - Phi_i(y_i)
    D(p) = sum_i totals_i sum_y p_i(y) loss_i(y) - lam/2 |w(p)|^2,   w(p) = -1/lam sum_i totals_i sum_y p_i(y) psi_i(y)

p_i is a distribution over the labellings of example i, of which a method keeps those with positive probability.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.solvers.base import Start
from pragam.structured.by_example import ByExample
from pragam.structured.expected_features import StructuredProblem

Indices = NDArray[np.int64]
#: Labellings of examples that are answered for one by one.
ExamplesProblem = StructuredProblem[ByExample]


class Column(NamedTuple):
    """A labelling with its features psi, sparse, and its loss."""

    labelling: Any
    indices: Indices
    values: Vector
    loss: float

    def is_like(self, other: Column) -> bool:
        """Whether the two are the same to the objective."""
        return (
            self.loss == other.loss
            and np.array_equal(self.indices, other.indices)
            and np.array_equal(self.values, other.values)
        )


def column_of(examples: ByExample, i: int, labelling: Any) -> Column:
    return Column(labelling, *examples.features_of(i, labelling), examples.loss_of(i, labelling))


def answers_one_by_one(problem: ExamplesProblem) -> list[str]:
    """A misfit if the structure answers for all examples at once only."""
    structure = problem.Q.structure
    lacking = [name for name in ("decode_one", "features_of", "loss_of") if not hasattr(structure, name)]
    return [f"needs {name}, which {type(structure).__name__} does not have" for name in lacking]


def relative(gap: float, dual: float) -> float:
    """A gap over the larger of the two objectives."""
    return gap / max(abs(dual), abs(dual + gap), float(np.finfo(np.float64).tiny))


def parts_of_start(examples: ByExample, start: Start | None) -> tuple[list[Vector], list[list[Any]]]:
    """The weights and labellings of each example to begin with: those of the start, or else the truth."""
    parts = None if start is None else examples.parts_of(start.alpha)
    return parts or ([np.ones(1)] * examples.n, [[examples.truth_of(i)] for i in range(examples.n)])
