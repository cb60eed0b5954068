"""Risks by name: what a record means, and that a new name is all that a new risk needs to be certified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pragam
from pragam import io
from pragam.certificate import exact
from pragam.cli import main
from pragam.risks import by_name
from pragam.risks.by_name import RISKS, NamedRisk, parameters_of, problems_of

RECORD = {"name": "hinge", "lam": 0.1, "bias": True, "class_weight": None}


def data(n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_classes)
    y = np.arange(40) % n_classes
    return rng.standard_normal((40, 3)) + y[:, None], y.astype(float)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_the_hinge_is_one_against_the_rest(bias, n_classes):
    X, y = data(n_classes)
    problems = problems_of({**RECORD, "bias": bias, "class_weight": "balanced"}, X, y, list(range(n_classes)))
    weights = len(y) / (n_classes * np.bincount(y.astype(int)))[y.astype(int)]
    positives = [1] if n_classes == 2 else range(n_classes)
    w = np.ones(3)
    for k, problem in zip(positives, problems, strict=True):
        again = pragam.hinge(X, np.where(y == k, 1, -1), 0.1, bias, weights)
        assert problem.lam == 0.1 and problem.primal(w) == again.primal(w)


@pytest.mark.parametrize("name, shape", [("squared_hinge", {}), ("smoothed_hinge", {"gamma": 0.25})])
def test_smooth_hinges_are_one_against_the_rest(name, shape):
    X, y = data(3)
    problems = problems_of({**RECORD, "name": name, **shape}, X, y, [0, 1, 2])
    w, b = np.ones(3), np.array([0.5])
    for k, problem in enumerate(problems):
        again = getattr(pragam, name)(X, np.where(y == k, 1, -1), 0.1, **shape)
        assert problem.primal(w, b) == again.primal(w, b)


def test_a_smoothed_hinge_needs_its_width():
    with pytest.raises(ValueError, match="define no problem"):
        parameters_of({**RECORD, "name": "smoothed_hinge"})


@pytest.mark.parametrize(
    "change, message",
    [
        ({"name": "logistic"}, r"its risk is 'logistic', and this pragam knows hinge, squared_hinge, smoothed_hinge$"),
        ({"name": None}, "it names no risk"),
        ({"name": []}, "it names no risk"),
        ({"lam": True}, "the parameters of its risk 'hinge' define no problem"),
        ({"lam": "0.1"}, "define no problem"),
        ({"bias": None}, "define no problem"),
        ({"class_weight": [1, 2]}, "define no problem"),
    ],
)
def test_a_record_that_says_too_little_is_refused_in_one_line(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        parameters_of({**RECORD, **change})
    assert "\n" not in str(caught.value)


def test_every_risk_has_an_exact_judge():
    assert set(RISKS) <= set(exact.RISKS)


def _half_hinge(X, y, classes, lam, share):
    """The hinge with a smaller loss: other boxes, hence another problem."""
    return by_name.one_vs_rest(X, y, classes, lam, True, np.full(len(y), share))


def test_a_new_risk_needs_a_name_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(RISKS, "half hinge", NamedRisk(_half_hinge, dict.fromkeys(("lam", "share"), by_name.is_number)))
    X, y = data()
    pragam.datasets.save_svmlight(tmp_path / "data.svm", X, y)
    X, y = pragam.datasets.load(tmp_path / "data.svm")
    risk = {"name": "half hinge", "lam": 0.1, "share": 0.5}
    result = pragam.solve(problems_of(risk, X, y, [0, 1])[0], tol=1e-8)
    model = io.Model(
        result.w[None], np.array([result.bias]), [0, 1], result.alpha[None], [result.certificate], risk, {"tol": 1e-8},
        io.data_fingerprint(X, y),
    )  # fmt: skip
    paths = [str(tmp_path / "model"), str(tmp_path / "data.svm")]
    io.save_model(paths[0], model)
    assert io.load(paths[0]).risk == risk
    assert main(["certify", *paths]) == 0
    assert main(["certify", "--exact", *paths]) == 2
    err = capsys.readouterr().err
    assert err == f"pragam: {paths[0]}: its risk is 'half hinge', and --exact proves {', '.join(exact.RISKS)}\n"
    io.save_model(paths[0], replace(model, risk={**risk, "share": 1.0}))
    assert main(["certify", *paths]) == 3
