"""Blocks that a process keeps: they are sent to it once, and by their names from then on.

What is kept is a copy, never a state: whoever lacks it is sent it again, so a process may die at any time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pragam.engines.base import Block

#: Names whose blocks a process keeps; those that were asked for longest ago go first.
NAMES = 4

_here: OrderedDict[str, dict[int, Any]] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Kept(Block):
    """Block k of those with a name of their own; without its content if it is known to be where it is sent."""

    name: str
    k: int
    content: Any = None

    def open(self) -> Any:
        with _lock:
            return _here.get(self.name, {}).get(self.k, self.content)

    def ahead(self) -> None:
        if self.content is not None:
            self.content.ahead()

    def needs(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self.content.needs()
        return found

    def light(self) -> Kept:
        """It without its content."""
        return replace(self, content=None)

    def keep(self) -> Any:
        """What this process has of it now; None if it is not here, and was not sent."""
        with _lock:
            of_name = _here.setdefault(self.name, {})
            _here.move_to_end(self.name)
            while len(_here) > NAMES:
                _here.popitem(last=False)
            if self.k not in of_name and self.content is not None:
                of_name[self.k] = self.content
            return of_name.get(self.k)


class Lacking:
    """The answer of a process that was sent a name and does not have the block: it is new."""


def work(task: Any, blocks: Sequence[Block], common: Any, own: Sequence[Any]) -> list[Any] | Lacking:
    """What a worker does in a round: the tasks on its blocks."""
    # Each is taken when it is kept: trainings in other threads may bring names for which this one's go.
    found = [block.keep() if isinstance(block, Kept) else block for block in blocks]
    if any(each is None for each in found):
        return Lacking()
    opened = (each.open() if each is block else each for each, block in zip(found, blocks, strict=True))
    return [task(each, common, mine) for each, mine in zip(opened, own, strict=True)]
