"""How the process keeps the memory of arrays that come and go."""

from __future__ import annotations

from functools import cache

import numpy as np

#: Numbers in the block that is freed once: 8 MB.
_BLOCK = 2**20


@cache
def keep_freed_memory() -> None:
    """Let the allocator keep up to some 16 MB that arrays have freed, for the arrays that follow.

    glibc begins by returning what is freed to the system, and the system clears every page that it hands out again: on
    tubes around 8000 to 16,000 targets, where an array has 130 to 260 kB, that was two fifths of a solve. Its
    thresholds follow the largest block that was ever mapped and freed (``mallopt(3)``, M_MMAP_THRESHOLD), as in any
    process that has already loaded data of some size. So such a block is asked for once, and freed untouched. Other
    allocators take no notice.
    """
    np.empty(_BLOCK)
