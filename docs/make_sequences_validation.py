"""Draws the choice of lam for sequences, beside CRFsuite's c2: the score on sequences that were left out.

Reads what ``python benchmarks/sequence_validation.py --store FILE`` has kept and writes
figures/sequences-validation.png beside this file. Prints the table of the chosen values.

    python docs/make_sequences_validation.py FILE
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = Path(__file__).resolve().parent / "figures" / "sequences-validation.png"
#: A name, a colour, a line and a marker for each, told apart also without colours.
LOOKS = {
    "sum": ("pragam, summed loss", "#0072b2", "-", "o"), "mean": ("pragam, mean loss", "#009e73", "--", "s"),
    "crfsuite": ("CRFsuite", "#000000", ":", "^"),
}  # fmt: skip
#: What ChainSVC and CRFsuite take if nothing is said.
DEFAULTS = {"sum": 0.01, "mean": 0.01, "crfsuite": 1.0}
#: A title, and the name of the score.
TASKS = {"conll": ("CoNLL-2000 chunks", "F1 of chunks, %"), "ocr": ("OCR letters", "right letters, %")}


class Search(NamedTuple):
    """Values of lam or c2 from the smallest, and what came of them.

    ``factors`` are those of 1/2 |w|^2 beside the sum of all losses: lam n of ours, 2 c2 of CRFsuite. ``scores`` are on
    the sequences left out, ``test`` and ``default`` on the test set at the best value and at the default.
    """

    values: list[float]
    factors: list[float]
    scores: list[float]
    seconds: float
    best: float
    test: float
    last: float
    default: float


def search(fits: dict[str, dict[str, list[float]]], task: str, labeller: str) -> Search:
    tried = sorted((float(value), fit) for value, fit in fits[f"{task} {labeller} left out"].items())
    values, scores = [value for value, _ in tried], [fit[0] for _, fit in tried]
    best = max(zip(scores, values, strict=True))[1]
    final, default = (fits[f"{task} {labeller} test"][repr(value)] for value in (best, DEFAULTS[labeller]))
    factors = [2 * value if labeller == "crfsuite" else fit[2] * value for value, fit in tried]
    return Search(values, factors, scores, sum(fit[1] for _, fit in tried), best, final[0], final[1], default[0])


def draw(axes: Axes, searches: dict[str, Search], task: str) -> None:
    title, score = TASKS[task]
    for labeller, found in searches.items():
        name, colour, line, marker = LOOKS[labeller]
        axes.plot(found.factors, found.scores, color=colour, linestyle=line, marker=marker, markersize=4, label=name)
        best = found.factors[found.values.index(found.best)], max(found.scores)
        axes.plot(*best, marker=marker, markersize=9, markerfacecolor="none", markeredgecolor=colour)
    axes.set(xscale="log", xlabel=r"$\lambda n$ of pragam, $2\,c_2$ of CRFsuite", ylabel=f"{score}, left out")
    axes.set_title(title, fontsize=10)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def row(task: str, labeller: str, found: Search) -> str:
    name, value = LOOKS[labeller][0], f"{'c2' if labeller == 'crfsuite' else 'lam'} = {found.best:g}"
    cells = [TASKS[task][0], name, value, f"{max(found.scores):.2f}", f"{found.test:.2f}", f"{found.default:.2f}"]
    return "| " + " | ".join([*cells, f"{found.seconds:.3g}", f"{found.last:.3g}"]) + " |"


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    fits = json.loads(parser.parse_args().file.read_text())
    found = {task: {labeller: search(fits, task, labeller) for labeller in LOOKS} for task in TASKS}
    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for axes, (task, searches) in zip(panels, found.items(), strict=True):
        draw(axes, searches, task)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncols=len(LOOKS), loc="outside lower center")
    figure.savefig(FIGURE, dpi=130)
    header = ["data", "labeller", "chosen", "left out", "test", "test at the default", "search, s", "fit, s"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for task, searches in found.items():
        print("\n".join(row(task, labeller, each) for labeller, each in searches.items()))


if __name__ == "__main__":
    main()
