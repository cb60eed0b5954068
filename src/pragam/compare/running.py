"""A whole comparison: read the data, find the optima, give every competitor its turns, and write down what came of it.

Everything is measured in worker processes, one at a time, and in the journal before the next one starts. The repeats
are the outermost loop, and the order of the competitors rotates, so that a slow minute of the machine does not hit all
repeats of one solver.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pragam.compare import competitors, machine, peers, points
from pragam.compare import data as data_sets
from pragam.compare.competitors import Competitor
from pragam.compare.experiment import DataFacts, Experiment
from pragam.compare.fold import fold
from pragam.compare.journal import NAME, Journal, Record
from pragam.compare.measuring import Turn
from pragam.compare.plan import REFERENCE_FACTOR, REFERENCE_TOL, Plan
from pragam.compare.process import LostError, Worker

#: Seconds for reading a data set, a download perhaps, and for looking into a user's file.
_READ_CAP, _LOOK_CAP = 7200.0, 60.0


class Observer:
    """Hears what goes on; this one keeps it to itself."""

    def working(self, what: str, done: int, total: int) -> None:
        """A measurement begins; ``done`` of ``total`` are over."""

    def note(self, sentence: str) -> None:
        """Something that the user should know."""


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
        Without any, those at hand among a9a, w8a and covtype; if there are none, the built-in example.
    solvers : names of solvers and peers, or paths of Python files that define one
        By default all of ours and the peers that are installed.
    folder : where the journal ``experiment.jsonl``, ``points.csv`` and the figures go
    paper : bool
        The paper's nine data sets and its solvers, where ``data`` and ``solvers`` name no others.
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
        observer.note(f"Not installed, so not compared: {', '.join(absent)} (pip install 'pragam[bench]').")
    with Journal(Path(folder) / NAME) as journal:
        comparison = Comparison(_agreed(plan, journal, folder), journal, Path(folder), observer, data_dir, broken)
        try:
            comparison.measure(is_default=not data and not paper)
        finally:
            shutil.rmtree(comparison.rows, ignore_errors=True)
            experiment = fold(journal.records)
            points.write(experiment, Path(folder))
    return experiment


@dataclass
class Comparison:
    """A plan at work."""

    plan: Plan
    journal: Journal
    folder: Path
    observer: Observer
    data_dir: str | None
    broken: dict[str, str]  # files of the user's that define nothing, and why
    done: int = 0
    helper: Worker | None = None  # for what is not on the clock

    @property
    def rows(self) -> Path:
        """Where the data sets are laid out for the workers while the comparison runs."""
        return self.folder / "data"

    def measure(self, is_default: bool) -> None:
        """All that the plan asks for and the journal does not have."""
        self._add_plan()
        try:
            self._read_data(is_default)
            for name in self._facts():
                for problem in self.plan.problems:
                    self._find_optimum(name, problem)
        finally:
            if self.helper is not None:
                self.helper.close()
        for repeat in range(self.plan.repeats):
            for name, facts in self._facts().items():
                first = repeat % len(self.plan.solvers)
                for who in self.plan.solvers[first:] + self.plan.solvers[:first]:
                    self._give_turn(name, facts, who, repeat)

    def _ask(self, task: str, cap: float, **arguments: Any) -> Any:
        """Let the helper do something that is not on the clock; another one if the last was lost."""
        if self.helper is None or not self.helper.is_alive:
            self.helper = Worker(self.plan.threads, self.data_dir)
        return self.helper.ask(task, cap, **arguments)

    def _add_plan(self) -> None:
        packages = [peers.by_name(each.name).package for each in self.plan.solvers if each.is_peer and not each.file]
        facts = machine.facts(self.plan.threads, packages)
        latest = next((each for each in reversed(self.journal.records) if each["type"] == "plan"), {})
        if (latest.get("plan"), latest.get("machine")) != (self.plan.record(), facts):
            self.journal.add("plan", plan=self.plan.record(), machine=facts)

    def _read_data(self, is_default: bool) -> None:
        for name in self.plan.data:
            self._prepare(name, is_needed=not is_default)
        if self._facts() or any(data_sets.is_path(name) for name in self.plan.data):
            return
        self.observer.note("No data set is at hand: this is the built-in example. See PRAGAM_DATA or --data-dir.")
        self._prepare(data_sets.EXAMPLE)

    def _prepare(self, name: str, is_needed: bool = True) -> None:
        """Lay a data set out for the workers, unless all is measured; a failure becomes a row that says why."""
        title = data_sets.title(name)
        known = next((each for each in self.journal.records if each["type"] == "data" and each["data"] == title), None)
        if known and not self._has_work(title):
            return
        self._working(f"reading {title}")
        try:
            found = self._ask(
                "prepare", _READ_CAP, name=name, folder=str(self.rows / title), test=self.plan.test,
                lam=known["facts"]["lam"] if known else self.plan.lam, tune=self.plan.tune and not known,
            )  # fmt: skip
        except LostError as error:
            if is_needed:
                self.observer.note(f"{title} is left out: {error}")
                self.journal.add("failure", data=title, why=str(error))
            return
        if known and known["sha256"] != found["sha256"]:
            raise ValueError(f"{self.folder}: {title} has changed since the comparison has begun there")
        if not known:
            self.journal.add("data", data=title, **found)

    def _find_optimum(self, name: str, problem: str) -> None:
        if (name, problem) in [(each["data"], each["problem"]) for each in self._references()]:
            return
        self._working(f"the optimum of {name}, {problem}")
        budget = REFERENCE_FACTOR * self.plan.seconds
        try:
            found = self._ask(
                "reference", 10 * budget + 60, folder=str(self.rows / name), problem=problem,
                lam=self._facts()[name].lam, tol=REFERENCE_TOL, max_seconds=budget,
            )  # fmt: skip
        except LostError as error:
            self.observer.note(f"the optimum of {name}, {problem}, is not known: {error}")
            return
        self.journal.add("reference", data=name, problem=problem, reference=found)

    def _give_turn(self, name: str, facts: DataFacts, who: Competitor, repeat: int) -> None:
        turn = Turn(self.plan, self.journal, name, facts.lam, self.rows / name, who, repeat, self.data_dir)
        if not turn.is_done:
            if who.name in self.broken:
                turn.end(self.broken[who.name], retry=True)
            else:
                self._working(f"{name}: {who.name}, repeat {repeat + 1} of {self.plan.repeats}")
                turn.take()
        self.done += 1

    def _has_work(self, name: str) -> bool:
        turns = (
            Turn(self.plan, self.journal, name, 1.0, self.rows, who, repeat)
            for repeat in range(self.plan.repeats)
            for who in self.plan.solvers
        )
        optima = {each["problem"] for each in self._references() if each["data"] == name}
        return not all(turn.is_done for turn in turns) or not optima.issuperset(self.plan.problems)

    def _references(self) -> list[Record]:
        return [each for each in self.journal.records if each["type"] == "reference"]

    def _facts(self) -> dict[str, DataFacts]:
        return {each["data"]: DataFacts(**each["facts"]) for each in self.journal.records if each["type"] == "data"}

    def _working(self, what: str) -> None:
        total = max(len(self._facts()), 1) * len(self.plan.solvers) * self.plan.repeats
        self.observer.working(what, self.done, total)


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
