"""The order of random keys: the specification of ``key_order``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["key_order"]


def key_order(keys: NDArray[np.uint64], order: NDArray[np.int64]) -> None:
    """keys[order] ascends, and equal keys keep the order in which they came."""
    order[:] = np.argsort(keys, kind="stable")
