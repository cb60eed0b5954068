"""Model files of format version 1, written before there was a version 2, still load, predict and certify."""

from __future__ import annotations

from pathlib import Path

import pytest

from pragam.cli import main
from pragam.io import load

FOLDER = Path(__file__).parent / "version1"


@pytest.mark.parametrize("name", ["two", "three"])
def test_version_1_loads_predicts_and_certifies(name, capsys):
    model, data = str(FOLDER / f"{name}.model"), str(FOLDER / f"{name}.svm")
    assert load(model).n_features == 4 and len(load(model).certificates) == (1 if name == "two" else 3)
    assert main(["predict", model, data]) == 0
    assert capsys.readouterr().out == (FOLDER / f"{name}.labels").read_text()
    assert main(["certify", model, data]) == 0
