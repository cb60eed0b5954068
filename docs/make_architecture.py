"""Draws figures/way-of-{fit,train,audit}.svg: which rooms a call goes through, from a trace of the call itself.

An arrow from a room to another says that a function of the first has called one of the second. Rooms stand in the order
of imports, the lowest at the bottom, so every arrow points down; one that points up is a callback, and is dashed. Of
two ways down from a room to another only the longer one is drawn.

    python docs/make_architecture.py
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pragam

ROOT = Path(pragam.__file__).parent
FIGURES = Path(__file__).resolve().parent / "figures"
#: The rooms from the highest to the lowest, a line for each height; those of one line do not call each other. All call
#: numerics and runtime, which are left out.
FLOORS = (
    ("cli",),
    ("estimators", "auditing"),
    ("selection",),
    ("models",),
    ("files", "driver"),
    ("certificate", "solvers"),
    ("samples", "views"),
    ("risks", "structured"),
    ("problem",),
    ("conjugates",),
    ("polytopes", "operators"),
)


def traced(call: Callable[[], Any]) -> tuple[Counter[tuple[str, str]], int]:
    """(how often a room has called another, how many of our files were at work)."""
    arrows: Counter[tuple[str, str]] = Counter()
    files: set[str] = set()

    def room(frame: Any) -> str | None:
        name = frame.f_code.co_filename
        if not name.startswith(str(ROOT)):
            return None
        files.add(name)
        return Path(name).relative_to(ROOT).parts[0].removesuffix(".py")

    def listen(frame: Any, event: str, argument: Any) -> None:
        if event != "call" or (called := room(frame)) is None:
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(str(ROOT)):
            caller = caller.f_back
        if caller is not None and frame.f_code.co_name != "<module>" and (by := room(caller)) != called:
            arrows[(str(by), called)] += 1

    sys.setprofile(listen)
    try:
        call()
    finally:
        sys.setprofile(None)
    return arrows, len(files)


def longest(arrows: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows that point down, without those that a longer way stands for; and those that point up."""
    height = {name: k for k, floor in enumerate(FLOORS) for name in floor}
    known = {(first, second) for first, second in arrows if first in height and second in height}
    down = {(first, second) for first, second in known if height[first] < height[second]}
    ways = set(down)
    for middle in sorted(height, key=height.__getitem__):
        ways |= {(first, second) for first, to in ways if to == middle for by, second in ways if by == middle}
    return known - {(a, c) for a, c in down if any((a, b) in ways and (b, c) in ways for b in height)}


def draw(title: str, arrows: Counter[tuple[str, str]], path: Path) -> None:
    """Boxes on their floors, and arrows between them."""
    from matplotlib.figure import Figure

    known = {name for pair in arrows for name in pair}
    floors = [[name for name in floor if name in known] for floor in FLOORS]
    floors = [floor for floor in floors if floor]
    place = {name: (3.2 * (k - (len(floor) - 1) / 2), -height)
             for height, floor in enumerate(floors) for k, name in enumerate(floor)}  # fmt: skip
    figure = Figure(figsize=(6.4, 0.62 * len(floors) + 0.7))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(-3.6, 3.6)
    ax.set_ylim(-len(floors) + 0.3, 0.95)
    ax.text(-3.4, 0.72, title, fontsize=10, family="monospace", color="#222222")
    for first, second in sorted(longest(set(arrows))):
        (x0, y0), (x1, y1) = place[first], place[second]
        up = y1 > y0
        ax.annotate(
            "", (x1, y1 + (-0.24 if up else 0.24)), (x0, y0 + (0.24 if up else -0.24)),
            arrowprops={"arrowstyle": "-|>", "color": "#b0b7c3", "lw": 1.0, "linestyle": "--" if up else "-",
                        "connectionstyle": f"arc3,rad={0.18 if abs(y1 - y0) > 1 else 0}", "shrinkA": 0, "shrinkB": 0},
            zorder=1,
        )  # fmt: skip
    for name, (x, y) in place.items():
        box = {"boxstyle": "round,pad=0.38", "facecolor": "#e8eef9", "edgecolor": "#4a6fb5", "lw": 0.9}
        ax.text(x, y, name, ha="center", va="center", fontsize=9.5, zorder=2, bbox=box)
    figure.savefig(path, metadata={"Date": None})


def ways() -> dict[str, tuple[str, Callable[[], Any]]]:
    """The calls, by the name of their figure."""
    from pragam.cli import main

    X, y = pragam.datasets.load_example()
    model = pragam.LinearSVC().fit(X, y)
    folder = tempfile.mkdtemp()

    def train() -> None:
        with redirect_stdout(io.StringIO()):
            main(["train", "--quiet", "-o", f"{folder}/model"])

    return {
        "fit": ("LinearSVC().fit(X, y)", lambda: pragam.LinearSVC().fit(X, y)),
        "train": ("pragam train -o MODEL", train),
        "audit": ("pragam.audit(model, X, y)", lambda: pragam.audit(model, X, y)),
    }


if __name__ == "__main__":
    for name, (title, call) in ways().items():
        call()  # once before, so that nothing is loaded while it is traced
        arrows, n_files = traced(call)
        draw(f"{title}: {n_files} files", arrows, FIGURES / f"way-of-{name}.svg")
        print(f"{name}: {n_files} files, {sum(arrows.values())} calls between rooms")
