"""The first pass: rows come in any order, and go to the disk in runs that are sorted by a random key.

Row i has the i-th number that the seed draws for a key, and the order of the keys is the order of the packed rows. So
it depends on the seed and on the rows alone, and not on how these came in blocks. Equal keys keep the order in which
the rows came.
"""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.packed.layout import ALIGNED, Array, naming
from pragam.packed.part import Part, joined

#: A run, and what the second pass holds of all runs at a time, has about so many bytes.
RUN = 24 * 2**20
#: Keys are below this.
KEYS = 2**64

Keys = NDArray[np.uint64]


class Run(NamedTuple):
    """A file of arrays one behind the other, each from a multiple of 64 bytes on, and what they are at its end."""

    path: Path
    width: int
    arrays: dict[str, tuple[str, tuple[int, ...]]]  # dtype and shape

    @classmethod
    def write(cls, path: Path, keys: Keys, part: Part) -> Run:
        """Sort the rows by their keys, and write them."""
        order = np.argsort(keys, kind="stable")
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
        return _place(self._views()["keys"], below)

    def between(self, low: int, high: int) -> tuple[Keys, Part]:
        """The keys from ``low`` up to ``high`` and their rows, copied."""
        views = self._views()
        first, last = _place(views["keys"], low), _place(views["keys"], high)
        y, weight = (views[name][first:last].copy() if name in views else None for name in ("y", "weight"))
        if "X" in views:
            arrays: tuple[Array, ...] = (views["X"][first:last].copy(),)
        else:
            indptr = views["indptr"][first : last + 1]
            own = slice(indptr[0], indptr[-1])
            arrays = views["data"][own].copy(), views["indices"][own].copy(), np.diff(indptr)
        return views["keys"][first:last].copy(), Part(arrays, self.width, y, weight)

    def _views(self) -> dict[str, Array]:
        """The arrays on a map of the file, which ends with them."""
        with open(self.path, "rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        views, begin = {}, 0
        for name, (dtype, shape) in self.arrays.items():
            count = math.prod(shape)
            views[name] = np.frombuffer(content, dtype, count, begin).reshape(shape)
            begin += -(-views[name].nbytes // ALIGNED) * ALIGNED
        return views


def _place(keys: Keys, below: int) -> int:
    return len(keys) if below >= KEYS else int(np.searchsorted(keys, np.uint64(below)))


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
        self._parts.append(part)
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
