"""Model files that earlier versions of the format left behind still load, predict and certify."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pragam.cli import main
from pragam.models import load
from pragam.models.features import Columns

FOLDER = Path(__file__).parents[1] / "files" / "old"
OLD = ["version1/two", "version1/three", "version2/two", "version2/three", "version2/columns"]
OLD += ["version3/two", "version3/three", "version3/columns"]
#: What the trainings of the files of versions 2 and 3 minimised.
RISKS = {
    "two": {"name": "hinge", "lam": 1 / (15 * 0.5), "bias": True, "class_weight": None},
    "three": {"name": "hinge", "lam": 0.02, "bias": False, "class_weight": "balanced"},
    "columns": {"name": "hinge", "lam": 1 / 6, "bias": True, "class_weight": None},
}


@pytest.mark.parametrize("name", OLD)
def test_an_old_model_loads_predicts_and_certifies(name, capsys):
    model, data = str(FOLDER / f"{name}.model"), str(FOLDER / f"{name}.svm")
    loaded = load(model)
    assert loaded.tensors["coef"].shape[1] == (3 if "columns" in name else 4)
    assert len(loaded.proofs) == (3 if "three" in name else 1)
    assert main(["predict", model, data]) == 0
    assert capsys.readouterr().out == (FOLDER / f"{name}.labels").read_text()
    assert main(["certify", model, data]) == 0


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", RISKS)
def test_a_file_keeps_its_risk_its_columns_and_its_bounds(version, name, capsys):
    path = FOLDER / f"version{version}" / name
    loaded = load(f"{path}.model")
    each, wanted = loaded.risk.each, RISKS[name]
    found = {"name": each.name, "lam": each.lam, "bias": each.bias, "class_weight": loaded.risk.class_weight}
    assert loaded.risk.name == "one_vs_rest" and each.class_weight is None and found == wanted
    columns = loaded.features.find(Columns)
    assert columns is None if name != "columns" else columns.columns.tolist() == [2, 69, 1_000_000]
    assert main(["predict", f"{path}.model", f"{path}.svm", "--bounds"]) == 0
    for line in capsys.readouterr().out.splitlines():
        ends = np.array(line.split()[1:], dtype=float).reshape(-1, 2)
        assert (ends[:, 0] <= ends[:, 1]).all() and np.isfinite(ends).all()
    assert main(["certify", "--exact", f"{path}.model", f"{path}.svm"]) == 0
