"""Models of graphs as files: what predicts and what proves comes back, and everything else is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from pragam import GraphSVC, models
from pragam.models import GraphModel
from pragam.samples import Graphs
from pragam.structured import Graph

RNG = np.random.default_rng(0)
TREE, RING = [(0, 1), (1, 2), (1, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)]
OLD = Path(__file__).parents[1] / "files" / "old" / "graphs1" / "trees.model"


def graphs_of(edges):
    return [
        Graph(RNG.standard_normal((4, 2)), edges, RNG.integers(0, 3, 4), RNG.standard_normal((len(edges), 1)))
        for _ in range(6)
    ]


@pytest.mark.parametrize("edges", [TREE, RING], ids=["trees", "rings"])
def test_what_predicts_and_what_proves_comes_back(tmp_path, edges):
    graphs = graphs_of(edges)
    fitted = GraphSVC(lam=0.2, tol=0.05).fit(graphs, sample_weight=np.arange(6.0)).model_
    models.save(tmp_path / "m", fitted)
    again, samples = models.load(tmp_path / "m"), Graphs(graphs)
    assert isinstance(again, GraphModel) and again.certificate.exact == (edges is TREE)
    assert again.certify(samples) == [again.certificate] == [fitted.certificate]
    assert np.array_equal(again.predict(samples), fitted.predict(samples))
    assert (again.given["weights"] == np.arange(6.0)).all()
    with pytest.raises(ValueError, match=r"belongs to other data .*n 24.*not to these .*n 20"):
        again.certify(Graphs(graphs[:5]))


def test_without_its_dual_point_a_model_predicts_and_proves_nothing(tmp_path):
    graphs = graphs_of(TREE)
    GraphSVC(lam=0.2).fit(graphs).save(tmp_path / "m", proofs=False)
    model = GraphSVC.load(tmp_path / "m")
    assert model.dual_ is None and len(model.predict(graphs)) == 6
    with pytest.raises(ValueError, match="holds no dual point"):
        model.certify(graphs)


@pytest.mark.parametrize(
    ("tensors", "changes", "message"),
    [
        ({}, {"kind": "chain"}, "its risk 'graph_hinge' of 'graph'"),
        ({}, {"labels": [0, 1, 2, 3]}, "coef must be of the shape"),
        ({}, {"risk": {"name": "graph_hinge", "lam": 0.2}}, "must have lam, loss"),
        ({"pairwise": np.zeros((2, 3, 2))}, {}, "pairwise must be of the shape"),
        ({"pairwise": np.full((2, 3, 3), np.nan)}, {}, "pairwise contains NaN"),
        ({"given.weights": np.full(6, -1.0)}, {}, "given.weights must be"),
        ({}, {"proofs": [{}]}, "certificate must be a dict"),
    ],
)
def test_files_that_make_no_sense_are_refused(tmp_path, tensors, changes, message):
    GraphSVC(lam=0.2).fit(graphs_of(TREE)).save(tmp_path / "m")
    with safe_open(tmp_path / "m", "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(tmp_path / "m") | tensors, tmp_path / "m", {"pragam": json.dumps(record | changes)})
    with pytest.raises(ValueError, match=message) as refusal:
        GraphSVC.load(tmp_path / "m")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"risk": {"name": "graph_hinge"}}, "must have lam, loss"),
        ({"parameters": {"status": "DONE", "n_iter": 1}}, "its status, 'DONE', is not known"),
        ({"dual": 3}, "dual must be a dict"),
    ],
)
def test_an_old_file_that_makes_no_sense_is_refused(tmp_path, changes, message):
    with safe_open(OLD, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(OLD), tmp_path / "m", {"pragam": json.dumps(record | changes)})
    with pytest.raises(ValueError, match=message):
        models.load(tmp_path / "m")
