"""How much memory a block of code takes, in all that Python and NumPy allocate."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Peak:
    """The most bytes held at a time during the block, beside those held before. Known once the block is over."""

    bytes: int = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Whatever happens in the block, tracing ends with it: else the next test is told of this block's peak.

    What tests before have left is set aside: the more objects there are, the later Python looks for cycles among them,
    and the block's own would be found later than in a process of its own.
    """
    assert not tracemalloc.is_tracing(), "an earlier test has left tracemalloc on, and its peak would be taken for ours"
    peak = Peak()
    gc.collect()
    gc.freeze()
    gc.collect()  # of nothing: the next one comes as soon as in a new process
    tracemalloc.start()
    try:
        yield peak
    finally:
        peak.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        gc.unfreeze()
