"""``pragam.compare.run``: from names and options to a plan, and from what an earlier call has left to an experiment."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pragam.compare import competitors, machine, peers, points
from pragam.compare import data as data_sets
from pragam.compare.comparison import Asked, Comparison, Observer
from pragam.compare.competitors import Competitor
from pragam.compare.experiment import Experiment
from pragam.compare.fold import fold
from pragam.compare.journal import NAME, Journal, Record
from pragam.compare.plan import Plan
from pragam.compare.process import LostError, Worker

#: Seconds for looking into a user's file.
_LOOK_CAP = 60.0


def run(
    data: Sequence[str] = (),
    solvers: Sequence[str] | None = None,
    *,
    folder: str | Path,
    paper: bool = False,
    quick: bool = False,
    seconds: float | None = None,
    repeats: int | None = None,
    tol: float = 1e-9,
    lam: float | None = None,
    test: str | None = None,
    data_dir: str | None = None,
    threads: int = 1,
    max_iter: int | None = None,
    tune: bool = False,
    observer: Observer | None = None,
) -> Experiment:
    """Compare solvers on data sets. The same call in the same folder goes on where the last one was stopped.

    Parameters
    ----------
    data : names of data sets, or paths of files
        One that cannot be read is a ValueError before anything is measured. Without any, those at hand among a9a,
        w8a and covtype; if there are none, the built-in example.
    solvers : names of solvers and peers, or paths of Python files that define one
        By default all of ours and the peers that are installed. One of ours that does not fit a problem is left out.
    folder : where the journal ``experiment.jsonl``, ``points.csv`` and the figures go
    paper : bool
        The paper's nine data sets, as far as they are at hand, and its solvers, where ``data`` and ``solvers`` name no
        others.
    quick : bool
        One second and one repeat, and fewer points a curve.
    seconds : float
        The budget of each solver on each data set, 10 by default. All fits of a peer together have three times that.
    repeats : int
        How often each run is timed, 3 by default.
    tol : float
        The relative gap at which our solvers stop.
    lam : float, optional
        By default the paper's for its data sets, else 1/n.
    test : path of a file with test rows, for one data set that is a file
        By default a fifth of the rows is left out for testing.
    data_dir : folder of the data sets, by default that of the environment variable PRAGAM_DATA
    threads : int
        How many each measurement may use.
    max_iter : int, optional
        Iterations of each run at most, so that equal calls give equal points.
    tune : bool
        Choose lam out of 2^-20 .. 2^0, as in the paper, by the accuracy on a fifth of the training rows.
    observer : Observer, optional
        Hears what is being measured.
    """
    observer = observer or Observer()
    names = list(data) or (list(data_sets.PAPER) if paper else list(data_sets.USUAL))
    if test is not None and (len(names) != 1 or not data_sets.is_path(names[0])):
        raise ValueError("test belongs to one data set that is a file")
    titles = [data_sets.title(name) for name in names]
    if twice := {each for each in titles if titles.count(each) > 1}:
        raise ValueError(f"data: two data sets are called {min(twice)!r}")
    if not (Path(folder) / NAME).exists():  # nothing is written for a slip of the pen; what was measured can be shown
        for name in [*names, *([] if test is None else [test])]:
            data_sets.check_there(name)
    wanted = list(competitors.PAPER) if paper and solvers is None else solvers
    who, broken = _competitors(wanted, threads, observer)
    plan = Plan(
        tuple(names), tuple(who), (1.0 if quick else 10.0) if seconds is None else seconds,
        (1 if quick else 3) if repeats is None else repeats, tol, lam, test, threads, max_iter, quick,
        tune,
    )  # fmt: skip
    if not plan.solvers:
        raise ValueError("solvers must name at least one")
    if wanted is None and (absent := competitors.absent()):
        packages = " ".join(sorted({peers.by_name(name).package for name in absent}))
        observer.note(f"Not installed, so not compared: {', '.join(absent)} (pip install {packages}).")
    with Journal(Path(folder) / NAME) as journal:
        agreed = _agreed(plan, journal, folder)
        asked: Asked = "names" if data else "paper" if paper else "nothing"
        comparison = Comparison(agreed, journal, Path(folder), observer, data_dir, broken, asked)
        try:
            comparison.measure()
        finally:
            shutil.rmtree(comparison.rows, ignore_errors=True)
            experiment = fold(journal.records)
            points.write(experiment, Path(folder))
    return experiment


def _competitors(
    names: Sequence[str] | None, threads: int, observer: Observer
) -> tuple[list[Competitor], dict[str, str]]:
    """Those of these names and files, and the files that define none, with the reasons."""
    if names is None:
        return competitors.usual(), {}
    found: list[Competitor] = []
    broken: dict[str, str] = {}
    for name in names:
        if not competitors.is_file(name):
            found.append(competitors.named(name))
            continue
        try:
            with Worker(threads) as worker:
                described = worker.ask("inspect", _LOOK_CAP, file=str(Path(name).resolve()))
            found += [Competitor(**each) for each in described]
        except LostError as error:
            observer.note(f"{name}: {error}")
            broken[Path(name).name] = str(error)
            found.append(Competitor(Path(name).name, file=str(Path(name).resolve())))
    return found, broken


def _agreed(plan: Plan, journal: Journal, folder: str | Path) -> Plan:
    """The plan, with what an earlier one in this folder had asked for."""
    plans: list[Record] = [each for each in journal.records if each["type"] == "plan"]
    if not plans:
        return plan
    processor, before = machine.processor(), plans[0]["machine"]["processor"]
    if processor != before:
        raise ValueError(f"{folder}: measured on another machine ({before}, not {processor})")
    read = {each["data"] for each in journal.records if each["type"] == "data"}
    old = Plan.from_record(plans[-1]["plan"])
    try:
        return plan.after(replace(old, data=tuple(name for name in old.data if data_sets.title(name) in read)))
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from error
