"""Where rows come from: blocks that a user iterates over, or files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from pragam.models.encoding import Encoding
from pragam.packed.incoming import parts
from pragam.packed.part import Part


class Arrival(NamedTuple):
    """Some rows.

    where : what errors call them
    source : what the manifest calls the file, or all blocks, that they came from
    at : how to go on behind them, as JSON; None if that is impossible
    """

    part: Part
    where: str
    source: str
    at: Any = None


class Read(NamedTuple):
    """Some rows of a file: what errors call them, and how to go on behind them."""

    part: Part
    where: str
    at: Any


class Source(Protocol):
    """Rows that can be read once, or again from any ``at`` on."""

    def asked(self) -> Any:
        """What tells these rows from others, as JSON; None if nothing does."""

    def learn(self, known: Any = None) -> Iterator[int]:
        """A reading before that of the rows, if one is needed, behind what is known: how many rows were learnt from."""

    def learnt(self) -> Any:
        """What is known now, as JSON; None if there is nothing to learn."""

    def read(self, at: Any = None) -> Iterator[Arrival]:
        """The rows behind ``at``."""

    def encoding(self) -> Encoding | None:
        """Of tables, what their columns are; when all rows were read."""

    def zero_based(self) -> bool | None:
        """Whether the indices that were read count from 0; None if they are numbers of columns anyway."""

    def progress(self) -> tuple[int, int] | None:
        """How many bytes were read of how many, if that is known."""


class Blocks:
    """(X, y) or (X, y, weight), one after the other."""

    def __init__(self, blocks: Iterable[Any]) -> None:
        if isinstance(blocks, (tuple, list)) and len(blocks) in (2, 3) and getattr(blocks[0], "ndim", 0) == 2:
            raise ValueError("blocks must be an iterable of (X, y): give [(X, y)] for one block")
        try:
            self._blocks = iter(blocks)
        except TypeError as error:
            raise ValueError(f"blocks must be an iterable of (X, y), or names of files, not {blocks!r:.40}") from error

    def asked(self) -> None:
        return None

    def learn(self, known: Any = None) -> Iterator[int]:
        return iter(())

    def learnt(self) -> None:
        return None

    def encoding(self) -> None:
        return None

    def read(self, at: Any = None) -> Iterator[Arrival]:
        for k, block in enumerate(self._blocks):
            name = f"block {k}"
            for part in parts(block, name):
                yield Arrival(part.copy(), name, "blocks")  # the next block may come in the same memory

    def zero_based(self) -> None:
        return None

    def progress(self) -> None:
        return None
