r"""What models are judged by on rows left out: a sum over the rows, of the scores themselves or of bounds of them.

    wrong predictions      sum_i [ the label by s_i is not y_i ],    s_i > 0 is the second of two labels
    losses                 sum_i a max(r_i, 0) + b max(-r_i, 0),     r_i = t_i - z_i s_i

with (a, b) = (1, 1) for the absolute error, (q, 1 - q) for the pinball loss, both with z = 1, and (1, 0), t = 1 and
z = y for the hinge. If every score lies between two numbers, so does the sum.

Rows that are stored equally are one row here, whose prediction is wrong for all of one label: while it is open, at
least the fewer of the two are wrong. A score of 0 is the first label.

*Rounding.* Counts are exact. A loss is rounded outward: residuals by one place, products and the sum by ``gamma``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import LARGEST
from pragam.numerics.rounding import TINY, gamma, norm
from pragam.numerics.vector import Vector
from pragam.operators.storage import Storage
from pragam.selection.groups import groups_of, table_of


class Measure(Protocol):
    """A sum over the rows left out."""

    @property
    def X(self) -> Storage:  # noqa: N802
        """The rows whose scores it asks for."""

    @property
    def size(self) -> int:
        """The number of rows left out."""

    @property
    def is_counted(self) -> bool:
        """Whether the sum is a whole number."""

    def of(self, scores: Vector) -> tuple[float, float]:
        """The sum, and the root of the sum of the squares, at the scores of a computed model."""

    def bounds(self, ends: Vector) -> tuple[float, float]:
        """Between which numbers the sum is for all scores between ``ends`` (rows, 2)."""

    def open_rows(self, ends: Vector) -> NDArray[np.int64]:
        """The rows of which narrower ends may say more, those first that seem nearest to it."""


class Wrong:
    """Wrong predictions of one of two labels; ``code`` is 0 or 1."""

    is_counted = True

    def __init__(self, X: Storage, code: NDArray[np.int64]) -> None:
        group = groups_of(X, np.arange(X.shape[0]))
        first = np.unique(group, return_index=True)[1]
        self.size, self.X = len(code), X if len(first) == len(code) else X.take(first)
        table = table_of(group, code, 2)
        self._at_negative, self._at_positive = table[:, 1], table[:, 0]  # how many are wrong at this sign
        self._least, self._most = table.min(axis=1), table.max(axis=1)

    def of(self, scores: Vector) -> tuple[float, float]:
        wrong = float(np.where(scores > 0, self._at_positive, self._at_negative).sum())
        return wrong, sqrt(wrong)

    def bounds(self, ends: Vector) -> tuple[float, float]:
        signs = self._signs(ends)
        return self._sum(signs, self._least), self._sum(signs, self._most)

    def _sum(self, signs: NDArray[np.int64], open_ones: NDArray[np.int64]) -> float:
        settled = np.where(signs > 0, self._at_positive, self._at_negative)
        return float(np.where(signs == 0, open_ones, settled).sum())

    def _signs(self, ends: Vector) -> NDArray[np.int64]:
        """1 and -1 where the label is settled, else 0."""
        return np.where(ends[:, 1] <= 0, -1, (ends[:, 0] > 0).astype(np.int64))

    def open_rows(self, ends: Vector) -> NDArray[np.int64]:
        rows = np.flatnonzero((self._signs(ends) == 0) & (self._least < self._most))
        low, high = ends[rows].T
        missing = np.minimum(-low, high) / (high - low)  # the share that the interval would have to lose
        return rows[np.argsort(np.nan_to_num(missing, nan=1.0), kind="stable")]


@dataclass(frozen=True, eq=False)
class Losses:
    """``targets`` t, ``signs`` z and ``slopes`` (a, b)."""

    X: Storage
    targets: Vector
    signs: Vector
    slopes: tuple[float, float]
    is_counted: ClassVar[bool] = False

    @property
    def size(self) -> int:
        return len(self.targets)

    def of(self, scores: Vector) -> tuple[float, float]:
        residuals, (above, below) = self.targets - self.signs * scores, self.slopes
        losses = above * np.maximum(residuals, 0.0) + below * np.maximum(-residuals, 0.0)
        return float(losses.sum()), norm(losses)

    def bounds(self, ends: Vector) -> tuple[float, float]:
        least, most = self._losses(ends)
        room, lost = gamma(self.size + 8), 4 * TINY * self.size
        fewest = min(float(least.sum()), LARGEST)
        return max(fewest * (1 - room) - lost, 0.0), float(most.sum()) * (1 + room) + lost

    def _losses(self, ends: Vector) -> tuple[Vector, Vector]:
        """The least and the greatest loss of every row, up to the rounding of the products."""
        flipped = np.where(self.signs[:, None] > 0, ends, -ends[:, ::-1])
        low = np.nextafter(self.targets - flipped[:, 1], -np.inf)
        high = np.nextafter(self.targets - flipped[:, 0], np.inf)
        above, below = self.slopes
        least = _times(above, low) + _times(below, -high)
        return least, np.maximum(_times(above, high), _times(below, -low))

    def open_rows(self, ends: Vector) -> NDArray[np.int64]:
        least, most = self._losses(ends)
        rows = np.flatnonzero(most > least)
        return rows[np.argsort(least[rows] - most[rows], kind="stable")]


def absolute(X: Storage, y: Vector) -> Losses:
    """|y - s|."""
    return Losses(X, y, np.ones(len(y)), (1.0, 1.0))


def pinball(X: Storage, y: Vector, q: float) -> Losses:
    """q (y - s) above the score, (1 - q) (s - y) below it."""
    return Losses(X, y, np.ones(len(y)), (q, 1 - q))


def hinge(X: Storage, code: NDArray[np.int64]) -> Losses:
    """[1 - z s]_+ with z = 1 for the second label, and -1 for the first."""
    return Losses(X, np.ones(len(code)), np.where(code > 0, 1.0, -1.0), (1.0, 0.0))


def _times(slope: float, residuals: Vector) -> Vector:
    """slope max(r, 0), where residuals may be infinite."""
    return slope * np.maximum(residuals, 0.0) if slope else np.zeros(len(residuals))
