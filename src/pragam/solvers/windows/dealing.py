"""The order in which a pass meets the blocks: random, and another one in each pass.

Where blocks always follow one another in the same order, or the same rows are always solved together, block methods
stall at a gap of 1e-3: some rows move up and others down, pass for pass, and w hardly changes.
"""

from __future__ import annotations

import numpy as np

#: Blocks in a window. While one is swept over, a thread makes the next one ready.
_WINDOW = 8


def dealt(rng: np.random.Generator, n_blocks: int) -> list[list[int]]:
    """Windows of all blocks in random order, but for block 0, which is the last (:mod:`.biases` says why)."""
    order = [*(1 + rng.permutation(n_blocks - 1)).tolist(), 0] if n_blocks else []
    return [order[first : first + _WINDOW] for first in range(0, n_blocks, _WINDOW)]
