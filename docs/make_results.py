"""Puts the numbers and figures of a comparison into the documentation.

Reads the folder of a finished ``pragam compare``. Writes its figures to figures/results-*.png and figures/headline.png
beside this file, and its page to results.html. Replaces the tables in results.md, between the two marks, by those of
this run. The reading of them is written by hand.

    python docs/make_results.py FOLDER [--headline adult9]
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pragam import compare
from pragam.compare import Experiment
from pragam.paper.claims import verdicts
from pragam.paper.sections import claims_table
from pragam.report import Table, headline
from pragam.report import tables as of
from pragam.report.figures import save

DOCS = Path(__file__).resolve().parent
BEGIN, END = "<!-- tables: docs/make_results.py -->", "<!-- end of tables -->"
#: Who is in the picture of the README: the default, the paper's own solvers but the slowest, and the peers.
HEADLINE = ("auto", "pragam", "qp-bmrm", "liblinear", "rehline", "sgd", "skglm", "snapml")
#: The figures that the page shows, by the ends of their names.
FIGURES = ("error-seconds", "error-iterations", "accuracy-seconds", "accuracy-iterations")


def markdown(table: Table, heading: str = "###") -> Iterator[str]:
    """The table under its caption."""
    yield f"{heading} {table.caption}\n"
    yield f"| {' | '.join(table.header)} |"
    yield "|---" * len(table.header) + "|"
    for row in table.rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"
    yield ""


def times(experiment: Experiment, data: str) -> Table:
    """Without those that have no points, and without how they ended, which the HTML page has."""
    table, points = of.times(experiment, data), {of.name_of(run) for run in experiment.runs if run.has_points}
    return replace(table, header=table.header[:-1], rows=[row[:-1] for row in table.rows if row[0] in points])


def findings(experiment: Experiment) -> Table:
    """What the claims come to over all sets. The HTML page has them set by set."""
    table = claims_table(verdicts(experiment))
    rows = [[claim, answer, numbers.partition("\n")[0]] for claim, answer, numbers, _ in table.rows]
    return Table(table.caption, ["claim", "answer", "numbers"], rows)


def tables(experiment: Experiment) -> str:
    """All of them, and the machine."""
    machine = experiment.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [f"{machine['processor']}, {machine['cores']} cores, {machine['threads']} thread. {versions}.\n"]
    for data, facts in experiment.data.items():
        lines += [*markdown(times(experiment, data)), f"{facts.caption}. Test rows: {facts.test or 'none'}.\n"]
    lines += markdown(of.certificates(experiment))
    return "\n".join([*lines, *markdown(findings(experiment))])


def main() -> None:
    """Write all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--headline", default="adult9", metavar="DATASET", help="the set of the README's picture")
    options = parser.parse_args()
    experiment = compare.load(options.folder)
    for name in FIGURES:
        shutil.copyfile(options.folder / "figures" / f"all-{name}.png", DOCS / "figures" / f"results-{name}.png")
    save(headline(experiment, options.headline, HEADLINE), DOCS / "figures" / "headline")
    (DOCS / "figures" / "headline.svg").unlink()  # thousands of points: three times as large
    shutil.copyfile(options.folder / "report.html", DOCS / "results.html")
    page = DOCS / "results.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{tables(experiment)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
