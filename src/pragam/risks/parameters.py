"""The parameters of a record: a default, and a check that returns the value as the record keeps it.

A record is frozen and hashable, and JSON can hold it: numbers, truth values, strings, None, and tuples of these. The
same check serves a call of the constructor and a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from pragam.numerics.arguments import array_of, check_flag, check_number, float_of

Check = Callable[[str, Any], Any]


def parameter(default: Any, check: Check) -> Any:
    """A field of a record."""
    return field(default=default, metadata={"check": check})


def number(default: float, **limits: float) -> Any:
    """A finite number within limits: ``above``, ``least``, ``most``."""
    return parameter(default, lambda name, value: check_number(name, value, **limits))


def share(default: float) -> Any:
    """A number between 0 and 1, neither of them."""

    def check(name: str, value: Any) -> float:
        found = float_of(value)
        if not 0 < found < 1:
            raise ValueError(f"{name} must be a number between 0 and 1, not {value!r:.60}")
        return found

    return parameter(default, check)


def flag(default: bool) -> Any:
    """True or False."""

    def check(name: str, value: Any) -> bool:
        check_flag(name, value)
        return bool(value)

    return parameter(default, check)


def choice(default: Any, *words: Any, otherwise: Check | None = None) -> Any:
    """One of some words (None may be one), or what ``otherwise`` accepts."""

    def check(name: str, value: Any) -> Any:
        if any(value is word or (type(value) is str and value == word) for word in words):
            return value
        if otherwise is None or value is None or isinstance(value, str):
            more = "" if otherwise is None else f" or {otherwise.__doc__}"
            raise ValueError(f"{name} must be {' or '.join(map(repr, words))}{more}, not {value!r:.60}")
        return otherwise(name, value)

    return parameter(default, check)


def matrix(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """a matrix of numbers"""
    table = array_of(name, value)
    if table.ndim != 2 or table.dtype.kind not in "biuf" or not np.isfinite(table.astype(np.float64)).all():
        raise ValueError(f"{name} must be a matrix of finite numbers, not {value!r:.60}")
    return tuple(tuple(row) for row in table.astype(np.float64).tolist())


def truth_table(name: str, value: Any) -> tuple[tuple[bool, ...], ...]:
    """a boolean matrix"""
    table = array_of(name, value)
    if table.ndim != 2 or table.dtype != np.bool_:
        raise ValueError(f"{name} must be a boolean matrix, not {table.dtype} of shape {table.shape}")
    return tuple(tuple(row) for row in table.tolist())


def pairs(name: str, value: Any) -> tuple[tuple[Any, float], ...]:
    """a dict from label to weight"""  # JSON has only strings as keys, so a file holds a list of pairs
    try:
        entries = [(np.asarray(label).item(), weight) for label, weight in getattr(value, "items", value.__iter__)()]
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"{name} must be None, 'balanced' or a dict, not {value!r:.60}") from None
    return tuple((label, check_number(f"{name} of {label!r:.40}", weight, least=0)) for label, weight in entries)


def class_weights() -> Any:
    """None, "balanced", or weights by label."""
    return parameter(None, lambda name, value: value if _is_named(value) else pairs(name, value))


def _is_named(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value == "balanced")


def labels(name: str, value: Any) -> tuple[Any, ...] | None:
    """Labels in an order of the user's, or None."""
    if value is None:
        return None
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise ValueError(f"{name} must be a list of labels, not {value!r:.60}")
    found = tuple(np.asarray(label).item() for label in value)
    if len(set(found)) < len(found) or len(found) < 2:
        raise ValueError(f"{name} must hold two different labels at least, not {list(found)!r:.60}")
    return found
