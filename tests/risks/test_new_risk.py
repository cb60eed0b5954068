"""A new record is all that a new risk needs to be fitted, kept in a file and certified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import pragam
from pragam import models
from pragam.cli import main
from pragam.driver.jobs import Settings
from pragam.models import kinds
from pragam.risks.margins import Margin
from pragam.samples import Rows


def half_hinge(X, y, lam, bias, sample_weight=None):
    """The hinge with a smaller loss: other boxes, hence another problem."""
    return pragam.hinge(X, y, lam, bias, np.full(len(y), 0.5))


@dataclass(frozen=True, kw_only=True)
class HalfHinge(Margin):
    """A risk of tomorrow."""

    name: ClassVar[str] = "half_hinge"
    build = staticmethod(half_hinge)


def test_a_new_risk_needs_a_record_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(kinds.RISKS, "half_hinge", HalfHinge)
    y = np.arange(40) % 2.0
    X = np.random.default_rng(2).standard_normal((40, 3)) + y[:, None]
    file, data = str(tmp_path / "m"), str(tmp_path / "data.svm")
    pragam.datasets.save_svmlight(data, X, y)
    rows = Rows.of(*pragam.datasets.load(data))
    model = models.fit(HalfHinge(lam=0.1), rows, Settings(tol=1e-8)).model
    models.save(file, model)
    again = models.load(file)
    assert again.risk == HalfHinge(lam=0.1) and again.certify(rows) == [model.certificate]
    assert main(["certify", file, data]) == 0
    assert main(["certify", "--exact", file, data]) == 2
    assert "half_hinge" in capsys.readouterr().err
