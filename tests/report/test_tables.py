"""The tables of the page, from constructed experiments of known answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from made import made, made_run
from pragam.report import tables
from report import experiments


def row(table, name):
    return next(list(row) for row in table.rows if row[0] == name)


def test_times_and_ratios():
    """err_t / J* = 1/t at 1 ms an iteration, the median of three repeats 5 % slower: 1e-2 at t = 100."""
    fast, slow = made_run("a", "dcd"), made_run("a", "pragam", per_iteration=2e-3)
    peer = made_run("a", "liblinear", lambda t: np.exp(-t), is_peer=True)
    table = tables.times(made([fast, slow, peer]), "a")
    assert list(table.header[:5]) == ["solver", "to 1e-2", "ratio", "to 1e-3", "ratio"]
    assert row(table, "dcd")[1:5] == ["106 ms", "1", "–", "–"]
    assert row(table, "pragam")[1:3] == ["212 ms", "2"]
    peer_row = row(table, "liblinear (peer)")
    assert peer_row[1:3] == ["5.25 ms", "0.0495"]  # against the fastest of ours, not the other way round
    assert peer_row[3] == "7.35 ms" and peer_row[4] == "–"  # none of ours came there


def test_times_do_not_depend_on_what_is_drawn():
    """A table is made of all points: the threshold is reached at one that thinning leaves out."""
    run = made_run("a", "dcd", lambda t: np.where(t < 77_777, 1.0, 1e-3 / 2), count=100_000)
    assert row(tables.times(made([run]), "a"), "dcd")[3] == "81.7 s"


def test_failed_runs_have_rows_with_reasons():
    table = tables.times(experiments.all_failed(), "one")
    assert row(table, "dcd")[-1] == "killed"
    listed = {tuple(one) for one in tables.failures(experiments.all_failed()).rows}
    assert listed == {("one", "dcd", "killed"), ("one", "liblinear", "no reason given")}


def test_data_that_could_not_be_read_are_listed():
    experiment = replace(experiments.small(), failures={"news20": "no such file"})
    assert ["news20", "all", "no such file"] in [list(one) for one in tables.failures(experiment).rows]


def test_certificates_say_what_was_not_reached():
    said = {one[5] for one in tables.certificates(experiments.not_proved()).rows}
    assert said == {"1e-10 (not reached)"}
    assert {one[5] for one in tables.certificates(experiments.small()).rows} == {"1e-10"}


def test_facts_are_plain_text():
    table = tables.facts("c", {"versions": {"numpy": "2.0", "scipy": "1.0"}, "sets": ["a9a", "w8a"], "quick": True})
    assert [one[1] for one in table.rows] == ["numpy 2.0, scipy 1.0", "a9a w8a", "True"]


@pytest.mark.parametrize(
    ("value", "said"), [(0.0, "0 s"), (0.0123456, "12.3 ms"), (2.0, "2 s"), (12345.6, "12,346 s"), (np.inf, "–")]
)
def test_seconds(value, said):
    assert tables.seconds(value) == said
