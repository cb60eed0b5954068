"""The table of verdicts: its logic, its rows, its order. No claim of the paper is taken to be true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from claim_runs import DATA, PAPER, SPEEDS, of_speed

from made import made, made_run
from pragam.paper import claims
from pragam.paper.claims.results import pragam_by_iterations
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import every, most, some

BY_ITERATIONS = pragam_by_iterations.CLAIMS


def test_logic():
    c, r, u = "confirmed", "refuted", "undecided"
    assert [every(x) for x in ([c, c], [c, u], [c, r], [u, r], [])] == [c, u, r, r, u]
    assert [some(x) for x in ([r, r], [r, u], [c, r], [u, c], [])] == [r, u, c, c, u]
    assert [most(x) for x in ([c, c, r], [c, r], [c, c, u, u], [r, u, u], [r, r, u], [])] == [c, r, u, u, r, u]


def test_verdicts_have_a_row_for_each_set_and_one_for_all():
    runs = [replace(run, data=name) for name in ("one", "two") for run in of_speed(**SPEEDS)]
    table = claims.verdicts(made(runs))
    general = [claim for claim in claims.claims() if not claim.only]
    assert len(table) == 3 * len(general)
    assert [v.data for v in table[:3]] == ["one", "two", "all"]
    for verdict in table:
        assert verdict.answer in ("confirmed", "refuted", "undecided")
        assert verdict.claim.endswith(".") and verdict.numbers.endswith(".") and verdict.reference
    assert (
        "Of 2 sets: confirmed on 2"
        in next(
            v for v in table if v.data == "all" and "fewer iterations" in v.claim and "than ls-bmrm" in v.claim
        ).numbers
    )


def test_nothing_is_decided_on_a_small_budget():
    """A second tells of starts, not of solvers. What was measured is still shown."""
    experiment = made(of_speed(**SPEEDS))
    long, short = (claims.verdicts(replace(experiment, options={"seconds": s})) for s in (THRESHOLDS.budget, 1.0))
    assert {one.answer for one in long} > {"confirmed"}
    assert {one.answer for one in short} == {"undecided"}
    for one, other in zip(long, short, strict=True):
        assert other.numbers == f"A run had 1 s; nothing is decided on less than 3 s. {one.numbers}"


def test_a_claim_on_every_set_fails_on_one():
    runs = [replace(run, data="one") for run in of_speed(**SPEEDS)]
    runs += [replace(run, data="two") for run in of_speed(**{**SPEEDS, "ls_bmrm": 5})]
    rows = {v.data: v.answer for v in claims.verdicts(made(runs)) if v.claim == BY_ITERATIONS[0].sentence}
    assert rows == {"one": "confirmed", "two": "refuted", "all": "refuted"}


def test_stand_ins_are_named_and_are_not_the_sets_of_the_paper():
    experiment = made([made_run("adult9", "pegasos-n", lambda t: 10 + 0 * t)])
    facts = replace(experiment.data["adult9"], stand_in_for="adult9")
    table = claims.verdicts(replace(experiment, data={"adult9": facts}))
    assert not any("diverges" in verdict.claim for verdict in table)
    assert {verdict.data for verdict in table} == {facts.title}


def test_an_empty_experiment_has_no_verdicts_and_failed_runs_are_undecided():
    assert claims.verdicts(made([])) == []
    failed = [replace(made_run(DATA, name, count=0), status="It failed.") for name in PAPER]
    assert {verdict.answer for verdict in claims.verdicts(made(failed))} == {"undecided"}


NOTHING = {
    "accuracy": np.empty(0),
    "support": np.empty(0),
    "iterate": np.empty(0),
    "seconds": np.empty((0, 20)),
    "primal": np.full(20, np.nan),
}


@pytest.mark.parametrize("column", NOTHING)
def test_what_was_not_recorded_is_no_error(column):
    runs = [replace(made_run(DATA, name, count=20), **{column: NOTHING[column]}) for name in PAPER]
    assert claims.verdicts(made(runs))


@pytest.mark.parametrize(
    "changes", [{"primal": 0.0, "dual": 0.0}, {"primal": -1.0, "dual": -1.0}, {"accuracy": np.nan}, {"accuracy": 1.0}]
)
def test_strange_references_are_no_error(changes):
    experiment = made([made_run(DATA, name, count=1) for name in PAPER])
    references = {key: replace(reference, **changes) for key, reference in experiment.references.items()}
    assert claims.verdicts(replace(experiment, references=references))


def test_claims_are_discovered_in_the_order_of_the_paper():
    found = claims.claims()
    assert len({claim.sentence for claim in found}) == len(found)
    assert found[0].reference == "Section 5, Results, paragraph 2, sentence 2"
    assert found[-1].reference.startswith("Appendix D")
