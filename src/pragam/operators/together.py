"""Products of several operators on one X with a vector each, by one reading of X for all.

The results are those of ``matvec`` and ``rmatvec``, to the bit: whoever certifies several models at once proves what
whoever certifies them one by one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from pragam.operators.base import Operator, Vector
from pragam.operators.scaled_rows import ScaledRows


def share_data(operators: Sequence[Operator]) -> TypeGuard[Sequence[ScaledRows]]:
    """Whether all are scaled rows of one storage."""
    return all(type(A) is ScaledRows and A.storage is operators[0].storage for A in operators)  # type: ignore[attr-defined]


def matvecs(operators: Sequence[ScaledRows], weights: Sequence[Vector]) -> list[Vector]:
    """A_k w_k for every k."""
    products = operators[0].storage.matvecs(np.stack(weights))
    return [A.scale * product for A, product in zip(operators, products, strict=True)]


def rmatvecs(operators: Sequence[ScaledRows], duals: Sequence[Vector]) -> list[Vector]:
    """A_k' alpha_k for every k."""
    scaled = [A.scale * alpha for A, alpha in zip(operators, duals, strict=True)]
    return list(operators[0].storage.rmatvecs(np.stack(scaled)))
