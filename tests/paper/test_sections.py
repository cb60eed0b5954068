"""The paper on the page: one row a claim, and the tolerance beside what is measured."""

from __future__ import annotations

from dataclasses import replace

from claim_runs import SPEEDS, of_speed

from made import made
from pragam.paper import claims
from pragam.paper.claims import Verdict
from pragam.paper.sections import claims_section, claims_table, theory_section, theory_table
from pragam.theory import Check


def test_a_claim_is_one_row_whatever_the_number_of_sets():
    found = [
        Verdict("c", "Section 5", "one", "confirmed", "2 against 1."),
        Verdict("c", "Section 5", "two", "refuted", "1 against 2."),
        Verdict("c", "Section 5", "all", "refuted", "Of 2 sets: ..."),
        Verdict("d", "Section 6", "one", "undecided", "Nothing."),
    ]
    table = claims_table(found)
    both = "Of 2 sets: ...\none: confirmed. 2 against 1.\ntwo: refuted. 1 against 2."
    assert table.rows == [["c", "refuted", both, "Section 5"], ["d", "undecided", "one: Nothing.", "Section 6"]]
    assert table.header[table.answer] == "answer"


def test_every_claim_of_the_paper_has_one_row():
    runs = [replace(run, data=name) for name in ("one", "two") for run in of_speed(**SPEEDS)]
    (section,) = claims_section(made(runs))
    sentences = [row[0] for row in section.tables[0].rows]
    assert sentences == [claim.sentence for claim in claims.claims() if not claim.only]
    assert claims_section(made([])) == []


def test_the_tolerance_is_shown():
    check = Check("file.part", "A statement.", 4e-16, 0.0, "<=", 1e-12, "Theorem 1")
    assert theory_table([check]).rows == [
        ["file.part", "A statement.", "4e-16", "<=", "0", "1e-12", "yes", "Theorem 1"]
    ]
    (section,) = theory_section([check])
    assert section.anchor == "theory" and not section.pictures
