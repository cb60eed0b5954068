"""The card of a model: its facts are those of the model, and its weights are the largest."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pragam
from pragam import models
from pragam.cli import main


def fitted():
    """An estimator of every kind, by name."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4))
    score = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.standard_normal(40)
    y, lengths = np.digitize(score, [-1, 1]), [3, 7] * 4
    graphs = [pragam.structured.Graph(X[k : k + 4], [(0, 1), (1, 2)], y[k : k + 4]) for k in range(0, 40, 4)]
    return {
        "classes": pragam.LinearSVC().fit(X, y),
        "penalised": pragam.LinearSVC(intercept_scaling=1.0).fit(X, y > 0),
        "Crammer-Singer": pragam.MulticlassSVC().fit(X, y),
        "levels": pragam.OrdinalSVC().fit(X, y),
        "sets": pragam.MultilabelSVC().fit(X, (X[:, :3] > 0).astype(int)),
        "numbers": pragam.LinearSVR().fit(X, score),
        "quantiles": pragam.QuantileRegressor(quantile=[0.1, 0.9]).fit(X, score),
        "chain": pragam.ChainSVC(lam=0.1).fit(X, y, lengths),
        "tags": pragam.ChainSVC(lam=0.1).fit(X, y > 0, lengths),
        "kernel": pragam.ChainSVC(lam=0.1, kernel="rbf").fit(X, y, lengths),
        "graph": pragam.GraphSVC(lam=0.1).fit(graphs),
        "gp": pragam.GPSequenceClassifier().fit(X, y, lengths),
    }


@pytest.fixture(scope="module")
def estimators():
    return fitted()


KINDS = "classes, penalised, Crammer-Singer, levels, sets, numbers, quantiles, chain, tags, kernel, graph, gp"


@pytest.mark.parametrize("name", KINDS.split(", "))
def test_every_kind_of_model_has_a_card(estimators, name):
    model = estimators[name].model_
    card = models.card_of(model)
    assert (
        card.facts["minimises"] == str(model) and f"{model.certificate.relative_gap:.2e}" in card.facts["certificate"]
    )
    assert json.loads(json.dumps(card.to_dict()))["title"] == card.title
    assert all(value in str(card) for value in card.facts.values())
    coef = model.column_weights()
    assert len(card.largest) == (0 if coef is None else len(coef))
    for row, pairs in zip(() if coef is None else coef, card.largest.values(), strict=True):
        shown = np.abs([weight for _, weight in pairs])
        assert (np.diff(shown) <= 0).all() and shown.max(initial=0) == np.abs(row).max()


def test_names_are_those_of_the_columns(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    X, y = pragam.datasets.load_example()
    frame = pandas.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = pragam.LinearSVC().fit(frame, y)
    largest = int(np.abs(model.coef_[0]).argmax())
    ((pair, *_),) = model.summary(top=2).largest.values()
    assert pair == (f"column {largest}", model.coef_[0, largest])
    model.save(tmp_path / "m.model")
    assert main(["show", str(tmp_path / "m.model"), "--top", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["largest"] == {"": [list(pair)]}
    assert main(["show", str(tmp_path / "m.model")]) == 0
    assert f"column {largest}" in capsys.readouterr().out


def test_a_model_without_proof_says_so(tmp_path):
    X, y = pragam.datasets.load_example()
    pragam.LinearSVC().fit(X, y).save(tmp_path / "bare.model", proofs=False)
    assert "left out" in str(models.card_of(models.load(tmp_path / "bare.model")))


@pytest.mark.parametrize("bad", [-1, 1.5, "a"])
def test_top_is_a_whole_number(bad):
    X, y = pragam.datasets.load_example()
    with pytest.raises(ValueError, match="top"):
        pragam.LinearSVC().fit(X, y).summary(top=bad)


def test_what_is_no_model_gets_one_line(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("no model")
    for arguments in (
        ["show", str(tmp_path / "a.txt")],
        ["show", str(tmp_path / "missing")],
        ["show", "x", "--top", "a"],
    ):
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
        assert status == 2 and capsys.readouterr().err.count("\n") == 1
