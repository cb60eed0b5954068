"""Answers of theorems that are kept: the same ones, and never those of other code."""

from __future__ import annotations

import json

import pytest

from pragam.paper import kept
from pragam.paper.kept import fingerprint, kept_checks
from pragam.paper.theory import Check

CHECKS = [Check("a.b", "1/3 is at most infinity.", 1 / 3, float("inf"), "<=", 1e-9, "folklore")]


def once(names):
    return CHECKS


def never(names):
    pytest.fail("it was kept")


def test_the_same_code_is_not_run_again(tmp_path):
    path = tmp_path / "theory.json"
    assert kept_checks(path, ["a"], once) == CHECKS == kept_checks(path, ["a"], never)


@pytest.mark.parametrize("change", ["names", "code", "damage", "fields", "form"])
def test_anything_else_is_run(tmp_path, monkeypatch, change):
    path = tmp_path / "theory.json"
    kept_checks(path, ["a"], lambda names: [])
    if change == "code":
        monkeypatch.setattr(kept, "fingerprint", lambda: "other")
    if change == "damage":
        path.write_bytes(path.read_bytes()[:-3])
    if change == "fields":
        path.write_text(json.dumps({**json.loads(path.read_text()), "checks": [{"name": "a"}]}))
    if change == "form":
        path.write_text("[]")
    assert kept_checks(path, ["b" if change == "names" else "a"], once) == CHECKS
    assert json.loads(path.read_text())["checks"][0]["name"] == "a.b"


def test_the_fingerprint_is_of_the_sources(tmp_path, monkeypatch):
    before = fingerprint()
    assert before == fingerprint()
    monkeypatch.setattr(kept, "_PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text("x = 1")
    one = fingerprint()
    (tmp_path / "a.py").write_text("x = 2")
    assert len({before, one, fingerprint()}) == 3


def test_a_run_that_is_broken_off_keeps_nothing(tmp_path):
    def broken(names):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_checks(tmp_path / "theory.json", ["a"], broken)
    assert not list(tmp_path.iterdir())
