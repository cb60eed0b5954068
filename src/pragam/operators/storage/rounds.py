r"""A reading by tasks, wherever the blocks are: what a solver finds on each, and products that no solver computes.

    product_k = X_k w,      (found_k, a_k) = task(blocks k, w, common, own_k),      adjoint_k = X_k' a_k

The task is the solver's; both products are made around it. Whoever knows all coefficients may then name them
(:meth:`Round.recall`), and X' a is known if they are what the tasks have answered. From other processes comes a sum of
their bits in place of a_k (SHA-256): sending them would double what a round brings back.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, InTurn, Kept, Task
from pragam.operators.base import Vector
from pragam.operators.storage.base import Storage
from pragam.operators.storage.known import Adjoint, Product, freeze, same_bits

#: task(place, its storages, w, common, own) -> (what it has found, a coefficient for each row)
RoundTask = Callable[["Place", tuple[Storage, ...], Vector, Any, Any], tuple[Any, Vector]]


@dataclass
class Place:
    """Neighbouring blocks where they lie, their last product, and what a solver keeps beside them."""

    blocks: tuple[Block, ...]
    beside: Any
    _of: Vector | None = None
    _products: tuple[Vector, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[object, ...]:
        return Place, (self.blocks, self.beside)

    def ahead(self) -> None:
        """It will soon be read."""
        for block in self.blocks:
            block.ahead()

    def needs(self) -> tuple[object, ...]:
        """What an engine has to bring."""
        return tuple(need for block in self.blocks for need in block.needs())

    def storages(self) -> tuple[Storage, ...]:
        """The rows, in as many storages as they come in."""
        opened = [block.open() for block in self.blocks]
        return tuple(part for X in opened for part in (X.parts() if X.in_blocks else [X]))

    def products(self, w: Vector, storages: Sequence[Storage]) -> tuple[Vector, ...]:
        """X w of each storage, made if it is not that of the last round."""
        with self._lock:
            known = self._of is not None and same_bits(self._of, w)
            return self._products if known else tuple(X.matvec(w) for X in storages)

    def multiplied(self, w: Vector, storages: Sequence[Storage]) -> tuple[Vector, ...]:
        """The same, kept for what follows; ``w`` is the round's own, which nobody changes."""
        found = self.products(w, storages)
        with self._lock:
            self._of, self._products = w, found
        for product in found:
            freeze(product)
        return found


@dataclass(frozen=True, eq=False)
class Places:
    """All blocks of a storage in groups of neighbours: those of the engine, and the last ones, for this process."""

    away: tuple[Kept, ...]
    here: tuple[Kept, ...]
    cuts: tuple[int, ...]  # the numbers of the blocks at which the groups begin and end


def placed(blocks: Sequence[Block], cuts: Sequence[int], beside: Sequence[Any], here: int) -> Places:
    """The blocks, cut into groups each with its own of ``beside``; the last ``here`` groups stay in this process."""
    if len(beside) != len(cuts) - 1 or cuts[0] != 0 or cuts[-1] != len(blocks) or any(np.diff(cuts) <= 0):
        raise ValueError(f"cuts must go up from 0 to {len(blocks)} in {len(beside)} steps, not {list(cuts)!r:.80}")
    name = str(uuid4())  # no number follows from it
    kept = tuple(
        Kept(name, k, Place(tuple(blocks[first:last]), own))
        for k, ((first, last), own) in enumerate(zip(pairwise(cuts), beside, strict=True))
    )
    away = len(kept) - here
    return Places(kept[:away], kept[away:], tuple(cuts))


def each_place(
    each: Callable[..., Iterator[Any]], task: Task, common: Any, places: Places, own: Sequence[Any] | None = None
) -> Iterator[Any]:
    """What a task finds on each place: by ``each``, an engine's; and on the last ones here."""
    count = len(places.away)
    yield from each(task, common, None if own is None else own[:count], places.away)
    yield from InTurn().map(task, places.here, common, None if own is None else own[count:])


class Asked(NamedTuple):
    """What all tasks of a round share."""

    task: RoundTask
    common: Any
    w: Vector

    @classmethod
    def at(cls, w: Vector, task: RoundTask, common: Any) -> Asked:
        """With weights of its own, which nobody changes."""
        own = np.array(w, dtype=np.float64)
        freeze(own)
        return cls(task, common, own)


class Found(NamedTuple):
    """What a round finds on a place."""

    product: Vector  # X w
    adjoint: Vector  # X' of the coefficients
    mark: Mark  # which these were
    found: Any  # what the task says


def visited(place: Place, asked: Asked, own: Any) -> Found:
    """A task on a place, between the two products."""
    storages = place.storages()
    products = place.multiplied(asked.w, storages)
    found, answer = asked.task(place, storages, asked.w, asked.common, own)
    coefficients, n = np.array(answer, dtype=np.float64), sum(X.shape[0] for X in storages)
    if coefficients.shape != (n,):
        raise ValueError(f"a task must answer with a coefficient for each of {n} rows, not {coefficients.shape}")
    adjoint, first = np.zeros(len(asked.w)), 0
    for X in storages:
        adjoint += X.rmatvec(coefficients[first : first + X.shape[0]])
        first += X.shape[0]
    return Found(np.concatenate(products), adjoint, Mark(coefficients), found)


class Mark:
    """Which vector it was: the vector itself, and after a way through another process a sum of its bits."""

    def __init__(self, vector: Vector | None, sum_: str = "") -> None:
        self._vector, self._sum = vector, sum_
        if vector is not None:
            freeze(vector)

    def __reduce__(self) -> tuple[object, ...]:
        return Mark, (None, self._sum if self._vector is None else _sum(self._vector))

    def is_of(self, vector: Vector) -> bool:
        """Whether it was this one, to the bit."""
        return _sum(vector) == self._sum if self._vector is None else same_bits(self._vector, vector)


def _sum(vector: Vector) -> str:
    return hashlib.sha256(np.ascontiguousarray(vector).data).hexdigest()


#: How a storage is told of products: ``learn(forward=...)`` or ``learn(backward=...)``.
Learn = Callable[..., None]


class Round:
    """What is found on each place, in order, once. Then X w is known, and ``recall`` may make X' a known."""

    def __init__(
        self, found: Iterator[Found], w: Vector, places: Places, ends: NDArray[np.int64], learn: Learn | None
    ) -> None:
        self._w, self._places, self._ends, self._learn = w, places, ends, learn
        self._marks: list[Mark] = []
        self._gathered, self._is_over = np.zeros(len(w)), False
        self._found = self._noted(found)

    def __iter__(self) -> Iterator[Found]:
        return self._found

    def _noted(self, every: Iterator[Found]) -> Iterator[Found]:
        product = np.empty(int(self._ends[-1]))
        for k, found in enumerate(every):
            product[self._rows(k)] = found.product
            if k < len(self._places.away):
                self._gathered += found.adjoint
                self._marks.append(found.mark)
            yield found
        self._is_over = True
        if self._learn is not None:
            self._learn(forward=Product(self._w, product))

    def recall(self, coefficients: Vector) -> bool:
        """Say what the tasks have answered. Whether that is so, and X' a is known for every a that differs from it in
        the rows of the last places alone."""
        of, first = np.array(coefficients, dtype=np.float64), self._places.cuts[len(self._places.away)]
        if self._learn is None or not self._is_over:
            return False
        if not all(mark.is_of(of[self._rows(k)]) for k, mark in enumerate(self._marks)):
            return False
        of[self._ends[first] :] = 0.0
        self._learn(backward=Adjoint(Product(of, self._gathered), None, tuple(range(first, len(self._ends) - 1))))
        return True

    def _rows(self, k: int) -> slice:
        first, last = self._places.cuts[k : k + 2]
        return slice(int(self._ends[first]), int(self._ends[last]))
