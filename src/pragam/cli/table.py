"""Tables on standard output or standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TextIO


def show(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], stream: TextIO | None = None) -> None:
    """Print a table, by default on standard output. With an empty ``header`` it is a list of names and values.

    The first column, which names the row, is never broken. The others fold if the terminal is narrow.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    style = box.SIMPLE_HEAD if header else None
    table = Table(*header, title=Text(title), title_justify="left", show_header=bool(header), box=style)
    for name, *cells in rows:
        table.add_row(Text(name, no_wrap=True), *(Text(cell, overflow="fold") for cell in cells))
    console = Console()
    with console.capture() as text:  # rich handles a broken pipe itself; we do so in main
        console.print(table)
    (stream or sys.stdout).writelines(line.rstrip() + "\n" for line in text.get().splitlines())
