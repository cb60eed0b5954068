"""Types of arguments."""

from __future__ import annotations

import math


def number(text: str) -> float:
    """A finite number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value
