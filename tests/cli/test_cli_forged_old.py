"""Forged files of version 3: what was read before must not be easier to deceive."""

from __future__ import annotations

from pathlib import Path

import pytest

from forged import forge
from pragam.cli import main

OLD = Path(__file__).parents[1] / "files" / "old" / "version3"


def _zero(record, tensors, intercept=0.0):
    for name in ("coef", "alpha"):
        tensors[name].fill(0.0)
    tensors["intercept"].fill(intercept)


def _bounds(record, primal, dual):
    for proof in record["certificates"]:
        proof.update(primal=primal, dual=dual)


def _two_of_three(record, tensors):
    record.update(classes=record["classes"][:2], certificates=record["certificates"][1:2])
    tensors.update({name: tensors[name][1:2] for name in ("coef", "intercept", "alpha")})
    optima = record["parameters"].get("optima")
    record["parameters"]["optima"] = None if optima is None else optima[1:2]


def _absent_class(record, tensors):
    record["classes"][1] = 7777
    _zero(record, tensors, -2.0)
    _bounds(record, 0.0, 0.0)


FORGED = {
    "lam = -1": ("two", lambda r, t: (r["risk"].update(lam=-1.0), _bounds(r, 1e300, -1e300)), 2, "lam must be"),
    "lam = 0": ("two", lambda r, t: r["risk"].update(lam=0), 2, "lam must be"),
    "zero weights": ("two", lambda r, t: t["coef"].fill(0.0), 3, ""),
    "a tolerance of 10": ("two", lambda r, t: (t["coef"].fill(0.0), r["parameters"].update(tol=10.0)), 3, "0.01 (the"),
    "an absent class": ("two", _absent_class, 2, "y has the labels"),
    "two of three classes": ("three", _two_of_three, 2, "y has the labels"),
    "twice alpha": ("two", lambda r, t: t.update(alpha=2 * t["alpha"]), 2, ""),
    "no fingerprint": ("two", lambda r, t: r.update(fingerprint={}), 2, "no fingerprint"),
    "another fingerprint": ("two", lambda r, t: r["fingerprint"].update(sha256="ab"), 2, "belongs to other data"),
    "another size": ("two", lambda r, t: r["fingerprint"].update(d=5), 2, "belongs to other data"),
    "zero_based": ("two", lambda r, t: r["parameters"].update(zero_based=0.0), 2, "its zero_based must be true, false"),
}  # fmt: skip


@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["", "exact"])
@pytest.mark.parametrize("what", FORGED)
def test_a_forged_file_is_not_certified(tmp_path, capsys, what, exact):
    name, change, status, message = FORGED[what]
    file, data = str(tmp_path / "m"), str(OLD / f"{name}.svm")
    assert main(["certify", str(OLD / f"{name}.model"), data, *exact]) == 0
    forge(OLD / f"{name}.model", change, file)
    capsys.readouterr()
    assert main(["certify", file, data, *exact]) == status
    out, err = capsys.readouterr()
    assert message in out + err and err.count("\n") == (status == 2)


@pytest.mark.parametrize("bounds", [(0.0, 0.0), (1e300, -1e300)])
def test_stored_bounds_do_not_count_and_are_said_to_differ(tmp_path, capsys, bounds):
    file, data = str(tmp_path / "m"), str(OLD / "two.svm")
    forge(OLD / "two.model", lambda record, tensors: _bounds(record, *bounds), file)
    assert main(["certify", file, data]) == 0  # the recomputed ones are within the tolerance
    assert "Stored bounds of 1 of 1 problems differ from the recomputed ones, which count." in capsys.readouterr().out
    assert main(["certify", file, data, "--exact"]) == (3 if bounds == (0.0, 0.0) else 0)
