"""Fewer points for a screen, and the same picture.

M4 (Jugel, Jerzak, Hackenbroich and Markl 2014): of all points in a column of pixels, a line chart shows the first, the
last, the lowest and the highest. Only what is drawn is thinned; tables are computed from all points.
"""

from __future__ import annotations

import numpy as np

from pragam.compare.experiment import Floats
from pragam.report.families import Curve

#: Columns of a small chart; four points each.
COLUMNS = 75


def thinned(curve: Curve, columns: int = COLUMNS) -> Curve:
    """At most four points in each of so many columns, equal on the logarithmic axis of iterations."""
    if len(curve.value) <= 4 * columns:
        return curve
    return curve.take(np.flatnonzero(m4(np.log(np.maximum(curve.iterations, 1.0)), curve.value, columns)))


def m4(x: Floats, y: Floats, columns: int) -> np.ndarray:
    """A mask of the first, last, lowest and highest point of each column; x does not fall."""
    width = (x[-1] - x[0]) / columns or 1.0
    column = np.minimum((x - x[0]) // width, columns - 1)
    keep = np.zeros(len(x), dtype=bool)
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    for start, end in zip(starts, [*starts[1:], len(x)], strict=True):
        inside = y[start:end]
        keep[[start, end - 1, start + inside.argmin(), start + inside.argmax()]] = True
    return keep


def marked(values: Floats, count: int = 6) -> np.ndarray:
    """The numbers of some points for markers, evenly spread on a logarithmic axis, the last among them."""
    usable = np.flatnonzero(values > 0)
    if not len(usable):
        return usable
    x = np.log(values[usable])
    targets = np.linspace(x[0], x[-1], count)
    return usable[np.unique(np.minimum(np.searchsorted(x, targets), len(x) - 1))]
