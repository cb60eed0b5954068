"""What is known of a data set after some of its rows, and what all rows must agree on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pragam.packed.part import Part


@dataclass
class Facts:
    """Of the rows so far.

    width : the columns that they need, counted as their source does
    dtype, y_dtype : of the values and of the labels; y_dtype "" if there are none, and None before the first row
    rows_of : how many rows came from each source
    """

    rows: int = 0
    stored: int = 0
    width: int = 0
    is_dense: bool | None = None
    dtype: str = "<f4"
    y_dtype: str | None = None
    has_weights: bool = False
    rows_of: dict[str, int] = field(default_factory=dict)

    def add(self, part: Part, where: str, source: str) -> None:
        """Some rows more; a ValueError that begins with ``where`` if they do not fit to those before."""
        is_first = self.y_dtype is None
        y_dtype = "" if part.y is None else part.y.dtype.str
        if is_first:
            self.is_dense, self.has_weights = part.is_dense, part.weight is not None
            self.y_dtype, self.width = y_dtype, part.width
        else:
            self._check(part, where)
            self.y_dtype = _common(str(self.y_dtype), y_dtype, where)
        self.width = max(self.width, part.width)
        self.dtype = np.promote_types(self.dtype, part.arrays[0].dtype).str
        self.rows += part.rows
        self.stored += part.stored
        self.rows_of[source] = self.rows_of.get(source, 0) + part.rows

    def to_json(self) -> dict[str, Any]:
        """As the state of an unfinished packing holds it."""
        return asdict(self)

    def _check(self, part: Part, where: str) -> None:
        """Refuse what is not of the kind of the rows before."""
        if part.is_dense != self.is_dense:
            now, then = ("dense", "sparse") if part.is_dense else ("sparse", "dense")
            raise ValueError(f"{where}: X is {now}, and before it was {then}: give all blocks in one form")
        if part.is_dense and part.width != self.width:
            raise ValueError(f"{where}: X has {part.width} columns, and before it had {self.width}")
        if (part.y is None) != (self.y_dtype == ""):
            raise ValueError(f"{where}: all rows must have labels, or none: y is None here or was before, not both")
        if (part.weight is not None) != self.has_weights:
            raise ValueError(f"{where}: all rows must have weights, or none")


def _common(one: str, other: str, where: str) -> str:
    """The dtype of labels that holds both."""
    if one == other:
        return one
    if (np.dtype(one).kind == "U") != (np.dtype(other).kind == "U"):
        raise ValueError(f"{where}: the labels here or before are texts, and the others are numbers")
    both = np.promote_types(one, other)
    if both.kind == "f" and "f" not in (np.dtype(one).kind, np.dtype(other).kind):
        raise ValueError(f"{where}: the labels are {np.dtype(other)} and before {np.dtype(one)}: no integers hold both")
    return both.str
