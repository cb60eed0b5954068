"""More than two classes: one problem for each class against the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators import check_data
from pragam.problem import Problem
from pragam.risks.hinge import hinge


def positives(classes: Sequence[Any] | NDArray[Any]) -> Any:
    """The classes that have a problem, and so weights, of their own: of two the second, else all."""
    return classes[1:] if len(classes) == 2 else classes


def one_vs_rest(
    X: Any, y: NDArray[Any], classes: Any, lam: float, bias: bool, weights: Any, risk: Callable[..., Problem] = hinge
) -> list[Problem]:
    """A problem of two classes for each of ``positives(classes)``, on the same X; ``weights`` are those of the rows."""
    storage = check_data(X)
    return [risk(storage, np.where(y == k, 1, -1), lam, bias=bias, sample_weight=weights) for k in positives(classes)]
