"""Dask collections as data in blocks, which stay in the memory of the workers.

The blocks are the partitions, and the last twentieth of the rows, a sample that block methods keep where they run. So
rows should be in random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.distributed.engine import DaskFutures
from pragam.distributed.held import Held
from pragam.engines import Block
from pragam.operators import check_data
from pragam.operators.storage import Blocked, Storage

#: The share of the rows in the last block.
_LAST = 0.05


class Facts(NamedTuple):
    """What is known of a partition: sizes, squared norms of its rows, and labels and weights if it has them."""

    shape: tuple[int, int]
    stored: int
    is_dense: bool
    longest: int
    norms2: NDArray[np.float64] | None  # None if rows repeat columns
    y: Any
    weights: Any


class Collected(Blocked):
    """Partitions that lie with workers. ``futures`` are storages; ``y`` and ``weights`` those of all rows, or None."""

    lacks = Blocked.lacks | {"reading"}
    rigorous = True

    def __init__(self, engine: DaskFutures, futures: Sequence[Any], facts: Sequence[Facts]) -> None:
        super().__init__()
        pairs = [(future, fact) for future, fact in zip(futures, facts, strict=True) if fact.shape[0]]
        if not pairs:
            raise ValueError("X has no rows")
        widths, kinds = ({getattr(fact, name) for _, fact in pairs} for name in ("is_dense", "is_dense"))
        widths = {fact.shape[1] for _, fact in pairs}
        if len(widths) != 1 or len(kinds) != 1:
            raise ValueError(f"blocks must all be dense or all CSR, of as many columns, not {sorted(widths)}")
        self.engine, self._facts = engine, [fact for _, fact in pairs]
        rows = [fact.shape[0] for fact in self._facts]
        self.shape, self.stored = (sum(rows), widths.pop()), sum(fact.stored for fact in self._facts)
        self.is_dense = kinds.pop()
        begins = np.concatenate([[0], np.cumsum(rows)])
        cut = int((1 - _LAST) * self.shape[0])
        self.ends = np.unique([*begins, cut]).astype(np.int64)
        at = np.searchsorted(begins, self.ends[:-1], side="right") - 1
        self._held = [
            Held(pairs[p][0].key, int(first - begins[p]), int(last - begins[p]), pairs[p][0])
            for p, first, last in zip(at.tolist(), self.ends[:-1], self.ends[1:], strict=True)
        ]

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The partitions, the last ones in two."""
        return self._held

    def load(self, k: int) -> Storage:
        """A block, brought here."""
        return self._held[k].open()

    @property
    def y(self) -> Any:
        """What came with the blocks."""
        return _all([fact.y for fact in self._facts])

    @property
    def weights(self) -> Any:
        """What came with the blocks."""
        return _all([fact.weights for fact in self._facts])

    @cached_property
    def known_squares(self) -> NDArray[np.float64] | None:
        """They were found when the blocks were checked."""
        return _all([fact.norms2 for fact in self._facts])

    @property
    def longest(self) -> int:
        """The same."""
        return max(fact.longest for fact in self._facts)


def collected(engine: DaskFutures, X: Any, y: Any = None, weights: Any = None) -> tuple[Collected, Any, Any]:
    """(X in blocks, y, weights) of dask collections: X is persisted, y and weights are brought here."""
    client = engine.client
    engine.places()  # without a worker Dask would wait for one without an end
    blocks = client.compute(_partitions(X))
    checked = [client.submit(_checked, block, k, pure=False) for k, block in enumerate(blocks)]
    # Errors of reading and checking come from here, and name the block.
    facts = client.gather([client.submit(_facts, each, pure=False) for each in checked])
    futures = [client.submit(_storage, each, pure=False) for each in checked]
    X = Collected(engine, futures, facts)
    return X, X.y if y is None else _here(client, y), X.weights if weights is None else _here(client, weights)


def is_collection(X: Any) -> bool:
    """Whether it is one of Dask's, or a list of delayed blocks."""
    from dask.base import is_dask_collection

    is_list = isinstance(X, list | tuple) and len(X) > 0
    return is_dask_collection(X) or (is_list and all(is_dask_collection(block) for block in X))


def _partitions(X: Any) -> list[Any]:
    """A delayed value for each block of rows."""
    if isinstance(X, list | tuple):
        return list(X)
    if hasattr(X, "numblocks"):  # an array
        if X.ndim != 2:
            raise ValueError(f"X must be two-dimensional, but has {X.ndim} dimension(s)")
        return list((X if X.numblocks[1] == 1 else X.rechunk({1: -1})).to_delayed().ravel())
    if hasattr(X, "to_delayed"):
        return list(X.to_delayed())
    return [X]


def _here(client: Any, values: Any) -> NDArray[Any]:
    """Values of all rows, in this process."""
    if isinstance(values, list | tuple) and is_collection(values):
        return np.concatenate([np.asarray(part) for part in client.gather(client.compute(list(values)))])
    return np.asarray(client.gather(client.compute(values)) if is_collection(values) else values)


def _checked(block: Any, k: int) -> tuple[Storage, Any, Any]:
    """On a worker: the rows as a storage, and what comes with them."""
    X, y, weights = (*block, None, None)[:3] if isinstance(block, tuple) else (block, None, None)
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    return check_data(X, f"block {k} of X"), y, weights


def _storage(checked: tuple[Storage, Any, Any]) -> Storage:
    return checked[0]


def _facts(checked: tuple[Storage, Any, Any]) -> Facts:
    X, y, weights = checked
    norms2 = X.row_norms2 if X.repeats == 0 else None
    longest = int(np.max(X.counts, initial=0))
    own = (None if each is None else np.asarray(each) for each in (y, weights))
    return Facts(X.shape, X.stored, X.is_dense, longest, norms2, *own)


def _all(parts: list[Any]) -> Any:
    return None if any(part is None for part in parts) else np.concatenate(parts)
