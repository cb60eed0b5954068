"""A column of text as pyarrow read it: as numbers, or as places among its different texts, without a loop here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrowTexts:
    """The texts of a pyarrow array of strings without nulls."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, row: int) -> str:
        return str(self._array[row].as_py())

    def __iter__(self) -> Iterator[str]:
        return iter(self._array.to_pylist())

    def floats(self, below: float) -> NDArray[np.float64] | None:
        """All as numbers, NaN of an empty text; None unless each is plainly one of an absolute value below this.

        Both round to the nearest float64, and Python reads more: blanks around a number, digits of all scripts.
        """
        arrow, compute = import_module("pyarrow"), import_module("pyarrow.compute")
        array, is_empty = self._array, compute.equal(self._array, "")
        if has_empty := compute.any(is_empty).as_py():
            array = compute.if_else(is_empty, arrow.scalar(None, array.type), array)
        try:
            found: NDArray[np.float64] = array.cast("float64").to_numpy(zero_copy_only=False)
        except arrow.ArrowInvalid:
            return None
        known = found[array.is_valid().to_numpy(zero_copy_only=False)] if has_empty else found
        return found if (np.abs(known) < below).all() else None  # of NaN it is false, too

    def coded(self) -> tuple[list[str], NDArray[np.int64]]:
        """The different texts, and which of them each is."""
        found = self._array.dictionary_encode()
        return found.dictionary.to_pylist(), found.indices.to_numpy(zero_copy_only=False).astype(np.int64)
