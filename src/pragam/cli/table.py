"""Tables on standard output or standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TextIO

#: Characters that a column after the first always has, if it needs them.
_LEAST = 10


def show(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], stream: TextIO | None = None) -> None:
    """Print a table, by default on standard output. With an empty ``header`` it is a list of names and values.

    The first column, which names the row, is never broken nor cut. The others fold if the terminal is narrow; if that
    is not enough, the table is wider than the terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    style = box.SIMPLE_HEAD if header else None
    table = Table(title=Text(title), title_justify="left", show_header=bool(header), box=style)
    for k, name in enumerate(header or [""]):
        table.add_column(name, no_wrap=k == 0)
    rows = list(rows)
    for cells in rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in cells))
    console = Console()
    console.width = max(console.width, _least_width(header, rows))
    with console.capture() as text:  # rich handles a broken pipe itself; we do so in main
        console.print(table)
    (stream or sys.stdout).writelines(line.rstrip() + "\n" for line in text.get().splitlines())


def _least_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Columns for whole names, and for the others as far as they need not fold."""
    columns = list(zip_longest(header, *rows, fillvalue=""))
    names, *others = ([len(cell) for cell in column] for column in columns) if columns else [[0]]
    return max(names) + sum(min(max(each), _LEAST) for each in others) + 3 * len(columns) + 2
