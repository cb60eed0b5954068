"""Risks as records: what they pose, JSON and back, refusals, and that a new record is all that a new risk needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import pragam
from pragam import models
from pragam.cli import main
from pragam.driver.jobs import Settings
from pragam.models import kinds
from pragam.risks import Hinge, OneVsRest, Quantile, SmoothedHinge, SquaredHinge
from pragam.risks.margins import Margin
from pragam.risks.record import risk_of
from pragam.samples import Rows

RECORD = {"name": "hinge", "lam": 0.1, "bias": True, "class_weight": None}


def data(n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_classes)
    y = np.arange(40) % n_classes
    return rng.standard_normal((40, 3)) + y[:, None], y.astype(float)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_the_hinge_is_one_against_the_rest(bias, n_classes):
    X, y = data(n_classes)
    risk = OneVsRest(each=Hinge(lam=0.1, bias=bias), class_weight="balanced")
    problems = risk.pose(Rows.of(X, y), np.arange(n_classes))
    weights = len(y) / (n_classes * np.bincount(y.astype(int)))[y.astype(int)]
    positives = [1] if n_classes == 2 else range(n_classes)
    w = np.ones(3)
    for k, problem in zip(positives, problems, strict=True):
        again = pragam.hinge(X, np.where(y == k, 1, -1), 0.1, bias, weights)
        assert problem.lam == 0.1 and problem.primal(w) == again.primal(w)


@pytest.mark.parametrize("each", [SquaredHinge(lam=0.1), SmoothedHinge(lam=0.1, gamma=0.25)], ids=str)
def test_smooth_hinges_are_one_against_the_rest(each):
    X, y = data(3)
    w, b = np.ones(3), np.array([0.5])
    width = {"gamma": 0.25} if each.name == "smoothed_hinge" else {}
    for k, problem in enumerate(OneVsRest(each=each).pose(Rows.of(X, y), np.arange(3))):
        again = getattr(pragam, each.name)(X, np.where(y == k, 1, -1), 0.1, **width)
        assert problem.primal(w, b) == again.primal(w, b)


@pytest.mark.parametrize("risk", kinds.RISKS.values(), ids=lambda risk: risk.name)
def test_json_gives_the_record_back(risk):
    assert risk_of(risk().to_json(), kinds.RISKS) == risk() and risk().to_json()["name"] == risk.name
    assert hash(risk()) == hash(risk())


@pytest.mark.parametrize(
    "change, message",
    [
        ({"name": "logistic"}, r"its risk is 'logistic', and this pragam knows .*hinge"),
        ({"name": None}, "it names no risk"),
        ({"name": []}, "it names no risk"),
        ({"lam": True}, "lam must be"),
        ({"lam": "0.1"}, "lam must be"),
        ({"bias": None}, "bias must be"),
        ({"class_weight": [1, 2]}, "class_weight must be"),
        ({"gamma": 1.0}, "must have bias, class_weight, lam, not"),
    ],
)
def test_a_record_that_says_too_little_is_refused_in_one_line(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        risk_of({**RECORD, **change}, kinds.RISKS)
    assert "\n" not in str(caught.value)


def test_lam_may_be_another():
    assert OneVsRest(each=Hinge(lam=0.1)).at(0.5).each.lam == 0.5
    assert Quantile(q=0.3).at(0.5) == Quantile(q=0.3, lam=0.5)


def half_hinge(X, y, lam, bias, sample_weight=None, class_weight=None):
    """The hinge with a smaller loss: other boxes, hence another problem."""
    return pragam.hinge(X, y, lam, bias, np.full(len(y), 0.5))


@dataclass(frozen=True, kw_only=True)
class HalfHinge(Margin):
    """A risk of tomorrow."""

    name: ClassVar[str] = "half_hinge"
    build = staticmethod(half_hinge)


def test_a_new_risk_needs_a_record_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(kinds.RISKS, "half_hinge", HalfHinge)
    pragam.datasets.save_svmlight(tmp_path / "data.svm", *data())
    rows, paths = (
        Rows.of(*pragam.datasets.load(tmp_path / "data.svm")),
        [str(tmp_path / "m"), str(tmp_path / "data.svm")],
    )
    model = models.fit(HalfHinge(lam=0.1), rows, Settings(tol=1e-8)).model
    models.save(paths[0], model)
    assert models.load(paths[0]).risk == HalfHinge(lam=0.1)
    assert models.load(paths[0]).certify(rows) == [model.certificate]
    assert main(["certify", *paths]) == 0
    assert main(["certify", "--exact", *paths]) == 2
    assert "half_hinge" in capsys.readouterr().err
