"""Small pieces of HTML. Whatever comes from an experiment passes through :func:`text`."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from pragam.report.parts import Table
from pragam.report.styles import Style

#: The markers as paths in a square of side 2 around 0, as Vega takes them.
SHAPES = {
    "o": "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z", "s": "M-.9,-.9H.9V.9H-.9Z", "D": "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "d": "M0,-1.3L.8,0L0,1.3L-.8,0Z", "^": "M0,-1.1L1.1,.9H-1.1Z", "v": "M0,1.1L1.1,-.9H-1.1Z",
    "<": "M-1.1,0L.9,-1.1V1.1Z", ">": "M1.1,0L-.9,-1.1V1.1Z",
    "P": "M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "X": "M-1.1,-.6L-.6,-1.1L0,-.5L.6,-1.1L1.1,-.6L.5,0L1.1,.6L.6,1.1L0,.5L-.6,1.1L-1.1,.6L-.5,0Z",
    "*": "M0,-1.4L.35,-.45L1.35,-.42L.55,.2L.82,1.15L0,.6L-.82,1.15L-.55,.2L-1.35,-.42L-.35,-.45Z",
    "p": "M0,-1.1L1.05,-.35L.65,.9H-.65L-1.05,-.35Z", "h": "M0,-1.15L1,-.57V.57L0,1.15L-1,.57V-.57Z",
    "H": "M-.57,-1H.57L1.15,0L.57,1H-.57L-1.15,0Z", "8": "M-.42,-1H.42L1,-.42V.42L.42,1H-.42L-1,.42V-.42Z",
}  # fmt: skip


def text(value: object) -> str:
    """Escaped for text and for attributes in double quotes."""
    return html.escape(str(value), quote=True)


def table(data: Table) -> str:
    """A table in a scroller of its own that can be reached with the keyboard."""
    head = "".join(f'<th scope="col"{_kind(data, k)}>{text(name)}</th>' for k, name in enumerate(data.header))
    body = "".join(f"<tr>{_row(data, row)}</tr>" for row in data.rows)
    kind = ' class="prose"' if data.prose else ""
    if not data.rows:
        body = f'<tr><td colspan="{len(data.header)}">none</td></tr>'
    return (
        f'<div class="scroller" role="region" tabindex="0" aria-label="{text(data.caption)}"><table{kind}>'
        f"<caption>{text(data.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(data: Table, row: Iterable[str]) -> str:
    first, *others = (f"{_kind(data, k, cell)}>{text(cell)}" for k, cell in enumerate(row))
    return f'<th scope="row"{first}</th>' + "".join(f"<td{cell}</td>" for cell in others)


def _kind(data: Table, column: int, cell: str = "") -> str:
    """The class of a cell: a number, or the answer that it gives."""
    if column == data.answer and cell:
        return f' class="{text(cell)}"'
    return ' class="number"' if column in data.numbers else ""


def sample(number: int, style: Style) -> str:
    """A solver's line and marker, in its colour, for its button."""
    dash = f' stroke-dasharray="{" ".join(map(str, style.dash))}"' if style.dash else ""
    return (
        f'<svg class="sample c{number}" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">'
        f'<path class="stroke" d="M0,6H30"{dash}/>'
        f'<path class="{"hollow" if style.is_hollow else "full"}" transform="translate(15,6) scale(3.6)" '
        f'd="{SHAPES[style.marker]}"/></svg>'
    )


def items(lines: Iterable[str]) -> str:
    """A list, or nothing if it is empty."""
    inner = "".join(f"<li>{text(line)}</li>" for line in lines)
    return f'<ul class="notes">{inner}</ul>' if inner else ""


def as_json(value: Any) -> str:
    """JSON that may stand in a script element, whatever the strings in it say."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
