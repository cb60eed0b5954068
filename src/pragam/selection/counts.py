r"""Wrong predictions on samples left out: of the computed model, and of every exact one.

A certificate says between which numbers the scores of every optimum lie (:meth:`pragam.models.LinearModel.bounds`). So
a prediction of the optimum is proven right, proven wrong, or open. Equal rows share their prediction: of a group of
open ones with m_k rows of label k, m in all, between m - max_k m_k and m - min_k m_k are wrong. A row of zeros has
score 0 exactly where the model has no bias.

A score of 0 at the optimum itself is settled by no tolerance: the count stays an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.models import LinearModel, places
from pragam.models.base import Solves
from pragam.operators.storage import Storage
from pragam.selection.groups import groups_of, table_of


class Counts(NamedTuple):
    """How many predictions are wrong: those of the computed model; at least and at most, those of every exact one."""

    wrong: int
    fewest: int
    most: int

    @property
    def is_settled(self) -> bool:
        """Whether all exact models have one count."""
        return self.fewest == self.most


def counts_of(model: Any, solves: Solves, held: Any) -> Counts | None:
    """Those on ``held``; None where predictions are no labels of rows in memory."""
    if not isinstance(model, LinearModel) or not model.risk.has_labels or np.ndim(held.y) != 1 or held.in_blocks:
        return None
    risk, labels, cut = model.risk, model.labels, model.calibration
    shapes = risk.shape(labels)
    own = places.tensors_of(shapes, solves, is_thorough=True)
    X, ends = model.features.of(held).X, replace(model, tensors={**model.tensors, **own}).bounds(held)
    if not any(shape.biases for shape in shapes):
        ends[X.row_sizes == 0] = 0.0
    low, high = ends[..., 0], ends[..., 1]
    code, numbers = risk.target.encode(held.y, labels), np.arange(len(labels))
    is_point = (low == high).all(axis=1)
    wrong = np.where(is_point, risk.rule.predict(low, numbers, **cut) != code, False)
    wrong |= risk.rule.refuted(code, low, high, labels, **cut)
    is_open = ~(wrong | is_point | risk.rule.proven(low, high, labels, **cut))
    least, most = _open_errors(X, code, np.flatnonzero(is_open), len(labels))
    computed = int(np.sum(model.predictions(held) != labels[code]))
    return Counts(computed, int(wrong.sum()) + least, int(wrong.sum()) + most)


def total_counts(folds: Sequence[Sequence[Counts | None]]) -> list[Counts] | None:
    """At each lam the sums over the folds; None where some were not counted."""
    points = list(zip(*folds, strict=True))
    if any(each is None for point in points for each in point):
        return None
    return [Counts(*(sum(numbers) for numbers in zip(*point, strict=True))) for point in points]


def _open_errors(X: Storage, code: NDArray[np.int64], rows: NDArray[np.int64], K: int) -> tuple[int, int]:
    """(least, most) errors of these rows, of which any label may be predicted, but of equal rows the same one."""
    tables = table_of(groups_of(X, rows), code[rows], K)
    sizes = tables.sum(axis=1)
    return int((sizes - tables.max(axis=1)).sum()), int((sizes - tables.min(axis=1)).sum())
