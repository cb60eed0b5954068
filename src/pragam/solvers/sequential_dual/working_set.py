r"""The dual variables of all examples, the weights that follow them, and one sweep over both.

The step of an example is exact. With s_ik = c_ik +- <x_i, w_k> its slopes, which all have the curvature q_i = |x_i|^2 /
lam, D restricted to its block is <s_i, t> - q_i/2 |t|^2, so the block moves to

    the projection of alpha_i + s_i / q_i         on its simplex, its marginals of pairs or its box.

The weights are a table, a row for each feature, so that one pass over x_i gives the slopes of all labels
(``_kernels/blocks/table.hpp``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.blocks.records import BlockPlanes, Blocks, Shape, Table, padded
from pragam._kernels.coordinate.records import Batch, Visits
from pragam.operators.base import ExampleRows, Vector
from pragam.operators.needs import HasExampleRows
from pragam.polytopes.needs import HasBlocks
from pragam.problem import Problem

#: So many examples that are neighbours in memory are met together, in random order: their rows are fetched at once.
_BLOCK = 8

#: Bytes of a cache line.
_LINE = 64

LabelProblem = Problem[HasExampleRows, HasBlocks]


class Swept(NamedTuple):
    """What a sweep has told; see ``block_sweep``."""

    gap: float  # the sum of the blocks' gaps, each at its visit
    gain: float  # of the function
    drift2: float  # how far margins have moved since the last visit, squared, over the curvatures
    turns: int  # blocks whose face changed
    free: int  # blocks not at a vertex
    before: float  # the gap of the sweep before
    met: int  # visits in the call
    last: int  # visits in the last sweep


@dataclass
class WorkingSet:
    """What is swept over: all examples, of which some may be set aside."""

    rows: ExampleRows
    blocks: Blocks
    planes: BlockPlanes
    table: Table
    active: NDArray[np.int64]
    n_active: int

    @property
    def size(self) -> int:
        """The number of examples."""
        return len(self.blocks.totals)

    @property
    def alpha(self) -> Vector:
        return self.blocks.alpha

    @property
    def is_single(self) -> bool:
        """Whether the weights are in single precision."""
        return bool(self.table.dtype == np.float32)

    def recall(self) -> None:
        """All examples come back."""
        self.active = np.arange(self.size)
        self.n_active = self.size

    def sweep(self, lam: float, reach: float, seed: int, batch: Batch) -> Swept:
        """Exact steps over the active examples, and further sweeps as ``batch`` says."""
        visits = Visits(self.active, self.n_active, reach, _BLOCK, seed)
        self.n_active, *told = self.rows.kernel("block_sweep")(
            *self.rows.arrays, self.blocks, self.planes, lam, self.table, visits, batch
        )
        return Swept(*told)

    def weights(self) -> Vector:
        """w, label by label: the table turned round."""
        return np.ascontiguousarray(self.table[:, : self.rows.K].T, dtype=np.float64).ravel()

    def set_weights(self, w: Vector) -> None:
        """Write w into the table, of the precision that it has."""
        K = self.rows.K
        self.table[:, :K] = w.reshape(K, -1).T


def whole(problem: LabelProblem, w: Vector, alpha: Vector, q: Vector, planes: BlockPlanes, dtype: Any) -> WorkingSet:
    """The working set of all examples. ``alpha`` becomes its own."""
    rows = problem.A.example_rows()
    n, K = len(q), rows.K
    table = _zeros(problem.n_weights // K, padded(K), dtype)
    shape = int(problem.Q.block_shape)
    blocks = Blocks(shape, alpha, problem.c, problem.Q.totals, q, rows.sign, np.full(n, np.nan))
    found = WorkingSet(rows, blocks, planes, table, np.arange(n), n)
    if w.any():
        found.set_weights(w)
    return found


def _zeros(d: int, width: int, dtype: Any) -> Table:
    """A (d, width) array that begins with a cache line: rows of 64 bytes, 16 labels in single precision, then fill one
    each."""
    room = _LINE // np.dtype(dtype).itemsize
    memory = np.zeros(d * width + room, dtype)
    first = -(memory.ctypes.data // memory.itemsize) % room
    return memory[first : first + d * width].reshape(d, width)


def has_signs_of_sides(problem: LabelProblem) -> bool:
    """Whether weights and planes are read with the sign of a label's side, as the kernels take them."""
    sign, sides = problem.A.example_rows().sign, problem.Q.signs
    own = np.ones(problem.Q.size) if sign is None else sign
    fits = problem.Q.block_shape is not Shape.PAIRS or np.array_equal(own, sides)
    return fits and (not problem.n_biases or np.array_equal(own, problem.B.sigma))
