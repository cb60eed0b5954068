"""Model files that earlier versions of the format left behind still load, predict and certify."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pragam.cli import main
from pragam.datasets import load as load_data
from pragam.models import load
from pragam.models.features import Columns
from pragam.samples import Rows

FOLDER = Path(__file__).parents[1] / "files" / "old"
OLD = [
    f"version{k}/{name}" for k in (1, 2, 3, 4) for name in ("two", "three", "columns") if (k, name) != (1, "columns")
]
#: What the trainings of the version-2 files minimised.
RISKS = {
    "two": {"name": "hinge", "lam": 1 / (15 * 0.5), "bias": True, "class_weight": None},
    "three": {"name": "hinge", "lam": 0.02, "bias": False, "class_weight": "balanced"},
    "columns": {"name": "hinge", "lam": 1 / 6, "bias": True, "class_weight": None},
}


@pytest.mark.parametrize("name", OLD)
def test_an_old_model_loads_predicts_and_certifies(name, capsys):
    model, data = str(FOLDER / f"{name}.model"), str(FOLDER / f"{name}.svm")
    loaded = load(model)
    assert loaded.tensors["coef"].shape == (3 if "three" in name else 1, 3 if "columns" in name else 4)
    assert len(loaded.proofs) == len(loaded.risk.parts(loaded.labels)) == len(loaded.tensors["coef"])
    assert main(["predict", model, data]) == 0
    assert capsys.readouterr().out == (FOLDER / f"{name}.labels").read_text()
    assert main(["certify", model, data]) == 0


@pytest.mark.parametrize("name", ["version3/two", "version3/three", "version4/two", "version4/three"])
def test_what_is_certified_is_what_was_stored(name):
    model = load(FOLDER / f"{name}.model")
    found = model.certify(Rows.of(*load_data(FOLDER / f"{name}.svm")))
    assert found == [proof.certificate for proof in model.proofs]


@pytest.mark.parametrize("name", [name for name in OLD if name < "version3" and "columns" not in name])
def test_what_was_certified_before_its_rounding_was_agrees_with_what_is(name):
    """Both intervals hold the same minimum, but for the rounding that those of old did not count."""
    model = load(FOLDER / f"{name}.model")
    found = model.certify(Rows.of(*load_data(FOLDER / f"{name}.svm")))
    for new, proof in zip(found, model.proofs, strict=True):
        old, room = proof.certificate, 2 * new.slack
        assert new.rigorous and new.dual <= old.primal + room and old.dual <= new.primal + room


@pytest.mark.parametrize("version", ["version2", "version3", "version4"])
@pytest.mark.parametrize("name", RISKS)
def test_a_file_keeps_its_risk_its_columns_and_its_bounds(version, name, capsys):
    path = FOLDER / version / name
    loaded = load(f"{path}.model")
    each, class_weight = RISKS[name] | {"class_weight": None}, RISKS[name]["class_weight"]
    assert loaded.risk.to_json() == {"name": "one_vs_rest", "each": each, "class_weight": class_weight}
    columns = loaded.features.find(Columns)
    assert columns is None if name != "columns" else np.array_equal(columns.columns, [2, 69, 1_000_000])
    assert main(["predict", f"{path}.model", f"{path}.svm", "--bounds"]) == 0
    for line in capsys.readouterr().out.splitlines():
        ends = np.array(line.split()[1:], dtype=float).reshape(-1, 2)
        assert (ends[:, 0] <= ends[:, 1]).all() and np.isfinite(ends).all()
    assert main(["certify", "--exact", f"{path}.model", f"{path}.svm"]) == 0
