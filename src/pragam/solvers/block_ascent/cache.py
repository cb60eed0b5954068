"""The labellings of one example that have been met, with their weights, features and Gram matrix.

The features are kept as rows over the union of their supports, so that scores are one small product, and so is the
change of w. Only the weights of a cache are changed, by a kernel that no interrupt divides. For other labellings there
is another cache. So an interrupt finds all caches whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pragam import _kernels
from pragam.operators.base import Vector
from pragam.solvers.block_ascent.examples import Column, Indices

#: A labelling is forgotten after this many oracle visits in a row that left it without weight.
_IDLE = 10
#: Pairwise steps end when the steepest of them has this share of the slope of the first.
_SLOPE = 0.1
#: At most this many pairwise steps for each labelling in a visit.
_STEPS = 4


@dataclass(frozen=True)
class Cache:
    """The cached labellings of an example that has the share ``total`` of the risk."""

    total: float
    labellings: list[Any]
    losses: Vector
    support: Indices  # the weights that the features touch
    rows: Vector  # psi of each labelling, on the support
    gram: Vector
    weights: Vector  # >= 0, of sum 1
    idle: Indices  # oracle visits since a labelling had weight

    @classmethod
    def of(cls, columns: list[Column], weights: Vector, total: float) -> Cache:
        support = np.unique(np.concatenate([column.indices for column in columns]))
        rows = np.stack([_row(column, support) for column in columns])
        losses = np.array([column.loss for column in columns])
        idle = np.zeros(len(columns), dtype=np.int64)
        labellings, weights = [column.labelling for column in columns], np.array(weights)
        return cls(total, labellings, losses, support, rows, rows @ rows.T, weights, idle)

    @property
    def loss(self) -> float:
        """That of the combination."""
        return float(self.weights @ self.losses)

    def add_features(self, out: Vector) -> None:
        """Add total times psi of the combination."""
        out[self.support] += self.total * (self.weights @ self.rows)

    def with_column(self, column: Column) -> Cache:
        """With one more labelling, without weight, unless it is there."""
        is_known = np.array_equal(self.support, column.indices)
        wide = self if is_known else self._on(np.union1d(self.support, column.indices))
        row = column.values if is_known else _row(column, wide.support)
        if ((wide.losses == column.loss) & (wide.rows == row).all(axis=1)).any():
            return self
        J = len(wide.losses)
        gram = np.empty((J + 1, J + 1))
        gram[:J, :J] = wide.gram
        gram[J, :J] = gram[:J, J] = wide.rows @ row
        gram[J, J] = row @ row
        return replace(
            wide,
            labellings=[*wide.labellings, column.labelling],
            losses=np.append(wide.losses, column.loss),
            rows=np.vstack([wide.rows, row]),
            gram=gram,
            weights=np.append(wide.weights, 0.0),
            idle=np.append(wide.idle, 0),
        )

    def ascend(self, w: Vector, lam: float) -> float:
        """Pairwise steps, which change the weights and w. The gap of the block before them, among what is cached."""
        return float(_kernels.get("cached_steps")(
            self.support, self.rows.reshape(-1), self.losses, self.gram.reshape(-1), self.total, lam, _SLOPE,
            _STEPS * len(self.losses), self.weights, w,
        ))  # fmt: skip

    def without_idle(self) -> Cache:
        """Without the labellings that have had no weight for long."""
        idle = np.where(self.weights > 0, 0, self.idle + 1)
        keep = np.flatnonzero(idle < _IDLE)
        if len(keep) == len(idle):
            return replace(self, idle=idle)
        return replace(
            self,
            labellings=[self.labellings[j] for j in keep],
            losses=self.losses[keep],
            rows=self.rows[keep],
            gram=self.gram[np.ix_(keep, keep)],
            weights=self.weights[keep],
            idle=idle[keep],
        )

    def _on(self, support: Indices) -> Cache:
        """On a larger support."""
        if len(support) == len(self.support):
            return self
        rows = np.zeros((len(self.losses), len(support)))
        rows[:, np.searchsorted(support, self.support)] = self.rows
        return replace(self, support=support, rows=rows)


def _row(column: Column, support: Indices) -> Vector:
    row = np.zeros(len(support))
    row[np.searchsorted(support, column.indices)] = column.values
    return row
