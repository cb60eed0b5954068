"""Numbers in fewer bytes: the specification of ``narrowed``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["narrowed"]


def narrowed(values: NDArray[Any], out: NDArray[Any]) -> bool:
    """Whether the type of ``out`` holds every value, down to the sign of a zero; then ``out`` holds them.

    float32 must hold it as a normal number or 0: one below the least normal number may be read as 0.
    """
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        out[:] = values.astype(out.dtype)
        back = out.astype(values.dtype)
    bits = f"u{values.itemsize}"
    is_low = np.abs(values) < np.finfo(np.float32).tiny if out.dtype == np.float32 else False
    return bool((back.view(bits) == values.view(bits)).all() and not (is_low & (values != 0)).any())
