"""A packed directory over several workers, each of which opens the chunks of its share by itself.

The blocks are runs of chunks, as many whoever works on them, so sums over them are the same to the bit for any number
of workers. The last one, a twentieth of the rows, is the sample that block methods keep where they run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, Engine
from pragam.operators.storage import Blocked, Storage
from pragam.packed.chunks import Chunks
from pragam.packed.dataset import Packed, open_packed

#: Runs of chunks, where there are so many chunks: enough to be shared among a thousand workers.
_RUNS = 1024
#: All Hessians of a round together take no more than these bytes.
_BYTES = 2**28
#: Runs at least, whatever their Hessians take.
_LEAST = 16
#: Bytes of a run, at least.
_RUN_BYTES = 2**23
#: The share of the rows in the last run.
_LAST = 0.05


@dataclass(frozen=True)
class Chunked(Block):
    """Some chunks of a directory, which any process opens that sees it under this path."""

    path: Path
    identity: str  # of the manifest, by which a directory that was replaced is another one
    numbers: tuple[int, ...]

    def open(self) -> Packed:
        chunks = _chunks(os.fspath(self.path), self.identity)
        return Packed(chunks, np.array(self.numbers))

    def ahead(self) -> None:
        chunks = _chunks(os.fspath(self.path), self.identity)
        for number in self.numbers:
            chunks.ahead(number)


class Spread(Blocked):
    """A packed data set whose products are found by an engine. y, weights and what is known of its columns are its own.

    ``runs`` may say how many blocks there are; it changes the last bits of sums.
    """

    lacks = Blocked.lacks | {"reading"}
    rigorous = True

    def __init__(self, packed: Packed, engine: Engine, runs: int | None = None) -> None:
        super().__init__()
        self.packed, self.engine = packed, engine
        self.shape, self.stored, self.is_dense = packed.shape, packed.stored, packed.is_dense
        self._cuts = _cuts(packed, runs)
        self.ends = packed.ends[self._cuts]

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """Runs of chunks."""
        identity, numbers = self.packed.identity, self.packed.numbers
        pairs = zip(self._cuts[:-1].tolist(), self._cuts[1:].tolist(), strict=True)
        return [Chunked(self.packed.path, identity, tuple(numbers[a:b].tolist())) for a, b in pairs]

    def load(self, k: int) -> Any:
        """The chunks of a run, opened here."""
        return self.blocks[k].open()

    def take(self, rows: NDArray[Any]) -> Storage:
        """A copy of some rows, made here."""
        return self.packed.take(rows)

    @property
    def y(self) -> NDArray[Any] | None:
        """Those of the directory."""
        return self.packed.y

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Those of the directory."""
        return self.packed.weights

    @property
    def known_squares(self) -> NDArray[np.float64]:
        """From the directory."""
        return self.packed.known_squares

    def known_moments(self, weights: NDArray[np.float64] | None) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """From the directory."""
        return self.packed.known_moments(weights)

    @property
    def longest(self) -> int:
        """From the manifest."""
        return self.packed.longest

    def fingerprint(self) -> dict[str, Any]:
        """Of the directory: who computes makes no difference."""
        return self.packed.fingerprint()


def _cuts(packed: Packed, runs: int | None) -> NDArray[np.int64]:
    """The chunks at which runs begin and end: even ones, and the last with its share."""
    count, n = packed.n_chunks, packed.shape[0]
    last = int(np.searchsorted(packed.ends, (1 - _LAST) * n, side="right")) - 1  # the chunk where the last run begins
    last = min(max(last, 1), count - 1) if count > 1 else 0
    if runs is None:
        room = max(_BYTES // (8 * max(packed.shape[1], 1) ** 2), _LEAST)
        runs = min(_RUNS, room, max(packed.bytes // _RUN_BYTES, 1))
    cuts = np.unique(np.linspace(0, last, min(runs, last) + 1).astype(np.int64))
    return np.append(cuts, count)


@lru_cache(4)
def _chunks(path: str, identity: str) -> Chunks:
    """What this process has of a directory: which files it has verified."""
    packed = open_packed(path)
    if packed.identity != identity:
        raise ValueError(f"{path}: is another data set than at the start: it was packed again meanwhile")
    return packed.chunks
