"""X in blocks of rows that come from elsewhere, one after the other: from the disk, or from other processes.

    X w = (X_1 w, X_2 w, ..),      X' a = X_1' a_1 + X_2' a_2 + ..

A product takes one *reading* of all blocks, which is what costs time. So a reading may be shared:
:meth:`Blocked.reading` visits block after block, with X_k w if asked, and gathers X' a of the a_k that the visitor
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

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, Engine, Here, InTurn, Task
from pragam.numerics.remade import remade
from pragam.numerics.rounding import two_sum
from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector, times
from pragam.operators.storage.compressed import Csr
from pragam.operators.storage.dense import Dense
from pragam.runtime import interrupts
from pragam.runtime.threads import one_ahead


class Visited(NamedTuple):
    """A block during a reading: the numbers of its rows, the rows, and their products if asked."""

    rows: NDArray[np.int64] | slice
    X: Storage
    product: Vector | None


#: Rows that X' a may need beside those at hand, and are read for it: a repair of alpha moves one.
_FEW = 4
#: Says the coefficients of the rows that it visits; None: nothing is gathered.
Visitor = Callable[[Visited], Vector | None]


class _Product(NamedTuple):
    """A product that was made, and of what."""

    of: Vector
    value: Vector

    def answers(self, vector: Vector) -> bool:
        """Whether it is the product of this vector, to the bit."""
        return np.array_equal(self.of.view(np.int64), np.ascontiguousarray(vector).view(np.int64))


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


class Blocked(Storage):
    """Rows in consecutive blocks; block k has the rows from ``ends[k]`` up to ``ends[k + 1]``.

    A subclass has ``shape``, ``stored`` and ``ends``, says ``is_dense``, and loads a block. What it knows of sizes
    beforehand saves a reading: ``known_squares``, and ``longest``, the entries of the longest row.
    """

    lacks = frozenset({"rows", "gram", "add_outer"})
    in_blocks = True
    #: Products of other readings may have been summed in another order, so a run that goes on needs these very numbers.
    remembers = ("_forward", "_backward", "_at_hand", "readings")
    ends: NDArray[np.int64]

    def __init__(self) -> None:
        self.readings = 0.0  # of all blocks so far
        self._forward: _Product | None = None  # the last X w
        self._backward: _Product | None = None  # the last X' a
        self._at_hand: tuple[NDArray[np.int64], Storage] | None = None  # rows at hand of which it gathered nothing

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
        return {name: value for name, value in vars(self).items() if name not in ("engine", "blocks")}

    def each(
        self, task: Task, common: Any, own: Sequence[Any] | None = None, blocks: Sequence[Block] | None = None
    ) -> Iterator[Any]:
        """What a task finds for each block, in their order: a reading. ``blocks`` are those, or what goes with each."""
        yield from self.engine.map(task, self.blocks if blocks is None else blocks, common, own)
        self.readings += 1.0

    def remember(self, forward: tuple[Vector, Vector] | None, backward: tuple[Vector, Vector] | None) -> None:
        """(w, X w) and (a, X' a) that tasks have found: what ``matvec`` and ``rmatvec`` would find, to the bit."""
        if forward is not None:
            self._forward = _Product(*forward)
        if backward is not None:
            self._backward = _Product(*backward)

    # One reading ------------------------------------------------------------------------------------------------------

    def reading(self, visit: Visitor, w: Vector | None = None, windows: Iterable[Sequence[int]] | None = None) -> None:
        """Visit all blocks once, in place: one after the other; or in the order of these windows, each of them some
        blocks, the next of which is read ahead.

        The visitor gets X_k w if there is a ``w``. If it answers with coefficients a_k everywhere, X' a is gathered.
        """
        self._at_hand = None
        product = None if w is None else np.empty(self.shape[0])
        coefficients, gathered, is_whole = np.empty(self.shape[0]), np.zeros(self.shape[1]), True
        w = None if w is None else as_vector(w, self.shape[1], "w").copy()
        for rows, X in self._in_turn() if windows is None else self._in_windows(windows):
            own = None if w is None else X.matvec(w)
            if product is not None and own is not None:
                product[rows] = own
            answer = visit(Visited(rows, X, own))
            is_whole = is_whole and answer is not None
            if answer is not None and is_whole:
                coefficients[rows] = answer
                gathered += X.rmatvec(answer)
        if w is not None and product is not None:
            self._forward = _Product(w, product)
        if is_whole:
            self._backward = _Product(coefficients, gathered)

    def hold(self, rows: NDArray[np.int64], X: Storage) -> Storage:
        """These rows are at hand, and the last reading has gathered nothing of them. They are returned.

        So X' a is known, until the next reading, for every a that differs from its coefficients in these rows alone.
        """
        self._at_hand = rows, X
        return X

    def _in_turn(self) -> Iterator[tuple[slice, Storage]]:
        for k in range(self.n_blocks):
            if k + 1 < self.n_blocks:
                self.ahead(k + 1)
            interrupts.check()
            yield slice(int(self.ends[k]), int(self.ends[k + 1])), self.load(k)
        self.readings += 1.0

    def _in_windows(self, windows: Iterable[Sequence[int]]) -> Iterator[tuple[slice, Storage]]:
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

    # Products ---------------------------------------------------------------------------------------------------------

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        w = as_vector(w, self.shape[1], "w")
        if self._forward is None or not self._forward.answers(w):
            self._forward = _Product(w.copy(), self._stacked("matvec", w))
        return self._forward.value.copy() if scale is None else scale * self._forward.value

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        a = times(scale, as_vector(alpha, self.shape[0], "alpha"))
        known = self._from_held(a)
        if known is not None:
            return known
        if self._backward is None or not self._backward.answers(a):
            self._at_hand = None
            self._backward = _Product(a.copy(), self._summed((self.shape[1],), "rmatvec", a))
        return self._backward.value.copy()

    def _from_held(self, a: Vector) -> Vector | None:
        """X' a from what was gathered, the rows at hand, and very few others of which nothing was gathered."""
        if self._at_hand is None or self._backward is None:
            return None
        rows, X = self._at_hand
        others, known = np.ascontiguousarray(a).copy(), self._backward.of
        if known[rows].any():  # whoever holds them says so, and certificates trust nobody
            return None
        others[rows] = known[rows]  # zeros, of either sign
        more = np.flatnonzero(others.view(np.int64) != known.view(np.int64))
        if len(more) > _FEW or known[more].any():
            return None
        product = self._backward.value + X.rmatvec(a[rows])
        return product + self.take(more).rmatvec(a[more]) if len(more) else product

    def matvecs(self, W: Array) -> Array:
        return self._stacked("matvecs", W, axis=1)

    def rmatvecs(self, B: Array) -> Array:
        return self._summed((len(B), self.shape[1]), "rmatvecs", B, axis=1)

    def matmat(self, W: Array) -> Array:
        return self._stacked("matmat", W)

    def rmatmat(self, B: Array) -> Array:
        return self._summed((B.shape[1], self.shape[1]), "rmatmat", B)

    def add_rmatmat(self, B: Array, out: Array) -> None:
        out += self.rmatmat(B).T

    # Rows -------------------------------------------------------------------------------------------------------------

    def take(self, rows: Array) -> Storage:
        """A copy, in memory; only the blocks that have some of them are read."""
        rows = np.asarray(rows, dtype=np.int64)
        order = np.argsort(rows, kind="stable")
        places = np.searchsorted(rows[order], self.ends)
        used = [k for k in range(self.n_blocks) if places[k] < places[k + 1]]
        entries = -(-self.stored * len(rows) // max(self.shape[0], 1))
        gathered = Gathered(len(rows), entries, self.shape[1])
        for k in used or [0]:
            gathered.add(self.load(k), rows[order[places[k] : places[k + 1]]] - self.ends[k])
        self.readings += float(sum(self.ends[k + 1] - self.ends[k] for k in used)) / max(self.shape[0], 1)
        found = gathered.storage()
        if (np.diff(rows) >= 0).all():
            return found
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        return found.take(back)

    def part(self, first: int, last: int) -> Storage:
        return Run(self, first, last)

    def parts(self) -> Iterator[Storage]:
        return (X for _, X in self._in_turn())

    @property
    def T(self) -> Storage:  # noqa: N802
        raise NotImplementedError("columns of data in blocks are not handed out")

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        raise NotImplementedError("rows of data in blocks are handed out block by block: see load and take")

    def gram(self) -> Array:
        raise NotImplementedError("data in blocks have too many rows for a Gram matrix")

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        raise NotImplementedError("outer products are those of blocks: see load")

    # Sizes and rounding -----------------------------------------------------------------------------------------------

    @property
    def known_squares(self) -> Vector | None:
        """The squared norms of the rows, of which none repeats a column, if they are known without a reading."""
        return None

    def known_moments(self, weights: Vector | None) -> tuple[Vector, Vector] | None:
        """Means and deviations of the columns with these weights of the rows, if known without a reading."""
        return None

    @property
    def longest(self) -> int | None:
        """The entries of the longest row, if that is known without a reading."""
        return self.shape[1] if self.is_dense else None

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        if rows is not None:
            return self.take(rows)._row_squares(power, np.arange(len(rows)))
        known = self.known_squares if power == 1.0 else None
        if known is not None:
            return known, known, 0
        norms, sizes, most = zip(*self._each("_row_squares", power), strict=True)
        norms2, sizes2 = np.concatenate(norms), np.concatenate(sizes)
        return norms2, norms2 if np.array_equal(norms2, sizes2) else sizes2, 0 if self.is_dense else sum(most)

    @cached_property
    def counts(self) -> NDArray[np.int64] | int:
        if self.longest is not None:
            return self.longest
        parts = [np.broadcast_to(counts, m) for counts, m in zip(self._each("counts"), np.diff(self.ends), strict=True)]
        return np.concatenate(parts).astype(np.int64)

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_row, by_column = [], np.zeros(self.shape[1])
        for own, columns in self._each("abs_sums"):
            by_row.append(own)
            by_column += columns
        return np.concatenate(by_row), by_column

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        high, low, error = map(np.concatenate, zip(*self._each("twofold_matvec", w), strict=True))
        return high, low, error

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        total, partial = np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for value, sizes in self._each("running_columns", rows_of=(alpha,)):
            total += value
            partial += sizes + np.abs(total)
        return total, partial

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        high, low, size = np.zeros((3, self.shape[1]))
        for value, tail, sizes in self._each("twofold_columns", rows_of=(alpha,)):
            high, lost = two_sum(high, value)
            low += tail + lost
            size += sizes
        return high, low, size


class InMemory(Blocked):
    """Blocks that are storages at hand."""

    rigorous = True

    def __init__(self, blocks: Sequence[Storage]) -> None:
        super().__init__()
        self._blocks = list(blocks)
        widths = {X.shape[1] for X in blocks}
        if len(widths) != 1:
            raise ValueError(f"blocks must have columns in the same number, not {sorted(widths)}")
        self.ends = np.concatenate([[0], np.cumsum([X.shape[0] for X in blocks])]).astype(np.int64)
        self.shape, self.stored = (int(self.ends[-1]), widths.pop()), sum(X.stored for X in blocks)
        self.is_dense = blocks[0].is_dense
        self.rigorous = type(self).rigorous and all(X.rigorous for X in blocks)

    def load(self, k: int) -> Storage:
        return self._blocks[k]


class Mapped(Blocked):
    """Other blocks, each changed when it is loaded; rows remain rows, and columns are as many as are said."""

    rigorous = True

    def __init__(self, whole: Blocked, change: Callable[[Storage], Storage], d: int) -> None:
        super().__init__()
        self._whole, self._change = whole, change
        self.ends, self.is_dense = whole.ends, whole.is_dense
        self.shape, self.stored = (whole.shape[0], d), whole.stored + whole.shape[0] * (d - whole.shape[1])
        self.rigorous = type(self).rigorous and whole.rigorous

    def load(self, k: int) -> Storage:
        return self._change(self._whole.load(k))

    def ahead(self, k: int) -> None:
        self._whole.ahead(k)


class Run(Blocked):
    """The rows from ``first`` up to ``last`` of other blocks."""

    rigorous = True

    def __init__(self, whole: Blocked, first: int, last: int) -> None:
        super().__init__()
        begin = max(int(np.searchsorted(whole.ends, first, side="right")) - 1, 0)
        end = max(int(np.searchsorted(whole.ends, last)), begin + 1)
        self._whole, self._begin, self._first = whole, begin, first
        self.ends = np.clip(whole.ends[begin : end + 1], first, last) - first
        self.shape = last - first, whole.shape[1]
        self.stored = -(-whole.stored * (last - first) // max(whole.shape[0], 1))  # a guess, for costs
        self.is_dense, self.rigorous = whole.is_dense, type(self).rigorous and whole.rigorous

    def load(self, k: int) -> Storage:
        start = int(self._whole.ends[self._begin + k])
        first, last = (int(end) + self._first - start for end in self.ends[k : k + 2])
        block = self._whole.load(self._begin + k)
        return block if (first, last) == (0, block.shape[0]) else block.part(first, last)


@remade
def taken(X: Blocked, rows: NDArray[np.int64]) -> Storage:
    """These rows in memory, as a reading that has gathered them leaves them."""
    return X.take(rows)


class Gathered:
    """Rows on their way into memory, as they are stored, with room for so many and for about so many entries."""

    def __init__(self, rows: int, entries: int, d: int) -> None:
        self._room, self._d, self._n = (rows, entries), d, 0
        self._arrays: list[Array] = []  # X, or data, indices and indptr
        self._entries = 0

    def add(self, X: Storage, rows: Array | None) -> None:
        """Some rows of a block, or all of them."""
        kind, arrays = X.rows()
        if not self._arrays:
            self._begin(kind, arrays)
        last = self._n + (X.shape[0] if rows is None else len(rows))
        if kind == "dense":
            np.copyto(self._arrays[0][self._n : last], arrays[0] if rows is None else arrays[0][rows])
        else:
            self._add_sparse((X if rows is None else X.take(rows)).rows()[1], last)
        self._n = last

    def _begin(self, kind: str, arrays: tuple[Array, ...]) -> None:
        rows, entries = self._room
        if kind == "dense":
            self._arrays = [np.empty((rows, self._d), arrays[0].dtype)]
        else:
            self._arrays = [np.empty(entries, arrays[0].dtype), np.empty(entries, arrays[1].dtype)]
            self._arrays.append(np.zeros(rows + 1, np.int64))

    def _add_sparse(self, arrays: tuple[Array, ...], last: int) -> None:
        data, indices, indptr = arrays
        end = self._entries + int(indptr[-1])
        if end > len(self._arrays[0]):  # more than were expected
            longer = max(end, len(self._arrays[0]) * 5 // 4)
            self._arrays[:2] = [np.append(own, np.empty(longer - len(own), own.dtype)) for own in self._arrays[:2]]
        self._arrays[0][self._entries : end] = data[: int(indptr[-1])]
        self._arrays[1][self._entries : end] = indices[: int(indptr[-1])]
        if last >= len(self._arrays[2]):
            self._arrays[2] = np.append(
                self._arrays[2], np.zeros(max(last // 4, last + 1 - len(self._arrays[2])), np.int64)
            )
        self._arrays[2][self._n + 1 : last + 1] = indptr[1:] + self._entries
        self._entries = end

    def storage(self) -> Storage:
        """The rows, which are then no longer here."""
        arrays, self._arrays = self._arrays, []
        if not arrays:
            return Dense(np.empty((0, self._d)))
        if len(arrays) == 1:
            return Dense(arrays[0][: self._n])
        data, indices, indptr = arrays
        return Csr((data[: self._entries], indices[: self._entries], indptr[: self._n + 1]), (self._n, self._d))
