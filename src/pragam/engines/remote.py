"""A round over workers in other processes: what is sent, what comes back, and who takes over.

Every worker gets one task a round, its share of the blocks. A share whose worker has died is sent again, to whoever is
there; tasks are pure, so it makes the same bits. When the others have long been done, the share of a slow worker is
given to them too, and the first answer counts; until it answers, the slow one gets nothing more.
"""

from __future__ import annotations

import itertools
import time
from abc import abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from pragam.engines.base import Block, Engine, EngineError, Task
from pragam.engines.kept import NAMES, Kept, Lacking
from pragam.runtime import interrupts

#: Seconds between two looks at signals and at slow workers.
_TICK = 0.1
#: A worker is slow when it takes this many times as long as the slowest of those that are done, and at least so long.
_SLOW, _SLOW_SECONDS = 3.0, 5.0
#: Seconds after which the share of a worker that is no longer there is sent to another one.
_GONE_SECONDS = 1.0
#: Deaths with one block in a round after which it is given up: the block itself kills.
_DEATHS = 3


class Future(Protocol):
    """What is asked of concurrent.futures' and of Dask's."""

    def add_done_callback(self, call: Any) -> Any: ...

    def result(self) -> Any: ...

    def done(self) -> bool: ...

    def cancel(self) -> Any: ...


class Job(NamedTuple):
    """What a worker is sent, and what an engine has to bring along."""

    task: Task
    blocks: Sequence[Block]
    common: Any
    own: Sequence[Any]
    needs: Sequence[Any]


class Sent:
    """The blocks that a worker was sent to keep, by their names; of as many names as it keeps."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, set[int]] = OrderedDict()

    def light(self, block: Block) -> Block:
        """Without its content, if the worker has it."""
        return block.light() if isinstance(block, Kept) and block.k in self._of.get(block.name, ()) else block

    def note(self, blocks: Iterable[Block]) -> None:
        """These too."""
        for block in blocks:
            if isinstance(block, Kept):
                self._of.setdefault(block.name, set()).add(block.k)
                self._of.move_to_end(block.name)
        while len(self._of) > NAMES:
            self._of.popitem(last=False)


@dataclass(eq=False)
class Share:
    """Blocks that were sent to a worker."""

    place: str
    numbers: list[int]
    future: Future
    begun: float


@dataclass
class Round:
    """What a round is about, and how far it has come."""

    task: Task
    blocks: Sequence[Block]
    common: Any
    own: Sequence[Any] | None
    found: dict[int, Any] = field(default_factory=dict)
    pending: list[Share] = field(default_factory=list)
    events: SimpleQueue[Share] = field(default_factory=SimpleQueue)
    longest: float = 0.0  # seconds of a share that has come back
    deaths: Counter[int] = field(default_factory=Counter)  # with each block

    def missing(self, numbers: Sequence[int]) -> list[int]:
        """Those that nobody has found yet."""
        return [k for k in numbers if k not in self.found]


class Remote(Engine):
    """An engine of several workers; a subclass says who is there, how to send, and which error is a death."""

    latency = 0.015  # of Dask's futures, with two workers on one machine

    def __init__(self) -> None:
        self._known: dict[str, Sent] = {}  # what each worker was sent
        self._late: dict[str, Share] = {}  # slow workers, and what they are still at

    @abstractmethod
    def places(self) -> list[str]:
        """The workers that are there, in a fixed order; at least one."""

    @abstractmethod
    def submit(self, place: str, job: Job) -> Future:
        """Have :func:`pragam.engines.kept.work` done by this worker, or by another one if it is gone."""

    @abstractmethod
    def lost(self, place: str, error: BaseException) -> bool:
        """Whether this error says that the worker has died. Then another one is on its way; else it is the task's."""

    def map(self, task: Task, blocks: Sequence[Block], common: Any, own: Sequence[Any] | None = None) -> Iterator[Any]:
        self.rounds += 1
        this = Round(task, blocks, common, own)
        places = self._free(self.places())
        for place, numbers in zip(places, self.shares(blocks, places), strict=True):
            self._send(this, place, numbers)
        while len(this.found) < len(blocks):
            interrupts.check()
            try:
                self._take(this, this.events.get(timeout=_TICK))
            except Empty:
                self.idle()
                self._help(this)
        for share in this.pending:
            self._late[share.place] = share
        return (this.found[k] for k in range(len(blocks)))

    def idle(self) -> None:
        """Called now and then while nothing comes."""

    def shares(self, blocks: Sequence[Block], places: list[str]) -> list[list[int]]:
        """The numbers of the blocks that each worker gets: here as many for each, and neighbours."""
        return _shares(len(blocks), len(places))

    def _free(self, places: list[str]) -> list[str]:
        """Those that are not late with something, unless all are."""
        self._late = {place: share for place, share in self._late.items() if not share.future.done()}
        return [place for place in places if place not in self._late] or places

    def _send(self, this: Round, place: str, numbers: list[int]) -> None:
        if not numbers:
            return
        known = self._known.setdefault(place, Sent())
        sent = [known.light(this.blocks[k]) for k in numbers]
        own = [None if this.own is None else this.own[k] for k in numbers]
        needs = [need for k in numbers for need in this.blocks[k].needs()]
        future = self.submit(place, Job(this.task, sent, this.common, own, needs))
        share = Share(place, numbers, future, time.perf_counter())
        this.pending.append(share)
        future.add_done_callback(lambda _: this.events.put(share))

    def _take(self, this: Round, share: Share) -> None:
        """What has come of a share."""
        if share not in this.pending:  # it was given to another worker
            return
        this.pending.remove(share)
        missing = this.missing(share.numbers)
        try:
            answer = share.future.result()
        except Exception as error:
            if not missing:
                return
            self._after(this, share, missing, error)
            return
        if isinstance(answer, Lacking):
            self._known[share.place] = Sent()
            self._send(this, share.place, missing)
            return
        this.longest = max(this.longest, time.perf_counter() - share.begun)
        self._known.setdefault(share.place, Sent()).note(this.blocks[k] for k in share.numbers)
        this.found.update(zip(share.numbers, answer, strict=True))

    def _after(self, this: Round, share: Share, missing: list[int], error: Exception) -> None:
        """A share has come to grief: another worker takes it over, or nobody can."""
        if isinstance(error, MemoryError):
            raise EngineError(
                f"a worker ran out of memory with {_blocks(missing)} of {len(this.blocks)}: "
                "give workers more memory, or start fewer of them on a machine"
            ) from error
        if not self.lost(share.place, error):
            raise error
        self._bury(this, share, missing, error)
        places = self.places()
        self._send(this, share.place if share.place in places else places[0], missing)

    def _bury(self, this: Round, share: Share, missing: list[int], error: Exception | None) -> None:
        """A worker has died with these blocks; too many of them, and the blocks are to blame."""
        self._known.pop(share.place, None)
        this.deaths.update(missing)
        if missing and this.deaths[missing[0]] >= _DEATHS:
            raise EngineError(
                f"{_DEATHS} workers have died with {_blocks(missing)} of {len(this.blocks)}, one after the other: they "
                "are killed, as a system does whose memory is short, and Dask at its memory_limit: give workers more "
                "memory, or make smaller blocks"
            ) from error

    def _help(self, this: Round) -> None:
        """Give the shares of workers that are gone, or slow, to those that are there."""
        now, places = time.perf_counter(), self.places()
        for share in [each for each in this.pending if each.place not in places]:
            if now - share.begun > _GONE_SECONDS:
                this.pending.remove(share)
                share.future.cancel()
                self._bury(this, share, this.missing(share.numbers), None)
                self._among(this, share, places)
        at_work = {share.place for share in this.pending}
        idle = [place for place in self._free(places) if place not in at_work]
        for share in [each for each in this.pending if each.place not in self._late]:
            is_slow = this.longest > 0 and now - share.begun > max(_SLOW * this.longest, _SLOW_SECONDS)
            if idle and is_slow:
                self._late[share.place] = share
                self._among(this, share, idle)

    def _among(self, this: Round, share: Share, places: list[str]) -> None:
        """What is missing of a share goes to these workers."""
        numbers = this.missing(share.numbers)
        for place, part in zip(places, _shares(len(numbers), len(places)), strict=True):
            self._send(this, place, [numbers[k] for k in part])


def _shares(count: int, places: int) -> list[list[int]]:
    """Consecutive numbers, about as many for each."""
    ends = [count * k // places for k in range(places + 1)]
    return [list(range(first, last)) for first, last in itertools.pairwise(ends)]


def _blocks(numbers: list[int]) -> str:
    return f"block {numbers[0]}" if len(numbers) == 1 else f"blocks {numbers[0]} to {numbers[-1]}"
