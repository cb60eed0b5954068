r"""How blocks of rows are read, one after the other, and what a reading finds on the way.

    X w = (X_1 w, X_2 w, ..),      X' a = X_1' a_1 + X_2' a_2 + ..

A product takes one *reading* of all blocks, which is what costs time. So a reading may be shared:
:meth:`Readings.reading` visits block after block, with X_k w if asked, and gathers X' a of the a_k that the visitor
says. Both products are remembered, and whoever asks for them next, for the very same vectors, gets these numbers and
reads nothing. So a certificate costs no reading of its own: it asks for products that a solver's pass has made.

What is found for each block by itself is found by an engine (:mod:`pragam.engines`): in turn, unless a storage has
another one, whose blocks are opened in other processes. So what is on the disk and what is on a cluster differ in their
engine alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, Engine, Here, InTurn, Task
from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector
from pragam.operators.storage.gathered import Keeper, Room
from pragam.operators.storage.known import Adjoint, Held, Product
from pragam.operators.storage.rounds import Asked, Places, Round, RoundTask, each_place, placed, visited
from pragam.runtime import interrupts
from pragam.runtime.helpers import one_ahead


class Visited(NamedTuple):
    """A block during a reading: the numbers of its rows, the rows, and their products if asked.

    ``keep`` has some of its rows stay in memory, those at these places of the block. Nothing is gathered of them.
    """

    rows: NDArray[np.int64] | slice
    X: Storage
    product: Vector | None
    keep: Callable[[NDArray[np.int64]], None]


#: Says the coefficients of the rows that it visits; None: nothing is gathered.
Visitor = Callable[[Visited], Vector | None]
#: All blocks, by their numbers, in groups that are read one after the other.
Windows = Iterable[Sequence[int]]


class OwnRows(Sequence[tuple[Array, ...]]):
    """The rows of each block of some arrays, cut when they are asked for."""

    def __init__(self, ends: NDArray[np.int64], arrays: tuple[Array, ...], axis: int = 0) -> None:
        self._ends, self._arrays, self._axis = ends, arrays, axis

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, k: Any) -> Any:
        rows = slice(int(self._ends[k]), int(self._ends[k + 1]))
        place = (slice(None),) * self._axis + (rows,)
        return tuple(np.ascontiguousarray(array[place]) for array in self._arrays)


def asked(X: Storage, common: tuple[Any, ...], own: tuple[Array, ...]) -> Any:
    """The task that asks a block: (the name of a method or of a property, arguments), and arguments of its own."""
    name, *arguments = common
    found = getattr(X, name)
    return found(*arguments, *own) if callable(found) else found


class Readings(Storage):
    """Rows in consecutive blocks; block k has the rows from ``ends[k]`` up to ``ends[k + 1]``."""

    in_blocks = True
    #: Products of other readings may have been summed in another order, so a run that goes on needs these very numbers.
    remembers = ("_forward", "_backward", "readings")
    ends: NDArray[np.int64]

    def __init__(self) -> None:
        self.readings = 0.0  # of all blocks so far
        self._forward: Product | None = None  # the last X w
        self._backward: Adjoint | None = None  # the last X' a, or what of it was gathered

    @abstractmethod
    def load(self, k: int) -> Storage:
        """Block k, for as long as it is used."""

    def ahead(self, k: int) -> None:
        """Block k will be asked for soon."""

    @property
    def n_blocks(self) -> int:
        """How many there are."""
        return len(self.ends) - 1

    @cached_property
    def engine(self) -> Engine:
        """What finds something for each block: this process, unless somebody has set another one."""
        return InTurn(self.stored)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks, as the engine's tasks are given them; they open to storages."""
        return [Here(partial(self.load, k), partial(self.ahead, k)) for k in range(self.n_blocks)]

    def __getstate__(self) -> dict[str, Any]:
        """Engines stay where they are."""
        return {name: value for name, value in vars(self).items() if name not in ("engine", "blocks", "_placed")}

    def each(
        self, task: Task, common: Any, own: Sequence[Any] | None = None, blocks: Sequence[Block] | None = None
    ) -> Iterator[Any]:
        """What a task finds for each block, in their order: a reading. ``blocks`` are those, or what goes with each."""
        yield from self.engine.map(task, self.blocks if blocks is None else blocks, common, own)
        self.readings += 1.0

    # Rounds: a reading by an engine -----------------------------------------------------------------------------------

    def place(self, cuts: Sequence[int], beside: Sequence[Any], here: int = 0) -> Places:
        """The blocks in groups, where a solver may put something beside them: see :func:`.rounds.placed`."""
        found = placed(self.blocks, cuts, beside, here)
        self._placed.add(found)
        return found

    def round(self, task: RoundTask, common: Any, w: Vector, places: Places, own: Sequence[Any] | None = None) -> Round:
        """A reading by tasks, with X w, and with X' of what they answer: see :mod:`.rounds`."""
        if places not in self._placed:
            raise ValueError("a round goes over places that this storage has made: see place")
        asked_here = Asked.at(as_vector(w, self.shape[1], "w"), task, common)
        found = each_place(self.each, visited, asked_here, places, own)
        return Round(found, asked_here.w, places, self.ends, self._learn)

    @cached_property
    def _placed(self) -> WeakSet[Places]:
        """What ``place`` has made."""
        return WeakSet()

    def _learn(self, forward: Product | None = None, backward: Adjoint | None = None) -> None:
        self._forward = self._forward if forward is None else forward
        self._backward = self._backward if backward is None else backward

    # One reading ------------------------------------------------------------------------------------------------------

    def reading(
        self, visit: Visitor, w: Vector | None = None, windows: Windows | None = None, room: Room | None = None
    ) -> Held | None:
        """Visit all blocks once, in place: one after the other; or in the order of these windows, each of them some
        blocks, the next of which is read ahead.

        The visitor gets X_k w if there is a ``w``. If it answers with coefficients a_k everywhere, X' a is gathered. If
        there is ``room``, it may have rows kept, which are returned, if any. They are left out of what is gathered:
        X' a is then known for every a that differs in these rows alone.
        """
        product = None if w is None else np.empty(self.shape[0])
        coefficients, gathered, is_whole = np.empty(0), np.zeros(self.shape[1]), True
        w = None if w is None else as_vector(w, self.shape[1], "w").copy()
        keeper = Keeper(room, self.shape[1])
        if self._backward is not None and self._backward.held is not None:
            self._backward = None  # there is memory for the rows of one reading
        for rows, X in self._in_turn() if windows is None else self._in_windows(windows):
            own = None if w is None else X.matvec(w)
            if product is not None and own is not None:
                product[rows] = own
            keeper.begin(rows, X)
            answer = visit(Visited(rows, X, own, keeper.keep))
            is_whole = is_whole and answer is not None
            if answer is not None and is_whole:
                coefficients = coefficients if coefficients.size else np.empty(self.shape[0])
                coefficients[rows] = answer
                coefficients[keeper.last] = 0.0
                gathered += X.rmatvec(coefficients[rows])
        if w is not None and product is not None:
            self._forward = Product(w, product)
        held = keeper.held(self)
        if is_whole:
            self._backward = Adjoint(Product(coefficients, gathered), held)
        return held

    def _in_turn(self) -> Iterator[tuple[slice, Storage]]:
        for k in range(self.n_blocks):
            if k + 1 < self.n_blocks:
                self.ahead(k + 1)
            interrupts.check()
            yield slice(int(self.ends[k]), int(self.ends[k + 1])), self.load(k)
        self.readings += 1.0

    def _in_windows(self, windows: Windows) -> Iterator[tuple[slice, Storage]]:
        """Block by block, window by window, the next of which a thread makes ready while the one before is visited."""
        met: list[int] = []
        for ready in one_ahead(self._ready, windows):
            for k, X in ready:
                interrupts.check()
                met.append(k)
                yield slice(int(self.ends[k]), int(self.ends[k + 1])), X
        if sorted(met) != list(range(self.n_blocks)):  # what was gathered would be no product
            raise ValueError(f"windows must hold each of {self.n_blocks} blocks once")
        self.readings += 1.0

    def _ready(self, window: Sequence[int]) -> list[tuple[int, Storage]]:
        for k in window:
            self.ahead(int(k))
        return [(int(k), self.load(int(k))) for k in window]

    def _each(self, name: str, *common: Any, rows_of: tuple[Array, ...] = (), axis: int = 0) -> Iterator[Any]:
        """What a method of every block says, with these arguments and with its own rows of others."""
        return self.each(asked, (name, *common), OwnRows(self.ends, rows_of, axis))

    def _stacked(self, name: str, *common: Any, axis: int = 0) -> Array:
        """Results for the rows of each block, one below the other; side by side if axis is 1."""
        out, first = np.empty(0), 0
        for k, part in enumerate(self._each(name, *common)):
            if k == 0:
                out = np.empty((*part.shape[:axis], self.shape[0], *part.shape[axis + 1 :]))
            last = first + part.shape[axis]
            out[(slice(None),) * axis + (slice(first, last),)] = part
            first = last
        return out

    def _summed(self, shape: tuple[int, ...], name: str, *of: Array, axis: int = 0) -> Array:
        """The sum of the results of the blocks, in their order."""
        total = np.zeros(shape)
        for part in self._each(name, rows_of=of, axis=axis):
            total += part
        return total
