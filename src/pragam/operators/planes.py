r"""The planes of the dual: the operator B of a model's unpenalised weights, its biases.

::

    scores = A w + B b + c,      (B b)_j = sigma_j b_{group_j}
    B' alpha = levels            because b is free and costs nothing

B has 0, 1 or K columns, and a dual variable lies on at most one plane: sigma_j = 0 where it lies on none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.constant import once
from pragam.numerics.rounding import SAFE, TINY, Stating, Vector, all_zero, gamma, is_zero, two_product, two_sum

#: Dual variables whose scores are moved together.
_PIECE = 2**14


class Planes(Stating):
    """``Planes(sigma, group, K)``: entry sigma_j in row j and column group_j. With K = 0 there is no plane at all."""

    rigorous = True
    group: NDArray[np.int64]

    def __init__(self, sigma: ArrayLike, group: ArrayLike = 0, K: int = 1) -> None:
        self.sigma: Vector = np.ascontiguousarray(sigma, dtype=np.float64)
        if K == 0:
            self.sigma, self.group, self.shape = *_nothing(self.sigma.size), (self.sigma.size, 0)
            return
        if self.sigma.ndim != 1 or not np.isfinite(self.sigma).all():
            raise ValueError("sigma must be a vector of finite numbers")
        self.group = np.array(np.broadcast_to(np.asarray(group, np.int64), self.sigma.shape))
        if K < 0 or not ((self.group >= 0) & (self.group < K))[self.sigma != 0].all():
            raise ValueError(f"group must name one of {K} planes wherever sigma is not 0")
        self.group[self.sigma == 0] = 0
        self.shape = self.sigma.size, int(K)

    @classmethod
    def none(cls, m: int) -> Planes:
        """No plane: a model without biases."""
        planes = cls.__new__(cls)
        planes.sigma, planes.group, planes.shape = *_nothing(m), (m, 0)
        return planes

    def matvec(self, b: Vector) -> Vector:
        """B b."""
        if self.shape[1] == 0:
            return np.zeros(self.shape[0])
        return self.sigma * (b[0] if self.shape[1] == 1 else b[self.group])

    def rmatvec(self, alpha: Vector) -> Vector:
        """B' alpha."""
        if self.shape[1] == 0:
            return np.zeros(0)
        if self.shape[1] == 1:  # a plain product is several times as fast
            return np.full(1, self.sigma @ alpha)
        sums: Vector = np.bincount(self.group, self.sigma * alpha, minlength=self.shape[1]).astype(np.float64)
        return sums[: self.shape[1]]

    def take(self, rows: NDArray[np.int64]) -> Planes:
        """The planes of these dual variables alone. None is dropped, even if no row is left on it."""
        part = Planes.__new__(Planes)  # nothing has to be checked again
        part.shape = len(rows), self.shape[1]
        part.sigma, part.group = (self.sigma[rows], self.group[rows]) if self.shape[1] else _nothing(len(rows))
        return part

    def held_once(self) -> Planes:
        """The same planes. Where there is but one, ``group`` is held once, and where there is none ``sigma`` too."""
        planes = Planes.__new__(Planes)
        planes.sigma = self.sigma if self.shape[1] else once(self.sigma)
        planes.group, planes.shape = once(self.group), self.shape
        return planes

    def rows_of(self, k: int) -> NDArray[np.int64]:
        """The dual variables on plane k."""
        return np.flatnonzero((self.group == k) & (self.sigma != 0))

    def add_to(self, scores: Vector, slack: Vector, b: Vector) -> tuple[Vector, Vector]:
        """(scores + B b, a bound of its error), where the scores have an error of at most ``slack``."""
        if all_zero(b):
            return scores, slack
        shift = self.matvec(b)
        return scores + shift, slack + gamma(3) * (np.abs(scores) + np.abs(shift)) + 2 * TINY

    def add_in_place(self, scores: Vector, slack: Vector, b: Vector) -> None:
        """``add_to`` in the memory of both, to the bit; piece by piece, so that it takes no more."""
        if all_zero(b):
            return
        for first in range(0, len(scores), _PIECE):
            at = slice(first, first + _PIECE)
            s, error = scores[at], slack[at]
            shift = self.sigma[at] * (b[0] if self.shape[1] == 1 else b[self.group[at]])
            error += gamma(3) * (np.abs(s) + np.abs(shift)) + 2 * TINY
            s += shift

    def sharp_add_to(self, high: Vector, low: Vector, slack: Vector, b: Vector) -> tuple[Vector, Vector, Vector]:
        """The same for scores high + low in twice the precision.

        Sums of multiples of 2^-53 SAFE[0], which is above TINY, are such multiples: nothing of them flushes to zero.
        """
        if all_zero(b):
            return high, low, slack
        shift, cut = two_product(self.sigma, b[0] if self.shape[1] == 1 else b[self.group])
        flushes = np.abs(self.sigma) != 1
        for part in (high, low, shift):
            flushes |= ~(is_zero(part) | (np.abs(part) >= SAFE[0]))
        high, rest = two_sum(high, shift)
        size = np.abs(low) + np.abs(cut) + np.abs(rest)
        return high, (low + cut) + rest, slack + gamma(3) * size + np.where(flushes, 16 * TINY, 0.0)

    def __repr__(self) -> str:
        return f"<Planes: {self.shape[1]} for {self.shape[0]} dual variables>"


def _nothing(m: int) -> tuple[Vector, NDArray[np.int64]]:
    """sigma and group where there is no plane. Nobody writes to them, so they take address space and no memory."""
    return np.zeros(m), np.zeros(m, dtype=np.int64)
