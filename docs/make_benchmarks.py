"""Draws figures/benchmarks.svg from the tables of benchmarks.md: how many times as long others take.

python docs/make_benchmarks.py
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
COLOURS = {"1e-2": "#56B4E9", "1e-3": "#0072B2", "1e-6": "#D55E00", "1e-9": "#666666"}
MARKS = dict(zip(COLOURS, "osD^", strict=True))
#: What the table says of a gap, in the figure's words.
GAPS = {"0.01": "1e-2", "0.001": "1e-3", "1e-06": "1e-6", "1e-09": "1e-9"}
#: Problem -> gap -> (how many times as long the other takes, whether it is only a lower bound).
Ratios = dict[str, dict[str, tuple[float, bool]]]
rcParams["svg.hashsalt"] = "pragam"


#: A row of the table of the hinge: set, gap, ratio of scikit-learn.
_HINGE = re.compile(r"^\| ([\w.-]+) \(\d+ x \d+, lam [^|]*\| (\S+) \| \S+ \| [\d.]+ \| (\S+) \| \S+ \|$", re.M)


def hinge(page: str) -> Ratios:
    """Set -> gap -> (ratio of LIBLINEAR, whether it is only a lower bound)."""
    found: Ratios = {}
    section = page[page.index("## scikit-learn and rehline") :].partition("\n## ")[0]
    for name, gap, ratio in _HINGE.findall(section):
        if ratio != "never":
            found.setdefault(name, {})[GAPS[gap]] = (float(ratio), False)
    return found


def risks(page: str) -> Ratios:
    """The same for the first two tables of the section on every risk: rows with ratios at 1e-2, 1e-3 and 1e-6."""
    section = page[page.index("## Every risk") :].partition("\n**Biases")[0]
    found: Ratios = {}
    before = ""
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        numbers = [re.fullmatch(r"(> )?([\d.e+]+)(?: \(.*\))?", cell) for cell in cells[-3:]]
        if len(cells) < 5 or not all(numbers):
            continue
        name = before + cells[0][len("the same") :] if cells[0].startswith("the same") else cells[0]
        before = re.split(r"[,:]", name)[0]
        marks = zip(list(COLOURS)[:3], numbers, strict=True)
        short = re.sub(r" \(\d[^)]*\)|: abalone.*|, the same sets", "", name)
        found[short] = {gap: (float(each[2]), each[1] is not None) for gap, each in marks if each}
    return found


def draw(axes: Axes, found: Ratios, title: str) -> None:
    for k, ratios in enumerate(found.values()):
        for j, (gap, (ratio, is_least)) in enumerate(ratios.items()):
            place = k + 0.16 * (j - 1.5)
            axes.plot(
                ratio, place, MARKS[gap], color=COLOURS[gap], markersize=5, fillstyle="none" if is_least else "full"
            )
            if is_least:
                axes.annotate(
                    "", (1.35 * ratio, place), (ratio, place), arrowprops={"arrowstyle": "->", "color": COLOURS[gap]}
                )
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(np.arange(len(found)), list(found))
    axes.invert_yaxis()
    axes.set(title=title, xlabel="time of the other / ours")
    axes.grid(axis="x", alpha=0.3)


def main() -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    figure = Figure(figsize=(11, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw(left, hinge(page), "hinge, no intercept: LIBLINEAR")
    draw(right, risks(page), "every risk: its best peer")
    for gap, colour in COLOURS.items():
        left.plot([], [], MARKS[gap], color=colour, label=f"to {gap}")
    left.legend(frameon=False, fontsize="small")
    figure.savefig(DOCS / "figures" / "benchmarks.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
