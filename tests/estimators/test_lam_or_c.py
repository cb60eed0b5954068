"""C in place of lam, for labellers of sequences and of graphs: one problem in two scalings."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from pragam import ChainSVC, GraphSVC
from pragam.structured import Graph

RNG = np.random.default_rng(0)
X = [RNG.standard_normal((n, 2)) for n in (3, 1, 4, 2, 5, 3, 2, 4)]
Y = [np.r_[np.arange(len(own)) % 2] for own in X]
GRAPHS = [Graph(own, [(t, t + 1) for t in range(len(own) - 1)], y) for own, y in zip(X, Y, strict=True)]
FITS = {"chains": (ChainSVC, (X, Y)), "graphs": (GraphSVC, (GRAPHS,))}
kinds = pytest.mark.parametrize(("kind", "data"), FITS.values(), ids=FITS)


@kinds
def test_c_is_one_over_n_lam(kind, data):
    one, other = kind(C=4.0, tol=1e-4).fit(*data), kind(lam=1 / (8 * 4.0), tol=1e-4).fit(*data)
    assert one.lam_ == other.lam_ == 1 / 32 and (one.coef_ == other.coef_).all()
    assert one.certificate_ == other.certificate_
    assert kind().fit(*data).lam_ == 0.01 and kind(0.5).fit(*data).lam_ == 0.5


@kinds
def test_both_are_refused_by_their_names(kind, data):
    with pytest.raises(ValueError, match=r"lam=0\.5 and C=2\.0 are two words .* give only one of them"):
        kind(lam=0.5, C=2.0).fit(*data)
    for wrong in (0, -1.0, np.inf, "1", np.nan):
        with pytest.raises(ValueError, match="C"):
            kind(C=wrong).fit(*data)
    with pytest.raises(ValueError, match="too extreme for 8 examples"):
        kind(C=1e-320).fit(*data)


@kinds
def test_parameters_files_and_clones_keep_what_was_given(kind, data, tmp_path):
    model = kind(C=2.0).fit(*data)
    assert model.get_params()["C"] == 2.0 and model.get_params()["lam"] == 0.01
    model.save(tmp_path / "model")
    for again in (clone(model), kind.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert again.get_params() == model.get_params()
    loaded = kind.load(tmp_path / "model")
    assert loaded.lam_ == model.lam_ == 1 / 16 and loaded.certify(*data) == model.certificate_
    assert loaded.set_params(C=None, lam=0.3).fit(*data).lam_ == 0.3


@kinds
def test_searches_go_over_either(kind, data):
    found = [
        GridSearchCV(kind(labels=[0, 1]), grid, cv=2).fit(*data)
        for grid in ({"C": [25.0, 1e-3]}, {"lam": [0.01, 250.0]})
    ]
    scores = [search.cv_results_["mean_test_score"] for search in found]
    assert (scores[0] == scores[1]).all()  # 4 of the 8 examples are in each fold: lam = 1/(4 C)
    best = found[0].best_estimator_
    assert best.lam_ == 1 / (8 * best.C)  # and all of them in the end


def test_a_path_has_its_own_lams():
    for point, lam in zip(ChainSVC(C=3.0).fit_path(X, Y, [1.0, 0.1]), (1.0, 0.1), strict=True):
        assert (point.lam, point.C, point.lam_) == (lam, None, lam) and point.fit(X, Y).lam_ == lam


def test_the_remedy_names_both():
    with pytest.warns(ConvergenceWarning, match=r"raise lam \(lower C\)"):
        ChainSVC(C=100.0, tol=1e-12, max_iter=1).fit(X, Y)
