"""The tables of the page, as data: what a cell says is decided here, how it looks in :mod:`pragam.report.markup`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pragam.compare import Experiment, Run
from pragam.report.families import main_problem
from pragam.report.parts import Table

#: The accuracies, relative to J*, whose times are compared.
ACCURACIES = (1e-2, 1e-3, 1e-6, 1e-9)
_NOTHING = "–"


def times(experiment: Experiment, data: str) -> Table:
    """Median seconds until err <= eps J*, each with its ratio to the fastest of our solvers."""
    problem = main_problem(experiment, data)
    runs = [run for run in experiment.runs if run.data == data and run.problem == problem]
    best = [_fastest(experiment, runs, eps) for eps in ACCURACIES]
    header = [
        "solver",
        *(text for eps in ACCURACIES for text in (f"to {eps:.0e}".replace("e-0", "e-"), "ratio")),
        "how it ended",
    ]
    rows = [[name_of(run), *_times_of(experiment, run, best), run.status] for run in runs]
    said = "time to a relative error (– if it was not reached), and its ratio to the fastest of ours"
    caption = f"{experiment.data[data].title}: {said}"
    return Table(caption, header, rows, frozenset(range(1, 1 + 2 * len(ACCURACIES))))


def _fastest(experiment: Experiment, runs: Iterable[Run], eps: float) -> float:
    return min((experiment.time_to(run, eps) for run in runs if not run.is_peer), default=np.inf)


def _times_of(experiment: Experiment, run: Run, best: Sequence[float]) -> Iterable[str]:
    for eps, fastest in zip(ACCURACIES, best, strict=True):
        taken = experiment.time_to(run, eps)
        yield seconds(taken)
        yield f"{taken / fastest:.3g}" if 0 < fastest < np.inf and taken < np.inf else _NOTHING


def runs(experiment: Experiment) -> Table:
    """Every run: its size, what stays off the clock, and how it ended."""
    header = ["data", "solver", "problem", "points", "iterations", "repeats", "time", "preparation", "compilation",
              "accuracy", "how it ended"]  # fmt: skip
    rows = [_run_row(run) for run in experiment.runs]
    return Table("All runs: clocked time, and what stays off the clock", header, rows, frozenset(range(3, 10)))


def _run_row(run: Run) -> list[str]:
    last = [f"{run.iteration[-1]:,.0f}", str(len(run.seconds)), seconds(run.clock[-1])] if run.has_points else [""] * 3
    accuracy = percent(run.accuracy[-1]) if run.has_points else ""
    return [run.data, name_of(run), run.problem, str(len(run.iteration)), *last, seconds(run.preparation),
            seconds(run.compilation), accuracy, run.status]  # fmt: skip


def certificates(experiment: Experiment) -> Table:
    """The proved interval of each optimum."""
    header = ["data", "problem", "primal J", "dual D", "relative gap", "asked for", "solver", "time", "accuracy",
              "support"]  # fmt: skip
    rows = [
        [data, problem, f"{one.primal:.12g}", f"{one.dual:.12g}", f"{one.relative_gap:.1e}",
         f"{one.tol:.0e}" + ("" if one.is_reached else " (not reached)"), one.solver, seconds(one.seconds),
         percent(one.accuracy), count(one.support)]
        for (data, problem), one in experiment.references.items()
    ]  # fmt: skip
    return Table("Reference optima: D ≤ J* ≤ J is proved", header, rows, frozenset({2, 3, 4, 5, 7, 8, 9}))


def data_sets(experiment: Experiment) -> Table:
    header = ["data", "n", "d", "non-zeros", "λ", "test rows", "test rows from", "source", "note", "read in"]
    rows = [
        [one.title, f"{one.n:,}", f"{one.d:,}", f"{one.nnz:,}", f"{one.lam:.4g}", f"{one.n_test:,}", one.test,
         one.source, one.note, seconds(one.seconds)]
        for one in experiment.data.values()
    ]  # fmt: skip
    return Table("Data sets as they were used", header, rows, frozenset({1, 2, 3, 4, 5, 9}))


def failures(experiment: Experiment) -> Table:
    """Data sets that could not be read and runs without points, with the reasons."""
    rows = [[data, "all", reason] for data, reason in experiment.failures.items()]
    rows += [[run.data, run.solver, run.status or "no reason given"] for run in experiment.runs if not run.has_points]
    return Table("What could not be measured", ["data", "solver", "reason"], rows, prose=True)


def facts(caption: str, values: Mapping[str, Any]) -> Table:
    """Names and values; a mapping or a list inside is one cell."""
    return Table(caption, ["name", "value"], [[str(name), _plain(value)] for name, value in values.items()])


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_plain, value))
    return str(value)


def name_of(run: Run) -> str:
    return f"{run.solver} (peer)" if run.is_peer else run.solver


def seconds(value: float) -> str:
    """Three digits with the unit that fits."""
    if not np.isfinite(value):
        return _NOTHING
    return f"{1000 * value:.3g} ms" if 0 < value < 1 else f"{value:,.0f} s" if value >= 1000 else f"{value:.3g} s"


def count(value: float) -> str:
    return f"{value:,.0f}" if np.isfinite(value) else _NOTHING


def percent(value: float) -> str:
    return f"{100 * value:.2f} %" if np.isfinite(value) else _NOTHING
