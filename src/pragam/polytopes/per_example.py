"""What sets of K dual variables for each of n examples share: their layout, their totals and their blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.rounding import TINY, all_zero, gamma, is_subnormal, is_zero, total, two_sum
from pragam.polytopes.base import REPAIRABLE, Repair, Vector
from pragam.polytopes.in_blocks import InBlocks

#: What is computed of more dual variables than twice this is computed for about so many at a time: scores, bounds of
#: their rounding and a repaired point are then some 8 MB each, however many examples there are.
AT_ONCE = 2**20
_SQRT2 = sqrt(2.0)


class PerExample(InBlocks):
    """A product over examples i of sets of K numbers, the size of each given by ``totals_i``; flat, row after row."""

    def __init__(self, totals: ArrayLike, K: int) -> None:
        self.totals = np.array(totals, dtype=np.float64)
        if self.totals.ndim != 1 or not np.all((self.totals >= 0) & (self.totals < np.inf)):
            raise ValueError("totals must be a vector of non-negative finite numbers")
        if K < 1:
            raise ValueError(f"K must be at least 1, got {K}")
        self.K = self.width = int(K)
        self.size = self.totals.size * self.K

    @property
    def n_blocks(self) -> int:
        """The number of factors: one for each example."""
        return self.totals.size

    def runs(self) -> Iterator[tuple[int, int]]:
        """(first, last) of runs of examples that are worked through one after the other where there are many dual
        variables: all at once if there are no more than twice AT_ONCE."""
        length = self.n_blocks if self.size <= 2 * AT_ONCE else max(AT_ONCE // self.K, 1)
        for first in range(0, max(self.n_blocks, 1), max(length, 1)):
            yield first, min(first + length, self.n_blocks)

    def repair(self, alpha: Vector) -> Repair:
        """Example by example, and so run by run."""
        self._require(alpha, REPAIRABLE)
        runs = list(self.runs())
        if len(runs) == 1:
            return self._repaired(alpha)
        point, pieces = alpha, []
        for first, last in runs:
            at = slice(first * self.K, last * self.K)
            piece = self.take(np.arange(first, last))._repaired(alpha[at])
            if point is alpha and not np.array_equal(piece.point, alpha[at]):
                point = alpha.copy()
            if point is not alpha:
                point[at] = piece.point
            pieces.append((piece.rows + at.start, piece.slack, piece.feasible))
        rows, slack, feasible = zip(*pieces, strict=True)
        return Repair(point, np.concatenate(rows), np.concatenate(slack), all(feasible))

    @abstractmethod
    def _repaired(self, alpha: Vector) -> Repair:
        """``repair`` of a point that is near enough."""

    @property
    def is_bounded(self) -> bool:
        """By its totals, however large they are."""
        return True

    @abstractmethod
    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> PerExample:
        """The set of these blocks alone, ``growth`` times as large; one number for all, or one for each."""

    def hull(self) -> tuple[Vector, Vector]:
        """0, and the total."""
        return np.zeros(self.size), np.repeat(self.totals, self.K)

    def settled(self, low: Vector, high: Vector, reach: Vector) -> Vector:
        """Which vertex is best depends on sums and differences of two scores of a block, and these move by at most
        sqrt(2) times what the block does."""
        apart = (_SQRT2 * reach) * (1 + gamma(8)) + 4 * TINY
        with np.errstate(invalid="ignore"):  # the difference of two infinities settles nothing
            known = self._settled(self.rows(low), self.rows(high), apart)
        known[is_zero(self.totals)] = 0.0
        return known.ravel()

    @abstractmethod
    def _settled(self, low: NDArray[np.float64], high: NDArray[np.float64], apart: Vector) -> NDArray[np.float64]:
        """``settled`` as a matrix, where a sum or difference of two scores of block i has its sign for certain beyond
        ``apart_i``."""

    def _lost(self, s: Vector, slack: Vector) -> float:
        """What products of totals and scores may lose below TINY: nothing where the one or the other are all 0.

        A total below TINY may be read as zero. Two scores of its row count at most (:class:`Pairs`).
        """
        if all_zero(self.totals) or (all_zero(s) and all_zero(slack)):
            return 0.0
        unseen = self._subnormal
        if not unseen.size:
            return 8 * self.size * TINY
        sizes = np.abs(s) + slack
        return TINY * (8 * self.size + 2.02 * float(np.sum(self.rows(sizes)[unseen].max(axis=1))))

    @cached_property
    def _subnormal(self) -> NDArray[np.intp]:
        """The rows with a total below TINY that is not 0."""
        return np.flatnonzero(is_subnormal(self.totals))

    def rows(self, x: Vector) -> NDArray[np.float64]:
        """x as an (n, K) matrix, a row for each example."""
        return x.reshape(self.totals.size, self.K)


def clear_top(
    low: NDArray[np.float64], high: NDArray[np.float64], apart: Vector
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """(the place of the largest ``low`` of each row, whether it exceeds every other ``high`` by more than apart)."""
    each = np.arange(len(low))
    top = low.argmax(axis=1)
    others = high.copy()
    others[each, top] = -np.inf
    return top, low[each, top] - others.max(axis=1) > apart


def lacks(rows: NDArray[np.float64], totals: Vector) -> tuple[Vector, Vector]:
    """totals_i - sum_k rows_ik in twice the precision, rows >= 0, and a bound of its error."""
    K = rows.shape[1]
    if len(rows) < K:
        sums = [total(np.ascontiguousarray(-row), mass) for row, mass in zip(rows, totals, strict=True)]
        lack, error = np.array(sums).reshape(-1, 2).T
        return lack, error
    high, low = totals.copy(), np.zeros(len(rows))
    for column in rows.T:
        high, cut = two_sum(high, -column)
        low += cut
    lack, size = high + low, totals + rows.sum(axis=1)
    empty = is_zero(totals) & is_zero(rows).all(axis=1)
    lost = np.where(empty, 0.0, 8 * K * TINY)  # what is below TINY may be read as zero
    return lack, gamma(1) * np.abs(lack) + gamma(K + 2) ** 2 * size + lost


def without_mean(t: NDArray[np.float64], moving: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Each row of t less the mean of its moving entries, and 0 where it does not move."""
    count = np.maximum(moving.sum(axis=1, keepdims=True), 1)
    return np.where(moving, t - np.sum(t, axis=1, keepdims=True, where=moving) / count, 0.0)


def centred_gram(moving: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The sum over rows of diag(m) - m m' / |m|_1, m the moving entries: what :func:`without_mean` does to columns."""
    m = moving.astype(np.float64)
    count = np.maximum(m.sum(axis=1, keepdims=True), 1.0)
    gram: NDArray[np.float64] = np.diag(m.sum(axis=0)) - (m / count).T @ m
    return gram
