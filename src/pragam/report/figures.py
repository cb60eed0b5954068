"""Printed figures of an experiment: SVG and PNG, with Matplotlib (extra ``plot``).

For each data set ``DATA-FAMILY-AXIS``, and ``all-FAMILY-AXIS`` with a panel for each data set. See
:mod:`pragam.report.families` for what they show.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pragam.compare import DataFacts, Experiment
from pragam.files.atomic import replacing
from pragam.report.extras import need
from pragam.report.families import FAMILIES, Axis, Family, curves, endings, notes
from pragam.report.panels import draw, handle
from pragam.report.styles import Style, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Sizes in inches.
_PANEL = (4.6, 3.1)
_SMALL = (3.1, 2.1)
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.75, 0.15, 0.62, 0.62
_LINE_HEIGHT = 0.165
_LEGEND_SIZE = 8.5  # in points
_DPI = 160


def write_figures(experiment: Experiment, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every figure of the experiment into the folder.

    Parameters
    ----------
    experiment : Experiment
        What was measured.
    folder : path
        Made if it is not there.

    Returns
    -------
    list of Path
        The files: an SVG and a PNG for each figure.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = slugs(experiment.data)
    written = []
    for family, axis in ((each, axis) for each in FAMILIES for axis in each.drawn):
        for data in experiment.data:
            written += save(figure(experiment, data, family, axis), folder / f"{names[data]}-{family.key}-{axis}")
        if experiment.data:
            written += save(small_multiples(experiment, family, axis), folder / f"all-{family.key}-{axis}")
    return written


def figure(experiment: Experiment, data: str, family: Family, axis: Axis) -> Figure:
    """One family of curves on one data set, with a legend beside it and what a reader must know below."""
    look, facts = styles(experiment), experiment.data[data]
    shown = curves(experiment, data, family)
    below = _wrapped(notes(experiment, data, family) + endings(experiment, data), 100)
    width = _LEFT + _PANEL[0] + _RIGHT + legend_width(look)
    sheet = blank(width, _TOP + _PANEL[1] + _BOTTOM + _LINE_HEIGHT * len(below))
    axes = place(sheet, _LEFT, _TOP, *_PANEL)
    draw(axes, shown, family, axis, look)
    put(sheet, 0.12, 0.22, f"{_short(facts.title, 56)}: {family.title.lower()}", size=11, weight="bold")
    put(sheet, 0.12, 0.43, facts.caption, size=8.5, color="#444444")
    _put_lines(sheet, below, _TOP + _PANEL[1] + _BOTTOM)
    legend(sheet, [curve.solver for curve in shown], look, _LEFT + _PANEL[0] + _RIGHT, _TOP)
    return sheet


def small_multiples(experiment: Experiment, family: Family, axis: Axis) -> Figure:
    """One family of curves, a panel for each data set that has some, and below what is missing in which."""
    look = styles(experiment)
    found = {data: curves(experiment, data, family) for data in experiment.data}
    panels = {data: shown for data, shown in found.items() if shown} or found
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    step = (_SMALL[0] + _LEFT + _RIGHT, _SMALL[1] + _TOP + _BOTTOM)
    said = {data: notes(experiment, data, family) + endings(experiment, data) for data in experiment.data}
    below = _wrapped(_said_once(said), 70 * columns + 30)
    sheet = blank(columns * step[0] + legend_width(look), rows * step[1] + 0.5 + _LINE_HEIGHT * len(below))
    put(sheet, 0.12, 0.22, family.title, size=12, weight="bold")
    for number, (data, shown) in enumerate(panels.items()):
        row, column = divmod(number, columns)
        left, top = column * step[0] + _LEFT, row * step[1] + _TOP + 0.35
        draw(place(sheet, left, top, *_SMALL), shown, family, axis, look)
        _entitle(sheet, experiment.data[data], left - 0.45, top)
    _put_lines(sheet, below, rows * step[1] + 0.4)
    drawn = dict.fromkeys(curve.solver for shown in panels.values() for curve in shown)
    legend(sheet, list(drawn), look, columns * step[0], 0.35 + _TOP)
    return sheet


def _said_once(said: dict[str, list[str]]) -> list[str]:
    """Each sentence behind the names of the sets that it is about; without names if these are all."""
    about: dict[str, list[str]] = {}
    for data, sentences in said.items():
        for sentence in sentences:
            about.setdefault(sentence, []).append(data)
    return [text if len(names) == len(said) else f"{', '.join(names)}: {text}" for text, names in about.items()]


def _entitle(sheet: Figure, facts: DataFacts, left: float, top: float) -> None:
    """Title and caption above a small panel."""
    put(sheet, left, top - 0.28, _short(facts.title, 54), size=9, weight="bold")
    put(sheet, left, top - 0.11, facts.caption, size=6.8, color="#444444")


def _put_lines(sheet: Figure, lines: list[str], top: float) -> None:
    for number, line in enumerate(lines):
        put(sheet, 0.12, top + _LINE_HEIGHT * number, line, size=7.5, color="#444444")


def save(sheet: Figure, stem: Path) -> list[Path]:
    """Write the figure beside ``stem`` as SVG and PNG; equal figures give equal bytes."""
    matplotlib = need("matplotlib")
    paths = [stem.with_name(stem.name + ending) for ending in (".svg", ".png")]
    with matplotlib.rc_context({"svg.hashsalt": "pragam"}):
        for path in paths:
            kind = path.suffix[1:]
            with replacing(path) as stream:
                sheet.savefig(stream, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)
    return paths


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Names that are safe in files and anchors, each once."""
    chosen: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-").lower()[:60] or "data"
        taken = set(chosen.values())
        chosen[name] = next(slug for slug in (stem, *(f"{stem}-{k}" for k in range(2, 10_000))) if slug not in taken)
    return chosen


def blank(width: float, height: float) -> Figure:
    """An empty white sheet, drawn without any state of pyplot."""
    return need("matplotlib.figure").Figure(figsize=(width, height), facecolor="white")


def place(sheet: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place in inches from the upper left corner."""
    wide, high = sheet.get_size_inches()
    return sheet.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high))


def put(sheet: Figure, left: float, top: float, text: str, **how: Any) -> None:
    """A line of plain text at a place in inches from the upper left corner; dollars are no mathematics."""
    wide, high = sheet.get_size_inches()
    sheet.text(left / wide, 1 - top / high, text, va="center", parse_math=False, **how)


def legend(sheet: Figure, names: list[str], look: dict[str, Style], left: float, top: float) -> None:
    """A column of samples and names beside the panels."""
    if not names:
        return
    wide, high = sheet.get_size_inches()
    labels = [_label(name, look[name]) for name in names]
    box = sheet.legend(
        [handle(look[name]) for name in names], labels, loc="upper left", frameon=False, fontsize=_LEGEND_SIZE,
        bbox_to_anchor=(left / wide, 1 - (top - 0.08) / high), handlelength=3.4, labelspacing=0.55, borderaxespad=0.0,
    )  # fmt: skip
    for text in box.get_texts():
        text.set_parse_math(False)


def legend_width(look: dict[str, Style]) -> float:
    """Inches for the samples and the widest of the names."""
    path = need("matplotlib.textpath").TextPath
    labels = [_label(name, style).replace("$", "S") for name, style in look.items()]  # a path takes $ for mathematics
    return 0.75 + max((path((0, 0), label, size=_LEGEND_SIZE).get_extents().x1 / 72 for label in labels), default=0.0)


def _label(name: str, style: Style) -> str:
    return _short(name, 22) + (" (peer)" if style.is_hollow else "")


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _wrapped(sentences: Iterable[str], width: int) -> list[str]:
    return [line for sentence in sentences for line in textwrap.wrap(textwrap.shorten(sentence, 3 * width), width)]
