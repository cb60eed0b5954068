"""Heat maps of weights: the cells are the model's numbers under the right names."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.structured import Graph

RNG = np.random.default_rng(0)
Y = [["B-x", "I-x", "O"], ["O", "B-x", "O"], ["B-x", "B-x"]] * 4
X = [[{"tag": tag, "noise": str(RNG.integers(3))} for tag in own] for own in Y]


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip("matplotlib", reason="the extra plot")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def cells(ax):
    (image,) = ax.images
    names = ([label.get_text() for label in labels] for labels in (ax.get_yticklabels(), ax.get_xticklabels()))
    return *names, np.ma.filled(image.get_array(), np.nan)


def test_transitions_of_sequences_have_starts_and_ends_and_what_is_forbidden_is_left_out(plt):
    model = pragam.ChainSVC(lam=0.01, transitions="iob").fit(X, Y)
    ax = model.plot("transitions")
    rows, columns, table = cells(ax)
    assert rows == ["(start)", "B-x", "I-x", "O"] and columns == ["B-x", "I-x", "O", "(end)"]
    allowed = np.array([[1, 0, 1], [1, 1, 1], [1, 1, 1], [1, 0, 1]], dtype=bool)
    weights = np.vstack([model.start_, model.transitions_])
    assert (table[:, :-1][allowed] == weights[allowed]).all() and np.isnan(table[:, :-1][~allowed]).all()
    assert (table[1:, -1] == model.end_).all() and np.isnan(table[0, -1])
    assert [text.get_text() for text in ax.texts] == [f"{weight:.2g}" for weight in table[~np.isnan(table)]]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("label before", "label after")


def test_transitions_of_gaussian_processes_and_graphs(plt):
    model = pragam.GPSequenceClassifier(lam=0.01).fit(X, Y)
    rows, columns, table = cells(pragam.plot.transitions(model))
    assert rows == columns == ["B-x", "I-x", "O"] and (table == model.transitions_).all()
    graphs = [Graph(RNG.standard_normal((3, 2)), [(0, 1), (1, 2)], RNG.integers(0, 2, 3)) for _ in range(6)]
    edges = pragam.GraphSVC(lam=0.1).fit(graphs)
    ax = plt.subplots()[1]
    assert edges.plot("transitions", ax=ax) is ax and (cells(ax)[2] == edges.pairwise_[0]).all()
    assert "edge" in ax.get_ylabel()


def test_many_classes_make_a_map_of_coefficients_and_few_make_bars(plt):
    y = np.arange(120) % 12
    data = np.eye(12)[y] + 0.1 * RNG.standard_normal((120, 12))
    ax = pragam.LinearSVC(C=0.1).fit(data, y).plot("coefficients", top=5)
    model = pragam.LinearSVC(C=0.1).fit(data, y)
    rows, columns, table = cells(ax)
    order = np.argsort(-np.abs(model.coef_).max(axis=0), kind="stable")[:5]
    assert rows == [f"x{j}" for j in order] and columns == [str(k) for k in range(12)]
    assert (table == model.coef_[:, order].T).all() and ax.get_xlabel() == "7 smaller ones not shown"
    assert not pragam.LinearSVC().fit(data[:, :3], y % 3).plot("coefficients").images


def test_features_by_name_are_the_names_of_coefficients(plt):
    model = pragam.ChainSVC(lam=0.01).fit(X, Y)
    names = [label.get_text() for label in model.plot("coefficients").get_yticklabels()]
    assert set(names) == set(model.feature_names_)
    kernel = pragam.ChainSVC(lam=0.01, kernel="rbf").fit(X, Y)
    assert kernel.plot("coefficients").get_yticklabels()[0].get_text().startswith("x")


def test_very_many_labels_have_no_names(plt):
    y = np.arange(50)
    ax = pragam.ChainSVC(lam=0.1, tol=0.9).fit([np.eye(50)] * 2, [y, y[::-1]]).plot("transitions")
    assert cells(ax)[:2] == ([], []) and cells(ax)[2].shape == (51, 51)


def test_what_has_none_is_refused(plt):
    data, y = pragam.datasets.load_example()
    with pytest.raises(ValueError, match="transitions are those of sequences and graphs, and LinearSVC has none"):
        pragam.LinearSVC(C=0.1).fit(data, y).plot("transitions")
    with pytest.raises(ValueError, match="GPSequenceClassifier has no coefficients"):
        pragam.GPSequenceClassifier(lam=0.01).fit(X, Y).plot("coefficients")
    with pytest.raises(ValueError, match="kind must be one of gap, coefficients, certificates, transitions, not 'pie'"):
        pragam.ChainSVC().fit(X, Y).plot("pie")
