"""The records of a journal, folded into an Experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pragam.compare.competitors import Competitor
from pragam.compare.experiment import DataFacts, Experiment, Floats, Reference, Run
from pragam.compare.journal import NAME, Record, read
from pragam.compare.plan import Plan

_WAITING = "Not measured yet."


def load(folder: str | Path) -> Experiment:
    """What the comparison in a folder has measured so far."""
    return fold(read(Path(folder) / NAME))


def fold(records: Sequence[Record]) -> Experiment:
    """The experiment of these records. What is not whole yet has no points, and a status that says so."""
    plans = _of(records, "plan")
    if not plans:
        raise ValueError("the journal holds no plan")
    plan = Plan.from_record(plans[-1]["plan"])
    data = {record["data"]: DataFacts(**record["facts"]) for record in _of(records, "data")}
    failures = {each["data"]: each["why"] for each in _of(records, "failure") if each["data"] not in data}
    references = {
        (each["data"], each["problem"]): Reference(**_numbers(each["reference"])) for each in _of(records, "reference")
    }
    unfit = unfit_on(records)
    runs = tuple(
        _run(records, name, replace(each, problem=problem))
        for name, facts in data.items()
        for each in plan.solvers
        if (problem := each.problem_on(facts.sequences > 0)) and each.name not in unfit.get(name, ())
    )
    tuning = {each["data"]: each["tuning"] for each in _of(records, "data") if each["tuning"]}
    return Experiment(plans[-1]["plan"], plans[-1]["machine"], data, references, runs, failures, tuning, unfit)


def unfit_on(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """The solvers that do not fit the problem, by data set."""
    found: dict[str, tuple[str, ...]] = {}
    for each in _of(records, "fit of solvers"):
        found[each["data"]] = tuple(dict.fromkeys((*found.get(each["data"], ()), *each["unfit"])))
    return {data: names for data, names in found.items() if names}


def about(records: Iterable[Record], data: str, solver: str, *kinds: str) -> list[Record]:
    """The records of one run, of these kinds."""
    return [each for each in records if each["type"] in kinds and (each["data"], each["solver"]) == (data, solver)]


def _run(records: Sequence[Record], data: str, who: Competitor) -> Run:
    ready = next(iter(about(records, data, who.name, "ready")), {"preparation": 0.0, "compilation": 0.0})
    facts: dict[str, Any] = {
        "data": data, "solver": who.name, "problem": who.problem, "is_peer": who.is_peer,
        "status": _status(about(records, data, who.name, "end")),
        "preparation": ready["preparation"], "compilation": ready["compilation"],
    }  # fmt: skip
    columns = _fits(about(records, data, who.name, "fit")) if who.is_peer else _traces(records, data, who.name)
    return Run(**facts, **columns)


def _status(ends: list[Record]) -> str:
    """How the first repeat has ended, and what has gone wrong in later ones."""
    first = [each["status"] for each in ends if each["repeat"] == 0]
    later = [f"Repeat {each['repeat'] + 1}: {each['status']}" for each in ends if each["repeat"] > 0]
    return " ".join([*first[-1:], *later]) or _WAITING


def _traces(records: Sequence[Record], data: str, solver: str) -> dict[str, Any]:
    """The columns of a solver's run: what the traced one is worth, at the times of the clocked ones."""
    traced = about(records, data, solver, "traced")
    clocked = about(records, data, solver, "clocked")
    if not traced or not clocked:
        return {}
    trace = traced[-1]
    steps = set(trace["step"]).intersection(*(each["step"] for each in clocked))
    place = [i for i, step in enumerate(trace["step"]) if step in steps]
    names = ("iteration", "primal", "iterate", "gap", "accuracy", "support", "chunk_f1")
    seconds = [[s for step, s in zip(each["step"], each["seconds"], strict=True) if step in steps] for each in clocked]
    nothing = [None] * len(trace["step"])  # of a column that an older journal does not have
    return {**{name: _floats(trace.get(name, nothing))[place] for name in names}, "seconds": np.array(seconds)}


def _fits(fits: list[Record]) -> dict[str, Any]:
    """The columns of a peer's run: a point for each iteration limit of its first repeat."""
    repeats: dict[int, dict[int, Record]] = {}
    for fit in fits:
        repeats.setdefault(fit["repeat"], {})[fit["limit"]] = fit
    if 0 not in repeats:
        return {}
    taken = list(repeats[0].values())
    first = [fit for before, fit in zip([None, *taken], taken, strict=False) if _moved(before, fit)]
    whole = [each for each in repeats.values() if all(fit["limit"] in each for fit in first)]
    primal = _floats([fit["primal"] for fit in first])
    is_best = np.isnan(primal) | (primal <= np.fmin.accumulate(primal))  # without a J the latest counts
    best = np.maximum.accumulate(np.where(is_best, np.arange(len(primal)), 0))
    nothing = np.full(len(first), np.nan)
    return {
        "iteration": _floats([_iterations(fit) for fit in first]), "primal": primal, "iterate": nothing, "gap": nothing,
        "seconds": np.array([[each[fit["limit"]]["seconds"] for fit in first] for each in whole]),
        "accuracy": _floats([fit["accuracy"] for fit in first])[best],
        "support": _floats([fit["support"] for fit in first]),
        "chunk_f1": _floats([fit.get("chunk_f1") for fit in first])[best],
    }  # fmt: skip


def _iterations(fit: Record) -> int:
    """The iterations that a fit has made, by what the peer says, else its limit."""
    return fit["limit"] if fit["n_iter"] is None else min(fit["n_iter"], fit["limit"])


def _moved(before: Record | None, fit: Record) -> bool:
    """Whether a fit has made more iterations than the one before, which may have ended where it converged."""
    return before is None or _iterations(fit) > _iterations(before)


def _of(records: Iterable[Record], kind: str) -> list[Record]:
    return [each for each in records if each["type"] == kind]


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _numbers(record: Record) -> Record:
    return {key: np.nan if value is None else value for key, value in record.items()}
