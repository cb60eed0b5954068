"""Types of arguments."""

from __future__ import annotations

import csv
import math
from typing import Any


def number(text: str) -> float:
    """A finite number."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def size(text: str) -> float:
    """A number of bytes, as 500MB or 2GB."""
    units = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "B": 1.0}
    unit = next((unit for unit in units if text.upper().endswith(unit)), "")
    value = number(text[: len(text) - len(unit)]) * units.get(unit, 1.0)
    if value <= 0:
        raise ValueError
    return value


def numbers(text: str) -> list[float]:
    """Finite numbers between commas."""
    return [number(item) for item in text.split(",")]


def names(text: str) -> list[str]:
    """Names between commas, quoted as in a table where they hold one."""
    try:
        (found,) = csv.reader([text], strict=True)
    except (csv.Error, ValueError) as error:
        raise ValueError from error
    return found


def class_weights(text: str) -> Any:
    """``balanced``, or the weights of labels as in 1=2,-1=0.5."""
    if text == "balanced":
        return text
    pairs = [item.split("=") for item in text.split(",")]
    return {_label(label): number(weight) for label, weight in pairs}


def _label(text: str) -> float | str:
    """A whole number as an integer, as the labels of classes are; what is no number is a text."""
    try:
        value = number(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
