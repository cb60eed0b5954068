"""Ordinal labels: the levels they name, in the order of their type."""

from __future__ import annotations

import warnings
from collections.abc import Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import refuse_masked
from pragam.risks.arguments import check_labels


def levels_of(y: Any, order: Any, n: int) -> tuple[NDArray[np.int64], int]:
    """(the number of each label's level, counted from the lowest; how many levels there are).

    The levels are those of ``order``; else the categories of an ordered type (:func:`categories_of`); else the numbers
    that occur, sorted. Of categories that do not occur the risk's caller is warned. An ``order`` is meant as it is
    given.
    """
    known = categories_of(y) if order is None else None
    codes = getattr(getattr(y, "cat", y), "codes", None)
    if known is not None and codes is not None:
        names, level = known, check_labels(np.array(codes, dtype=np.int64), n)
        if (level < 0).any():
            raise ValueError(f"y has no level in row {int(np.argmax(level < 0))}")
    else:
        labels, given = check_labels(y, n), known if order is None else order
        names, level = _sorted_numbers(labels) if given is None else in_order(labels, given, "order")
    if len(names) < 2:
        raise ValueError(f"y must have at least two levels, not {len(names)}: {names}")
    missing = np.setdiff1d(np.arange(len(names)), level)
    if missing.size and order is None:
        absent = ", ".join(repr(names[k]) for k in missing)
        warnings.warn(f"y has no example of level {absent}: its thresholds follow from the others", stacklevel=3)
    return level, len(names)


def categories_of(y: Any) -> list[Any] | None:
    """The categories of an ordered type, the lowest first; None if y has no categories.

    Those of a pandas Categorical (anything with ``codes``, ``categories`` and ``ordered``, or a column with these under
    ``cat``), and of a polars Enum. ValueError if they have no order.
    """
    categorical: Any = getattr(y, "cat", y)
    kind: Any = getattr(y, "dtype", None)
    if hasattr(categorical, "categories"):
        names, is_ordered = categorical.categories, bool(categorical.ordered)
    elif type(kind).__name__ in ("Enum", "Categorical"):  # of polars
        is_ordered = type(kind).__name__ == "Enum"
        names = kind.categories if is_ordered else ()
    else:
        return None
    if not is_ordered:
        raise ValueError("y is a Categorical without an order: make it ordered, or pass order=[lowest, ..]")
    return list(names)


def _sorted_numbers(labels: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    if labels.dtype.kind not in "biuf":
        raise ValueError(f"y holds labels without an order ({labels.dtype}): pass order=[lowest, .., highest]")
    names, level = np.unique(labels, return_inverse=True)
    return names.tolist(), level.astype(np.int64)


def in_order(labels: NDArray[Any], given: Any, name: str) -> tuple[list[Any], NDArray[np.int64]]:
    """(the labels that were ``given`` under this name, the place of each of ``labels`` among them)."""
    names, places = _places(given, name)
    if len(places) < len(names):
        raise ValueError(f"{name} must not name a label twice: {names!r:.100}")
    values = labels.tolist()
    unknown = [label for label in dict.fromkeys(values) if label not in places]
    if unknown:
        raise ValueError(f"y has labels that are not in {name}: {unknown[:5]}")
    return names, np.array([places[label] for label in values], dtype=np.int64)


def _places(given: Any, name: str) -> tuple[list[Any], dict[Any, int]]:
    """(the labels, the place of each)."""
    refuse_masked(**{name: given})
    try:
        names = [] if isinstance(given, Set) else list(given)  # a set has no order of its own
        places = {label: k for k, label in enumerate(names)}
    except TypeError:  # it cannot be iterated, or its labels cannot be looked up
        places = {}
    if not places:
        raise ValueError(f"{name} must be a sequence of labels, the first one first, not {given!r:.60}")
    return names, places
