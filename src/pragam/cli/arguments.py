"""Types of arguments."""

from __future__ import annotations

import math


def number(text: str) -> float:
    """A finite number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def numbers(text: str) -> list[float]:
    """Finite numbers between commas."""
    return [number(item) for item in text.split(",")]
