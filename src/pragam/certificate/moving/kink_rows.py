r"""The rows of X whose dual variables are strictly inside their boxes somewhere between two pairs, as dense arrays.

They are gathered once for all cells between the pairs: those with the most room in the middle and at both ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.combined import ENTRIES, Array, dense
from pragam.certificate.moving.segment import Segment
from pragam.numerics.rounding import TINY, gamma
from pragam.operators.storage import WALKING, Storage

#: Fewer kinks than this share of the directions of w are not worth their time.
_FEWEST = 0.25


class KinkRows:
    """``rows`` of A as ``a`` (kinks, d), each within ``error`` of the exact one in norm and of at most ``length``."""

    def __init__(self, segment: Segment, held: Storage, entries: int = ENTRIES) -> None:
        A, d = segment.first.problem.A, segment.first.problem.n_weights
        self.rows: NDArray[np.int64] = np.empty(0, np.int64)
        most = entries // (d + 2)
        if most < _FEWEST * d or WALKING & (A.lacks | A.storage.lacks | held.lacks):
            return
        rows = _most_room(segment, most)
        if len(rows) < _FEWEST * d:
            return
        data = A.storage.take(rows if A.number is None else A.number[rows])
        scale = A.scale[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            self.a: Array = scale[:, None] * dense(data)
            sizes = np.abs(scale) * data.row_sizes * (1 + gamma(4)) + TINY
            self.error = gamma(np.asarray(data.counts, dtype=np.float64) + 4) * sizes + 4 * TINY * d**0.5 * (
                1 + np.abs(scale)
            )
            self.length = sizes + self.error
        if np.isfinite(self.a).all() and np.isfinite(self.length).all():
            self.rows = rows


def _most_room(segment: Segment, most: int) -> NDArray[np.int64]:
    """The dual variables that are inside their boxes in the middle, those that stay there first."""
    (down, up), (below, above) = segment.first.sides(), segment.last.sides()
    room = np.minimum(down + below, up + above) + np.minimum.reduce([down, up, below, above])
    some = np.flatnonzero((room > 0) & np.isfinite(room))
    return np.sort(some[np.argsort(-room[some], kind="stable")[:most]])
