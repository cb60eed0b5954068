"""``pragam compare``: our solvers and those of other packages on data sets, and how far each has come when."""

from __future__ import annotations

import argparse
import sys
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pragam.cli.arguments import number
from pragam.cli.output import show_json
from pragam.cli.status import BAD_INPUT, CERTIFIED
from pragam.cli.table import show

if TYPE_CHECKING:
    from pragam.compare import Experiment, Run

#: The relative errors whose times are shown.
_TARGETS = (1e-2, 1e-3, 1e-6, 1e-9)

_EPILOG = """\
A run that was stopped goes on when the same command is given again. DIR/experiment.jsonl holds all that was
measured, DIR/points.csv the same as a table. A DATASET that cannot be read ends the command at once, with status 2. The
exit status is 0 if anything could be measured; what could not be is listed, with the reason.
"""


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "compare",
        help="compare solvers on data sets, by time and by iterations",
        description="Run solvers and peers on data sets, one at a time, in processes of their own. Write every point.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("data", nargs="*", metavar="DATASET", help="a registered name or a file; default: a9a, w8a, covtype at hand")
    add(
        "--solvers", nargs="+", metavar="NAME|FILE.py",
        help="solvers, peers, or Python files that define one; default: all of ours and the installed peers",
    )  # fmt: skip
    add("--paper", action="store_true", help="the paper's nine data sets and its solvers")
    add("--quick", action="store_true", help="1 second, one repeat, fewer points")
    add("--seconds", type=number, metavar="S", help="the budget of a solver on a data set (default 10)")
    add("--repeats", type=int, metavar="N", help="how often a run is timed (default 3)")
    add("--max-iter", type=int, metavar="N", help="iterations of a run at most")
    add("--tol", type=number, default=1e-9, help="the relative gap at which our solvers stop (default 1e-9)")
    add("--lam", type=number, metavar="L", help="default: the paper's where it gives one, else 1/n")
    add("--tune", action="store_true", help="choose lam on a validation split, out of 2^-20 .. 2^0")
    add("--test", metavar="PATH", help="test rows for a DATASET that is a file; default: a fifth of the rows")
    add("--data-dir", metavar="DIR", help="the folder of the registered data sets; default: PRAGAM_DATA")
    add("--threads", type=int, default=1, metavar="N", help="of each measurement (default 1)")
    add("-o", "--output", default="comparison", metavar="DIR", help="where all files go (default: comparison)")
    add("--theory", action="store_true", help="run the paper's theorems too, and show them on the page (half a minute)")
    add("--no-page", action="store_true", help="measure only: draw neither figures nor the page")
    add("--json", action="store_true", help="print one JSON object instead of the tables")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, draw, and print what came of it."""
    from pragam import compare
    from pragam.cli.commands.compare_page import render

    folder = Path(args.output)
    with _observer() as observer:
        experiment = compare.run(
            args.data, args.solvers, folder=folder, paper=args.paper, quick=args.quick, seconds=args.seconds,
            repeats=args.repeats, tol=args.tol, lam=args.lam, test=args.test, data_dir=args.data_dir,
            threads=args.threads, max_iter=args.max_iter, tune=args.tune, observer=observer,
        )  # fmt: skip
        notes = []
        if not args.no_page:
            notes = render(experiment, folder, observer, args.theory)
    for note in notes:
        print(f"pragam: {note}", file=sys.stderr)
    _show_json(experiment, folder) if args.json else _show_tables(experiment, folder)
    return CERTIFIED if any(each.has_points for each in experiment.runs) else BAD_INPUT


def _observer() -> Any:
    from pragam.cli.commands.compare_progress import Line

    return Line()


def _show_tables(experiment: Experiment, folder: Path) -> None:
    for name, facts in experiment.data.items():
        runs = [each for each in experiment.runs if each.data == name]
        header = ["solver", *(f"{eps:.0e}".replace("e-0", "e-") for eps in _TARGETS), "gap", "accuracy"]
        rows = [_cells(experiment, each) for each in runs]
        if any(isfinite(f1) for each in runs for f1 in each.chunk_f1):
            header = [*header, "chunk F1"]
            rows = [[*row, *(f"{f1:.4f}" for f1 in each.chunk_f1[-1:])] for row, each in zip(rows, runs, strict=True)]
        show(f"{facts.title}: {facts.caption}; seconds to a relative error of", header, rows)
        for status, names in _statuses(experiment, name).items():
            print(f"{', '.join(names)}: {status}")
        if unfit := experiment.unfit.get(name):
            print(f"Left out, because they do not fit the problem: {', '.join(unfit)}.")
    for name, why in experiment.failures.items():
        print(f"{name}: {why}")
    print(f"Everything is in {folder}.")


def _cells(experiment: Experiment, each: Run) -> list[str]:
    if not each.has_points:
        return [each.solver, *[""] * (len(_TARGETS) + 2)]
    times = [experiment.time_to(each, eps) for eps in _TARGETS]
    shown = ["" if seconds == inf else f"{seconds:.3g}" for seconds in times]
    last = [f"{each.gap[-1]:.1e}", f"{each.accuracy[-1]:.4f}"]
    return [each.solver, *shown, *("" if cell == "nan" else cell for cell in last)]


def _statuses(experiment: Experiment, data: str) -> dict[str, list[str]]:
    """How the runs on a data set have ended, and which ones so."""
    found: dict[str, list[str]] = {}
    for each in experiment.runs:
        if each.data == data:
            found.setdefault(each.status, []).append(each.solver)
    return found


def _show_json(experiment: Experiment, folder: Path) -> None:
    runs = [
        {
            "data": each.data, "solver": each.solver, "problem": each.problem, "status": each.status,
            "points": len(each.iteration), "preparation": each.preparation, "compilation": each.compilation,
            "seconds_to": {f"{eps:g}": _seconds(experiment, each, eps) for eps in _TARGETS},
        }
        for each in experiment.runs
    ]  # fmt: skip
    show_json({
        "folder": str(folder), "runs": runs, "unfit": {data: list(names) for data, names in experiment.unfit.items()},
        "failures": experiment.failures, "machine": experiment.machine,
    })  # fmt: skip


def _seconds(experiment: Experiment, each: Run, eps: float) -> float | None:
    seconds = experiment.time_to(each, eps)
    return seconds if isfinite(seconds) else None
