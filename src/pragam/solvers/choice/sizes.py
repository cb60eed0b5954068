"""What the costs of the algorithms depend on: the sizes of a problem with rows, and how hard it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.choice.hardness import hardness

#: No C R^2 has more digits before the point than this: what depends on it shall stay finite.
_LARGEST = 100.0
#: No tolerance asks for more digits than float64 has.
_LEAST_TOL = 1e-15
#: Where a problem keeps its sizes, beside its cached properties: with the lam that they belong to.
_KEPT = "_sizes"


@dataclass(frozen=True)
class Sizes:
    """Counted once for all algorithms."""

    n: int
    d: int
    entries: int
    kind: str  # of the rows: "dense", "csr" or "pattern"
    hardness: float  # C R^2
    rarer: float  # the share of the rarer sign among the rows

    @property
    def magnitude(self) -> float:
        """log10(1 + C R^2)."""
        return min(float(np.log10(1 + self.hardness)), _LARGEST) if np.isfinite(self.hardness) else _LARGEST

    @property
    def surplus(self) -> float:
        """log10(n / d): how many rows there are for a weight."""
        return float(np.log10(max(self.n, 1) / max(self.d, 1)))


def digits(tol: float) -> float:
    """log10(1 / tol)."""
    return float(-np.log10(max(tol, _LEAST_TOL)))


def sizes(problem: BoxProblem) -> Sizes:
    """Those of a problem whose operator hands out its rows. With a bias they take a product with the data.

    So the problem keeps them, for the other algorithms that ask.
    """
    lam, found = vars(problem).get(_KEPT, (None, None))
    if lam != problem.lam:
        rows, (n, d) = problem.A.rows(), problem.A.shape
        found = Sizes(n, d, max(rows.entries, 1), rows.kind, hardness(problem), _rarer(rows.scale))
        vars(problem)[_KEPT] = problem.lam, found  # a copy of the problem at another lam has them too
    return found


def _rarer(scale: Vector) -> float:
    positive = int(np.count_nonzero(scale > 0))
    return max(min(positive, len(scale) - positive), 1) / max(len(scale), 1)
