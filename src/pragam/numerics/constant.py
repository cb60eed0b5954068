"""Columns of one number, held once: views of stride 0.

Of millions of rows the offsets c, or the ends of their boxes, may all be equal; each such column would take 8 bytes a
row. NumPy reads a view as any other array, and kernels take a column of length 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector


def once(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers of 8 bytes, read-only and held once if they are all the same, bit for bit."""
    bits = values.view(np.int64)
    return np.broadcast_to(values[0], values.shape) if len(values) > 1 and (bits == bits[0]).all() else values


def is_once(values: Vector) -> bool:
    """Whether it is a column that is held once."""
    return values.ndim == 1 and len(values) > 1 and values.strides == (0,)


def as_column(values: Vector) -> Vector:
    """For kernels: a column that is held once as one of length 1, any other as it is."""
    return np.array(values[:1]) if is_once(values) else values
