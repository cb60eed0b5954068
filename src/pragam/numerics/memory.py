"""New memory for arrays that a solve fills.

What is new is mapped page by page as it is first touched, at about a microsecond for 4 kB: 24 MB cost 5 ms, where ten
sweeps over them take 25. In huge pages of 2 MB it is a tenth of that. NumPy asks for them (on Linux, for arrays of 4 MB
and more), but the system gives only whole ones: so a large array begins at a huge page here, and may use the end of its
last one too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

#: A huge page of x86-64, and of most others.
_HUGE = 2**21
#: A cache line.
_LINE = 64
#: Arrays from this size on lie in huge pages: half of one is filled at least.
_LARGE = _HUGE // 2


def fresh(size: int, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """An array of ``size`` entries that hold anything, from the beginning of a cache line, or of a huge page."""
    needed = size * np.dtype(dtype).itemsize
    page = _HUGE if needed >= _LARGE else _LINE
    memory = np.empty(-(-needed // page) * page + page, np.uint8)
    first = -memory.ctypes.data % page
    return memory[first : first + needed].view(dtype)
