"""Printed figures: files, order, and what they say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from made import made, made_run
from pragam.report import figures, headline, write_figures
from pragam.report.families import FAMILIES
from pragam.report.figures import figure, save, slugs, small_multiples
from report import experiments

pytest.importorskip("matplotlib", reason="the extra plot is not installed")

FAMILIES_AND_AXES = [(family, axis) for family in FAMILIES for axis in family.drawn]


def said(sheet) -> str:
    """All text of the figure."""
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in sheet.findobj(Text))


def test_the_families_are_the_papers_and_two_more():
    drawn = {(family.key, axis) for family, axis in FAMILIES_AND_AXES}
    assert drawn == {
        ("error", "iterations"), ("error", "seconds"), ("accuracy", "iterations"), ("accuracy", "seconds"),
        ("gap", "seconds"), ("support", "iterations"),
    }  # fmt: skip


def test_files(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FAMILIES", FAMILIES[:1])  # the others take their time and the same way
    written = write_figures(made([made_run("A set/1", "dcd", count=20)]), tmp_path / "new")
    assert {path.name for path in written} == {path.name for path in (tmp_path / "new").iterdir()}
    stems = {f"{name}-error-{axis}" for name in ("a-set-1", "all") for axis in ("iterations", "seconds")}
    assert {path.stem for path in written} == stems and len(written) == 2 * len(stems)
    for path in written:
        start = path.read_bytes()[:200]
        assert start.startswith(b"\x89PNG") if path.suffix == ".png" else b"<?xml" in start


def test_nothing_to_draw_writes_nothing(tmp_path):
    assert write_figures(experiments.EMPTY, tmp_path) == []


@pytest.mark.parametrize("name", [name for name in experiments.ALL if name not in ("empty", "tuned", "stand-in")])
def test_every_difficulty_is_drawn(name):
    experiment = experiments.ALL[name]()
    data = next(iter(experiment.data))
    for family, axis in (FAMILIES[0], "seconds"), (FAMILIES[2], "iterations"):
        figure(experiment, data, family, axis).draw_without_rendering()
    small_multiples(experiment, FAMILIES[0], "seconds").draw_without_rendering()
    headline(experiment, data).draw_without_rendering()


def test_caption_legend_and_what_is_missing():
    text = said(figure(experiments.small(), "one", FAMILIES[0], "seconds"))
    assert "n = 1,000, d = 20, 20,000 non-zeros, λ = 2⁻¹⁰" in text
    assert all(name in text for name in ("dcd", "pragam", "liblinear", "snapml is not installed", "pragam-b"))


def test_a_set_without_curves_has_no_panel_and_equal_sentences_are_said_once():
    runs = [
        made_run("one", "dcd"),
        *(made_run(data, "dcd", accuracy=lambda t: np.nan * t) for data in ("two", "three")),
    ]
    family = next(family for family in FAMILIES if family.key == "accuracy")
    sheet = small_multiples(made(runs), family, "seconds")
    assert len(sheet.axes) == 1 and "two, three: Accuracy not measured: dcd." in said(sheet)
    missing = small_multiples(made(runs[1:]), family, "seconds")
    assert len(missing.axes) == 2 and "\nAccuracy not measured: dcd." in said(missing)


def test_stand_ins_are_named_as_such():
    for sheet in (
        figure(experiments.stand_in(), "one", FAMILIES[0], "seconds"),
        headline(experiments.stand_in(), "one"),
    ):
        assert "synthetic stand-in for news20" in said(sheet)


def test_the_interval_is_drawn_where_the_optimum_is_not_proved():
    def bands(experiment):
        sheet = figure(experiment, "one", FAMILIES[0], "iterations")
        return len(sheet.axes[0].collections)

    assert bands(experiments.small()) == 0 and bands(experiments.not_proved()) == 3


def test_the_spread_is_drawn_where_there_are_repeats():
    def bands(experiment):
        return len(figure(experiment, "one", FAMILIES[0], "seconds").axes[0].collections)

    assert bands(experiments.small()) == 3 and bands(experiments.single_point()) == 0


def test_equal_figures_have_equal_bytes(tmp_path):
    first, second = (
        save(figure(experiments.single_point(), "one", FAMILIES[0], "seconds"), tmp_path / name) for name in ("a", "b")
    )
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_headline_says_who_proves_nothing():
    sheet = headline(experiments.small(), "one")
    assert "prove nothing: liblinear" in said(sheet)
    left, right = sheet.axes
    assert left.get_ylim() == right.get_ylim() and left.get_xlim() == right.get_xlim()
    chosen = said(headline(experiments.small(), "one", solvers=["dcd"]))
    assert "dcd" in chosen and "pragam" not in chosen


def test_legends_fit_on_the_sheet():
    names = ["dcd", "a solver with a long name", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"]
    experiment = made([made_run("one", name, is_peer=name != "dcd", count=5) for name in names])
    sheets = [figure(experiment, "one", FAMILIES[0], "seconds"), small_multiples(experiment, FAMILIES[0], "seconds")]
    for sheet in [*sheets, headline(experiment, "one")]:
        sheet.draw_without_rendering()
        assert sheet.legends[0].get_window_extent().x1 <= sheet.bbox.x1


def test_the_headline_shows_an_interval_where_the_optimum_is_not_proved():
    def bands(experiment):
        return len(headline(experiment, "one", solvers=["dcd"]).axes[0].collections)

    assert bands(experiments.not_proved()) == bands(experiments.small()) + 1


def test_the_headline_refuses_unknown_data():
    with pytest.raises(ValueError, match="data must be one of one, two; got 'three'"):
        headline(experiments.small(), "three")


def test_slugs_are_safe_and_different():
    names = ["a/b", "a b", "A-B", "", "<script>", "x" * 500, "é"]
    found = list(slugs(names).values())
    assert len(set(found)) == len(names) and all(re.fullmatch(r"[a-z0-9_-]{1,70}", slug) for slug in found)
