"""Tables of weights as colours: pairs of neighbouring labels, and coefficients of many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: With more rows or columns than this, they have no names.
_MOST_NAMES = 40
#: With more, the numbers are not written in their cells, and names are small.
_MOST_NUMBERS = 8


def heat_map(ax: Axes, rows: list[str], columns: list[str], table: NDArray[np.float64]) -> None:
    """Draw numbers as colours, white for 0; NaN is grey."""
    most = float(np.nanmax(np.abs(table), initial=0.0)) or 1.0
    aspect: Any = "equal" if len(rows) == len(columns) else "auto"
    ax.set_facecolor("#c8c8c8")  # what is not drawn shows it
    image = ax.imshow(table, cmap="RdBu_r", vmin=-most, vmax=most, aspect=aspect)
    ax.figure.colorbar(image, ax=ax, label="weight")
    if len(rows) > _MOST_NAMES or len(columns) > _MOST_NAMES:
        ax.set_xticks([])
        ax.set_yticks([])
        return
    size = 10 if max(len(rows), len(columns)) <= _MOST_NUMBERS else 7
    ax.set_xticks(range(len(columns)), columns, rotation=90 if max(map(len, columns)) > 3 else 0, fontsize=size)
    ax.set_yticks(range(len(rows)), rows, fontsize=size)
    if size < 10:
        return
    for (i, j), weight in np.ndenumerate(table):
        if not np.isnan(weight):
            colour = "white" if abs(weight) > 0.6 * most else "black"
            ax.text(j, i, f"{weight:.2g}", ha="center", va="center", color=colour, fontsize=8)


def pairs(model: Any) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Names of rows and columns, and a weight for each pair: NaN where it cannot be or is forbidden."""
    if not (hasattr(model, "transitions_") or hasattr(model, "pairwise_")):
        raise ValueError(f"transitions are those of sequences and graphs, and {type(model).__name__} has none")
    labels = [str(label) for label in model.classes_]
    if hasattr(model, "pairwise_"):
        return labels, labels, model.pairwise_[0]
    none = np.zeros(len(labels))
    parts = model.transitions_, getattr(model, "start_", none), getattr(model, "end_", none)
    rules = model.model_.risk.rules(model.model_.labels)
    forbidden = parts if rules is None else rules.forbid(*parts)
    between, start, end = (np.where(np.isneginf(part), np.nan, part) for part in forbidden)
    if not hasattr(model, "start_"):
        return labels, labels, between
    table = np.full((len(labels) + 1, len(labels) + 1), np.nan)
    table[0, :-1], table[1:, :-1], table[1:, -1] = start, between, end
    return ["(start)", *labels], [*labels, "(end)"], table
