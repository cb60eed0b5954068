"""What a task of the method works on: a block of the data with its dual variables, sent once and in few bytes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.newton.records import Boxes, Ends
from pragam.operators import ScaledRows, SharedRows
from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows
from pragam.operators.planes import Planes
from pragam.operators.storage import Storage
from pragam.solvers.newton.box_form import BoxForm

_NONE = np.zeros(0)


@dataclass(frozen=True)
class Thin:
    """A vector in few bytes: one number if all are equal, a byte each if they are small and whole."""

    values: NDArray[np.generic]
    size: int

    @classmethod
    def of(cls, vector: Vector) -> Thin:
        """The same numbers, to the bit."""
        if len(vector) and vector.min() == vector.max() and (vector[0] != 0 or not np.signbit(vector).any()):
            return cls(vector[:1].copy(), len(vector))
        bytes_ = vector.astype(np.int8) if (np.abs(vector) < 100).all() else None
        if bytes_ is not None and vector.all() and np.array_equal(bytes_, vector):
            return cls(bytes_, len(vector))
        return cls(vector.copy(), len(vector))

    def cut(self, at: slice) -> Vector:
        """Some of it."""
        if len(self.values) != self.size:
            return np.full(at.stop - at.start, self.values[0], dtype=np.float64)
        return np.ascontiguousarray(self.values[at], dtype=np.float64)


class Duals(NamedTuple):
    """The dual variables of a block: how they read its rows, and the units of their boxes (:class:`BoxForm`)."""

    number: NDArray[np.int64] | None  # of the row of the block that each one reads, in order; None: its own
    scale: Thin
    c: Thin
    boxes: tuple[Thin, ...]  # size, low, high, bend; without those that plain rows do not have
    ends: tuple[Thin, ...]
    sigma: Thin
    group: NDArray[np.int64] | None  # None: all in one plane
    n_planes: int

    @classmethod
    def of(cls, A: DataRows, form: BoxForm, at: slice, first: int) -> Duals:
        """Those of a block whose first row has this number."""
        B, boxes = form.B, form.boxes
        return cls(
            None if A.number is None else A.number[at] - first,
            Thin.of(A.scale[at]),
            Thin.of(form.c[at]),
            tuple(Thin.of(x[at]) for x in boxes[1:] if x.size),
            tuple(Thin.of(x[at]) for x in form.ends),
            Thin.of(B.sigma[at]),
            B.group[at].copy() if B.shape[1] > 1 else None,
            B.shape[1],
        )


class Part(NamedTuple):
    """Some rows of the block in memory, with their dual variables."""

    at: slice  # of the dual variables of the block
    rows: slice
    A: DataRows
    B: Planes
    c: Vector
    boxes: Boxes  # with an empty base
    ends: Ends

    def slopes(self, product: Vector, b: Vector) -> Vector:
        """A w + B b + c' from X w."""
        s = self.A.scores_of(product) + self.c
        if b.size:
            s += self.B.matvec(b)
        return s


@dataclass
class Posed:
    """The dual variables of a block, and what need not be found again: the centre that a log leads to.

    It follows from the arguments of a task. So a process that does not have it finds the same.
    """

    duals: Duals
    centre: Vector = field(default_factory=lambda: _NONE)
    seen: int = 0  # entries of the log that the centre follows from
    lock: threading.Lock = field(default_factory=threading.Lock)  # of these two

    def __reduce__(self) -> tuple[object, ...]:
        return Posed, (self.duals,)

    def parts(self, storages: Sequence[Storage]) -> Iterator[Part]:
        """The block, in as many parts as there are storages."""
        own, row, begin = self.duals, 0, 0
        for X in storages:
            rows = slice(row, row + X.shape[0])
            if own.number is None:
                at, number = rows, None
            else:
                at = slice(begin, int(np.searchsorted(own.number, rows.stop)))
                number = own.number[at] - row
            scale, size = own.scale.cut(at), at.stop - at.start
            A: DataRows = ScaledRows(X, scale) if number is None else SharedRows(X, number, scale)
            group = 0 if own.group is None else own.group[at]
            B = Planes(own.sigma.cut(at), group, own.n_planes) if own.n_planes else Planes.none(size)
            widths = [each.cut(at) for each in own.boxes]
            boxes = Boxes(_NONE, *widths) if len(widths) == 4 else Boxes(_NONE, widths[0], _NONE, _NONE, _NONE)
            yield Part(at, rows, A, B, own.c.cut(at), boxes, Ends(*(each.cut(at) for each in own.ends)))
            row, begin = rows.stop, at.stop
