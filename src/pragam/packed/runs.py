"""The first pass: rows come in any order, and go to the disk in runs that are sorted by a random key.

Row i has the i-th number that the seed draws for a key, and the order of the keys is the order of the packed rows. So
it depends on the seed and on the rows alone, and not on how these came in blocks. Equal keys keep the order in which
the rows came.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.packed.layout import ALIGNED, Array, naming
from pragam.packed.part import Part, joined

#: A run, and what the second pass holds of all runs at a time, has about so many bytes.
RUN = 24 * 2**20
#: Keys are below this.
KEYS = 2**64

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Run:
    """A file of arrays one behind the other, each from a multiple of 64 bytes on, and what they are at its end."""

    path: Path
    width: int
    arrays: dict[str, tuple[str, tuple[int, ...]]]  # dtype and shape

    @classmethod
    def write(cls, path: Path, keys: Keys, part: Part) -> Run:
        """Sort the rows by their keys, and write them."""
        order = order_of(keys)
        part = part.take(order)
        own = {"X": part.arrays[0]}
        if not part.is_dense:
            own = {"data": part.arrays[0], "indices": part.arrays[1], "indptr": part.indptr()}
        given = {name: each for name, each in (("y", part.y), ("weight", part.weight)) if each is not None}
        arrays = {"keys": keys[order], **own, **given}
        run = cls(path, part.width, {name: (each.dtype.str, each.shape) for name, each in arrays.items()})
        with naming(path), open(path, "wb") as file:
            for each in arrays.values():
                file.write(np.ascontiguousarray(each).reshape(-1).view(np.uint8).data)
                file.write(bytes(-file.tell() % ALIGNED))
            about = json.dumps([run.width, run.arrays]).encode()
            file.write(about + len(about).to_bytes(8, "little"))
        return run

    @classmethod
    def open(cls, path: Path) -> Run:
        """A run that was written."""
        with open(path, "rb") as file:
            file.seek(-8, 2)
            end, size = file.tell(), int.from_bytes(file.read(8), "little")
            file.seek(end - size)
            width, arrays = json.loads(file.read(size))
        return cls(path, width, {name: (dtype, tuple(shape)) for name, (dtype, shape) in arrays.items()})

    def count(self, below: int) -> int:
        """How many keys are below this."""
        with open(self.path, "rb") as file:
            return self._place(file, below)

    def between(self, low: int, high: int) -> tuple[Keys, Part]:
        """The keys from ``low`` up to ``high`` and their rows, copied."""
        with open(self.path, "rb") as file:
            first, last = self._place(file, low), self._place(file, high)
            keys = self._read(file, "keys", first, last)
            y, weight = (
                self._read(file, name, first, last) if name in self.arrays else None for name in ("y", "weight")
            )
            if "X" in self.arrays:
                arrays: tuple[Array, ...] = (self._read(file, "X", first, last),)
            else:
                indptr = self._read(file, "indptr", first, last + 1)
                arrays = (
                    *(self._read(file, name, indptr[0], indptr[-1]) for name in ("data", "indices")),
                    np.diff(indptr),
                )
        return keys, Part(arrays, self.width, y, weight)

    def _place(self, file: BinaryIO, below: int) -> int:
        """How many keys are below this. They are drawn evenly and sorted, so few of them are read: n keys leave their
        expected places by less than 2 sqrt(n) nearly always, and else the next look is wider."""
        n = self.arrays["keys"][1][0]
        reach = 2 * math.isqrt(n) + 1
        while True:
            first, last = (min(max((n * below >> 64) + step, 0), n) for step in (-reach, reach))
            keys = self._read(file, "keys", first, last)
            found = len(keys) if below >= KEYS else int(np.searchsorted(keys, np.uint64(below)))
            if (found or not first) and (found < len(keys) or last == n):
                return first + found
            reach *= 4

    def _read(self, file: BinaryIO, name: str, first: int = 0, last: int | None = None) -> Array:
        """Some rows of an array. Reading costs less than a map of the file would, page for page."""
        dtype, (size, *more) = self.arrays[name]
        row = math.prod(more)
        count = (size if last is None else int(last)) - int(first)
        begin = self._begins[name] + int(first) * row * np.dtype(dtype).itemsize
        file.seek(begin)
        return np.fromfile(file, dtype, count * row).reshape(count, *more)

    @cached_property
    def _begins(self) -> dict[str, int]:
        """Where each array begins."""
        found, begin = {}, 0
        for name, (dtype, shape) in self.arrays.items():
            found[name] = begin
            begin += -(-math.prod(shape) * np.dtype(dtype).itemsize // ALIGNED) * ALIGNED
        return found


def keep_memory() -> None:
    """Free an array of the size of a run: by the largest of these GNU's C library decides how much memory it keeps.

    Else it returns the arrays of every run to the system and asks for them again: a tenth of the time of one-hot rows.
    """
    np.empty(RUN, np.uint8)


def order_of(keys: Keys) -> NDArray[np.int64]:
    """The order of the keys, in which equal ones stay as they are."""
    order = np.empty(len(keys), np.int64)
    _kernels.get("key_order")(keys, order)
    return order


class Spill:
    """Gathers rows until they are a run. ``rows`` were spilled before, ``number`` is that of the next run."""

    def __init__(self, folder: Path, seed: int, number: int = 0, rows: int = 0) -> None:
        self.number = number
        self._folder = folder
        self._keys = np.random.PCG64(seed).advance(rows)
        self._parts: list[Part] = []
        self._bytes = 0

    def add(self, part: Part) -> bool:
        """Rows more. Whether they are enough for a run."""
        self._parts.append(part.narrow())
        self._bytes += part.nbytes
        return self._bytes >= RUN

    def flush(self) -> None:
        """Write what was gathered."""
        if self._parts:
            whole = joined(self._parts)
            self._parts.clear()
            Run.write(path_of(self._folder, self.number), self._keys.random_raw(whole.rows), whole)
            self.number += 1
            self._bytes = 0


def path_of(folder: Path, number: int) -> Path:
    """The file of a run."""
    return folder / f"run-{number:06d}"
