"""What is claimed, what is found, and the three-valued logic between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pragam.compare.experiment import DataFacts, Experiment

Answer = Literal["confirmed", "refuted", "undecided"]
Quantifier = Literal["every", "most", "some"]


@dataclass(frozen=True)
class Verdict:
    """A row of the table."""

    claim: str
    reference: str
    data: str  # the data set, or "all"
    answer: Answer
    numbers: str  # a sentence with the figures that decide


class Finding(NamedTuple):
    """What a claim comes to on one data set."""

    answer: Answer
    numbers: str


class Place(NamedTuple):
    """Where a sentence stands in the paper; the order of the table."""

    section: str
    part: str
    paragraph: int
    sentence: int


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, in our words, and the function that judges it.

    Attributes
    ----------
    sentence : str
        One sentence. It says in which unit iterations are counted where solvers differ in that.
    place : Place
        Where the paper states it.
    judge : callable
        From an experiment and the name of one of its data sets to a finding.
    sets : "every", "most" or "some"
        On how many data sets the paper says so.
    only : tuple of str
        The data sets that the paper names; empty if it means all.
    """

    sentence: str
    place: Place
    judge: Callable[[Experiment, str], Finding]
    sets: Quantifier = "most"
    only: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        section, part, paragraph, sentence = self.place
        words = [section, part, f"paragraph {paragraph}" * bool(paragraph), f"sentence {sentence}" * bool(sentence)]
        return ", ".join(word for word in words if word)

    def speaks_of(self, facts: DataFacts) -> bool:
        """A stand-in is not the set that the paper names."""
        return not self.only or (facts.name in self.only and not facts.stand_in_for)


def every(answers: Iterable[Answer]) -> Answer:
    """Refuted by one; confirmed if all are."""
    answers = list(answers)
    if "refuted" in answers:
        return "refuted"
    return "confirmed" if answers and all(answer == "confirmed" for answer in answers) else "undecided"


def some(answers: Iterable[Answer]) -> Answer:
    """Confirmed by one; refuted if all are."""
    return opposite(every(opposite(answer) for answer in answers))


def most(answers: Iterable[Answer]) -> Answer:
    """Confirmed by more than half of all; refuted if at least half of all are."""
    answers = list(answers)
    if 2 * answers.count("confirmed") > len(answers):
        return "confirmed"
    return "refuted" if answers and 2 * answers.count("refuted") >= len(answers) else "undecided"


def opposite(answer: Answer) -> Answer:
    flipped: dict[Answer, Answer] = {"confirmed": "refuted", "refuted": "confirmed"}
    return flipped.get(answer, answer)


QUANTIFIERS: dict[Quantifier, Callable[[Iterable[Answer]], Answer]] = {"every": every, "most": most, "some": some}


def over_all_sets(quantifier: Quantifier, findings: dict[str, Finding]) -> Finding:
    """The claim on all data sets together."""
    answers = [finding.answer for finding in findings.values()]
    answer = QUANTIFIERS[quantifier](answers)
    counts = ", ".join(f"{kind} on {answers.count(kind)}" for kind in ("confirmed", "refuted", "undecided"))
    asked = {"every": "every set", "most": "most sets", "some": "at least one set"}[quantifier]
    return Finding(answer, f"The paper says so of {asked}. Of {len(answers)} sets: {counts}.")
