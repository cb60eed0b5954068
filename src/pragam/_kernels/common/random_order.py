"""The order of a sweep: random, but with neighbours in memory together."""

from __future__ import annotations

from typing import Any

from pragam._kernels.common.random import SplitMix64


def random_order(n: int, size: int, random: SplitMix64) -> list[int]:
    """0 .. n-1 in blocks of neighbours, with the blocks in random order and each block shuffled."""
    blocks = _shuffled([range(first, min(first + size, n)) for first in range(0, n, size)], random)
    return [k for block in blocks for k in _shuffled(list(block), random)]


def _shuffled(items: list[Any], random: SplitMix64) -> list[Any]:
    for k in range(len(items) - 1, 0, -1):
        j = random.below(k + 1)
        items[k], items[j] = items[j], items[k]
    return items
