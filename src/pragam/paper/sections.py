"""The paper on the page of an experiment: its claims on these data, and its theorems, as sections for the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pragam.compare.experiment import Experiment
from pragam.paper.claims import Verdict, verdicts
from pragam.paper.theory import Check
from pragam.report import Picture, Section, Table


def claims_section(experiment: Experiment) -> list[Section]:
    """The claims; none if no data set of the experiment is one that they speak of."""
    table = claims_table(verdicts(experiment))
    return [Section("claims", "The paper's claims", [table])] if table.rows else []


def claims_table(found: Iterable[Verdict]) -> Table:
    """One row a claim: its answer on all sets together, and what was found on each."""
    by_claim = (list(rows) for _, rows in groupby(found, key=lambda one: (one.claim, one.reference)))
    rows = [[rows[-1].claim, rows[-1].answer, _numbers(rows), rows[-1].reference] for rows in by_claim]
    header = ["claim", "answer", "numbers", "reference"]
    return Table("The paper's findings on these data", header, rows, answer=1, prose=True)


def _numbers(rows: Sequence[Verdict]) -> str:
    """A line for each data set; what holds of all of them first."""
    *sets, last = rows
    if not sets:
        return f"{last.data}: {last.numbers}"
    return "\n".join([last.numbers, *(f"{one.data}: {one.answer}. {one.numbers}" for one in sets)])


def theory_section(checks: Sequence[Check], pictures: Sequence[Picture] = ()) -> list[Section]:
    """The theorems, with pictures of what they say."""
    return [Section("theory", "Theory", [theory_table(checks)], pictures)]


def theory_table(checks: Iterable[Check]) -> Table:
    """What :func:`pragam.theory.run` returned."""
    header = ["name", "statement", "measured", "relation", "bound", "tolerance", "holds", "reference"]
    rows = [
        [one.name, one.statement, f"{one.measured:.4g}", one.relation, f"{one.bound:.4g}", f"{one.tolerance:.0e}",
         "yes" if one.holds else "no", one.reference]
        for one in checks
    ]  # fmt: skip
    return Table("The paper's theorems, checked by computation", header, rows, frozenset({2, 4, 5}), 6, prose=True)
