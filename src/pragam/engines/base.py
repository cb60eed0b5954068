"""What an engine is, and the one of this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from pragam.runtime import interrupts
from pragam.runtime.helpers import computed
from pragam.runtime.threads import n_threads

if TYPE_CHECKING:
    from typing_extensions import Self

#: task(what a block opens to, what all tasks of the round share, what this one has of its own) -> its result
Task = Callable[[Any, Any, Any], Any]


class EngineError(RuntimeError):
    """A round cannot come to an end: workers die again and again, or nobody is there. One line says what to do."""


class Block(ABC):
    """Something that a task works on, which a process opens where it is."""

    @abstractmethod
    def open(self) -> Any:
        """What the task gets."""

    def ahead(self) -> None:  # noqa: B027
        """It will soon be opened."""

    def needs(self) -> tuple[Any, ...]:
        """What an engine has to bring to the process that opens it; most find all by themselves."""
        return ()


@dataclass(frozen=True)
class Here(Block):
    """A block that this process opens by a call."""

    opened: Callable[[], Any]
    soon: Callable[[], None] | None = None

    def open(self) -> Any:
        return self.opened()

    def ahead(self) -> None:
        if self.soon is not None:
            self.soon()


class Engine(ABC):
    """Runs tasks. It counts its rounds, the calls of :meth:`map`."""

    rounds = 0
    #: Seconds that a round takes beside its tasks, as costs count them. No clock is read.
    latency = 0.0

    @abstractmethod
    def map(self, task: Task, blocks: Sequence[Block], common: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        """The results in the order of the blocks, in whatever order they were found."""

    def close(self) -> None:  # noqa: B027
        """Let the workers go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class InTurn(Engine):
    """One block after the other, in this process; several at a time if there are threads for so many entries."""

    def __init__(self, entries: float = inf) -> None:
        self._entries = entries

    def map(self, task: Task, blocks: Sequence[Block], common: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        self.rounds += 1
        count = n_threads(self._entries)

        def on(k: int) -> Any:
            if k + count < len(blocks):
                blocks[k + count].ahead()
            return task(blocks[k].open(), common, None if own is None else own[k])

        for result in computed(on, range(len(blocks)), count):
            interrupts.check()
            yield result
