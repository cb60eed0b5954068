"""Draws a comparison on sequences for the documentation: accuracy and certified gap against time.

Reads the folder of a finished ``pragam compare ocr-letters --solvers flow-ascent ... crfsuite`` and writes
figures/sequences-comparison.png beside this file. Prints the table of the same numbers.

    python docs/make_sequences_comparison.py FOLDER [--data ocr-letters]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pragam import compare
from pragam.compare import Experiment, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = Path(__file__).resolve().parent / "figures" / "sequences-comparison.png"
#: A colour and a line for each, told apart also without colours.
LOOKS = {
    "flow-ascent": ("#0072b2", "-"), "qp-bmrm": ("#009e73", "--"), "ls-bmrm": ("#56b4e9", "--"),
    "bcfw": ("#cc79a7", "-."), "pragam-entropy": ("#d55e00", ":"), "pragam": ("#e69f00", ":"),
    "crfsuite": ("#000000", "-"),
}  # fmt: skip


def look(run: Run) -> dict[str, object]:
    colour, line = LOOKS.get(run.solver, ("#888888", "-"))
    marker = "." if run.is_peer or len(run.iteration) < 6 else ""
    return {"color": colour, "linestyle": line, "label": run.solver, "marker": marker}


def accuracies(runs: list[Run], axes: Axes) -> None:
    """Of a peer each point is a fit of its own, from nothing."""
    for run in runs:
        axes.plot(run.clock, run.accuracy, **look(run))
    axes.set(xscale="log", xlabel="seconds", ylabel="share of right letters, test words")


def gaps(runs: list[Run], axes: Axes) -> None:
    for run in runs:
        if not run.is_peer:
            axes.plot(run.clock, run.gap, drawstyle="steps-post", **look(run))
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="certified relative gap")


def draw(experiment: Experiment, data: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    runs = [run for run in experiment.runs if run.data == data and run.has_points]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    accuracies(runs, left)
    gaps(runs, right)
    figure.legend(*left.get_legend_handles_labels(), frameon=False, ncols=len(runs), loc="outside lower center")
    for axes in (left, right):
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{data}: {experiment.data[data].caption}", fontsize=10)
    figure.savefig(path, dpi=130)


def row(run: Run) -> str:
    """Seconds to a certified gap of 1e-2, the last gap, the last accuracy and the seconds until then."""
    reached = np.flatnonzero(run.gap <= 1e-2)
    first = f"{run.clock[reached[0]]:.2g}" if len(reached) else ""
    last = f"{run.gap[-1]:.1e}" if np.isfinite(run.gap[-1]) else ""
    return f"| {run.solver} | {first} | {last} | {run.accuracy[-1]:.3f} | {run.clock[-1]:.2g} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", default="ocr-letters")
    asked = parser.parse_args()
    experiment = compare.load(asked.folder)
    draw(experiment, asked.data, FIGURE)
    print("| solver | seconds to a gap of 1e-2 | last gap | accuracy | seconds |\n|---|---|---|---|---|")
    print("\n".join(row(run) for run in experiment.runs if run.data == asked.data and run.has_points))


if __name__ == "__main__":
    main()
