"""The kernels' random number generator, so that a kernel and its twin visit rows in the same order."""

from __future__ import annotations

_MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood (2014). The state is one 64-bit word."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _MASK

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Uniform on 0 .. n-1 for n < 2^32."""
        return ((self.next() >> 32) * n) >> 32
