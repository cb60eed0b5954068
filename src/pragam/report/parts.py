"""What the page shows, as data: tables, pictures, and the sections that a caller brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """Cells as text, where a line break starts a new line. The first column names the row.

    ``numbers`` are aligned right, ``answer`` is the column of verdicts. ``prose`` has sentences, which may be broken.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    answer: int | None = None
    prose: bool = False


class Picture(NamedTuple):
    """A figure of Matplotlib's and what it shows, in a sentence."""

    caption: str
    figure: Figure


@dataclass(frozen=True)
class Section:
    """A part of the page: pictures, then tables, under a title. ``anchor`` is its address on the page."""

    anchor: str
    title: str
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
