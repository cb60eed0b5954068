"""The measurements as files for people and other programs: every point as CSV, and the facts around them as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pragam.compare.experiment import Experiment, Run
from pragam.compare.journal import finite
from pragam.files.atomic import replacing

_HEADER = (
    "data", "solver", "problem", "peer", "repeat", "iteration", "seconds", "J", "J of the iterate", "gap", "accuracy",
    "support", "chunk F1",
)  # fmt: skip


def write(experiment: Experiment, folder: Path) -> None:
    """``points.csv``, a row a point and repeat, and ``experiment.json``."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for run in experiment.runs:
        writer.writerows(_rows(run))
    facts = {
        "options": experiment.options,
        "machine": experiment.machine,
        "data": {name: asdict(each) for name, each in experiment.data.items()},
        "failures": experiment.failures,
        "references": [
            {"data": data, "problem": problem, **asdict(each)}
            for (data, problem), each in experiment.references.items()
        ],
        "runs": [
            {
                "data": run.data, "solver": run.solver, "problem": run.problem, "status": run.status,
                "points": len(run.iteration), "preparation": run.preparation, "compilation": run.compilation,
            }
            for run in experiment.runs
        ],
    }  # fmt: skip
    files = {"points.csv": text.getvalue(), "experiment.json": json.dumps(finite(facts), indent=1) + "\n"}
    for name, content in files.items():
        with replacing(folder / name) as stream:
            stream.write(content.encode())


def _rows(run: Run) -> Iterator[list[object]]:
    for repeat, seconds in enumerate(run.seconds):
        columns = zip(
            run.iteration, seconds, run.primal, run.iterate, run.gap, run.accuracy, run.support, run.chunk_f1,
            strict=True,
        )  # fmt: skip
        for iteration, *numbers in columns:
            shown = ["" if number != number else repr(float(number)) for number in numbers]
            yield [run.data, run.solver, run.problem, int(run.is_peer), repeat, int(iteration), *shown]
