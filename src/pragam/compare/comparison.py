"""A whole comparison at work: read the data, find the optima, give every competitor its turns.

Everything is measured in worker processes, one at a time, and in the journal before the next one starts. The repeats
are the outermost loop, and the order of the competitors rotates, so that a slow minute of the machine does not hit all
repeats of one solver.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pragam.compare import data as data_sets
from pragam.compare import machine, peers
from pragam.compare.competitors import Competitor
from pragam.compare.experiment import DataFacts
from pragam.compare.fold import unfit_on
from pragam.compare.journal import Journal, Record
from pragam.compare.plan import REFERENCE_FACTOR, REFERENCE_TOL, Plan
from pragam.compare.process import LostError, Worker
from pragam.compare.turns import Turn

#: Seconds for reading a data set, a download and the choice of lam perhaps.
_READ_CAP = 7200.0


#: What the user has asked for: data sets by their names, those of the paper, or nothing, which are those at hand.
Asked = Literal["names", "paper", "nothing"]


class Observer:
    """Hears what goes on; this one keeps it to itself."""

    def working(self, what: str, done: int, total: int) -> None:
        """A measurement begins; ``done`` of ``total`` are over."""

    def note(self, sentence: str) -> None:
        """Something that the user should know."""


@dataclass
class Comparison:
    """A plan at work."""

    plan: Plan
    journal: Journal
    folder: Path
    observer: Observer
    data_dir: str | None
    broken: dict[str, str]  # files of the user's that define nothing, and why
    asked: Asked
    done: int = 0
    helper: Worker | None = None  # for what is not on the clock

    @property
    def rows(self) -> Path:
        """Where the data sets are laid out for the workers while the comparison runs."""
        return self.folder / "data"

    def measure(self) -> None:
        """All that the plan asks for and the journal does not have."""
        self._add_plan()
        shutil.rmtree(self.rows, ignore_errors=True)  # what a killed process may have left
        try:
            self._read_data()
            for name, facts in self._facts().items():
                for problem in self.plan.problems_on(facts):
                    self._find_unfit(name, facts, problem)
                    self._find_optimum(name, problem)
        finally:
            if self.helper is not None:
                self.helper.close()
        for repeat in range(self.plan.repeats):
            for name, facts in self._facts().items():
                solvers = self._solvers_on(name, facts)
                first = repeat % max(len(solvers), 1)
                for who in solvers[first:] + solvers[:first]:
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

    def _read_data(self) -> None:
        """Lay all data sets out. The example takes the place of sets that nobody has named and that are not there."""
        for name in self.plan.data:
            self._prepare(name)
        is_there = bool(self._facts().keys() - {data_sets.EXAMPLE}) or data_sets.EXAMPLE in self.plan.data
        if self.asked == "nothing" and not is_there:
            self.observer.note("No data set is at hand: this is the built-in example. See PRAGAM_DATA or --data-dir.")
            self._prepare(data_sets.EXAMPLE)

    def _prepare(self, name: str) -> None:
        """Lay a data set out for the workers, unless all is measured.

        One that cannot be read, and never was, is an error if the user has named it; else a row that says why.
        """
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
            why = str(error).removeprefix(f"{name}: ")
            if known:
                self.observer.note(f"{title} keeps its points, and the rest of its runs wait: {why}")
            elif self.asked == "names":
                raise ValueError(f"{name}: {why}") from error
            elif self.asked == "paper":
                self.observer.note(f"{title} is left out.")
                self._add_failure(title, why)
            return
        if known and known["sha256"] != found["sha256"]:
            raise ValueError(f"{self.folder}: {title} has changed since the comparison has begun there")
        if not known:
            self.journal.add("data", data=title, **found)

    def _add_failure(self, title: str, why: str) -> None:
        failures = [each for each in self.journal.records if each["type"] == "failure" and each["data"] == title]
        if not failures or failures[-1]["why"] != why:
            self.journal.add("failure", data=title, why=why)

    def _find_unfit(self, name: str, facts: DataFacts, problem: str) -> None:
        """Which of our solvers do not fit the problem, and so have no turns; asked once a solver."""
        ours = [each for each in self.plan.solvers if not each.is_peer and not each.file]
        posed = [each.name for each in ours if each.problem_on(facts.sequences > 0) == problem]
        answers = [each for each in self.journal.records if each["type"] == "fit of solvers" and each["data"] == name]
        new = [solver for solver in posed if not any(solver in each["asked"] for each in answers)]
        if not new or not self._has(name):
            return
        self._working(f"which solvers fit {name}, {problem}")
        place = {"folder": str(self.rows / name), "problem": problem, "lam": facts.lam}
        try:
            unfit = self._ask("unfit", _READ_CAP, **place, solvers=new)
        except LostError:
            return  # each solver will say why in its own turn
        self.journal.add("fit of solvers", data=name, problem=problem, asked=new, unfit=unfit)

    def _find_optimum(self, name: str, problem: str) -> None:
        if (name, problem) in [(each["data"], each["problem"]) for each in self._references()] or not self._has(name):
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

    def _solvers_on(self, name: str, facts: DataFacts) -> list[Competitor]:
        """Those that have turns on a data set, with the problem that they get there."""
        unfit = unfit_on(self.journal.records).get(name, ())
        posed = [(each, each.problem_on(facts.sequences > 0)) for each in self.plan.solvers if each.name not in unfit]
        return [replace(each, problem=problem) for each, problem in posed if problem]

    def _give_turn(self, name: str, facts: DataFacts, who: Competitor, repeat: int) -> None:
        turn = Turn(self.plan, self.journal, name, facts.lam, self.rows / name, who, repeat, self.data_dir)
        if not turn.is_done and self._has(name):
            if who.name in self.broken:
                turn.end(self.broken[who.name], retry=True)
            else:
                self._working(f"{name}: {who.name}, repeat {repeat + 1} of {self.plan.repeats}")
                turn.take()
        self.done += 1

    def _has(self, name: str) -> bool:
        """Whether a data set is laid out. One that was read before may be gone: its turns wait until it is back."""
        return (self.rows / name).is_dir()

    def _has_work(self, name: str) -> bool:
        facts = self._facts()[name]
        turns = (
            Turn(self.plan, self.journal, name, 1.0, self.rows, who, repeat)
            for repeat in range(self.plan.repeats)
            for who in self._solvers_on(name, facts)
        )
        optima = {each["problem"] for each in self._references() if each["data"] == name}
        return not all(turn.is_done for turn in turns) or not optima.issuperset(self.plan.problems_on(facts))

    def _references(self) -> list[Record]:
        return [each for each in self.journal.records if each["type"] == "reference"]

    def _facts(self) -> dict[str, DataFacts]:
        return {each["data"]: DataFacts(**each["facts"]) for each in self.journal.records if each["type"] == "data"}

    def _working(self, what: str) -> None:
        turns = sum(len(self._solvers_on(name, facts)) for name, facts in self._facts().items()) * self.plan.repeats
        self.observer.working(what, self.done, turns or len(self.plan.solvers) * self.plan.repeats)
