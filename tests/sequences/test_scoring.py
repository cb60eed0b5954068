"""F1 of chunks as a metric and as a scorer of scikit-learn's searches."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from pragam import ChainSVC
from pragam.sequences import chunk_f1_score, chunk_f1_scorer, evaluate

RNG = np.random.default_rng(0)
Y = [[("O", "B-x", "I-x")[k] for k in np.minimum.accumulate(RNG.integers(0, 3, RNG.integers(2, 7)))] for _ in range(24)]
Y = [["B-x" if tag == "I-x" and (not t or own[t - 1] == "O") else tag for t, tag in enumerate(own)] for own in Y]
X = [[{"tag": tag if RNG.random() < 0.8 else "?", "noise": str(RNG.integers(9))} for tag in own] for own in Y]
MODEL = ChainSVC(lam=0.01, labels=["B-x", "I-x", "O"])


def test_it_is_the_f1_of_the_table():
    predicted = [list(own) for own in Y]
    predicted[0][0] = "O" if predicted[0][0] != "O" else "B-x"
    expected = evaluate(Y, predicted).chunks["all"].f1
    flat = [[tag for own in side for tag in own] for side in (Y, predicted)]
    assert 0 < expected < 1 and chunk_f1_score(Y, predicted) == expected
    assert chunk_f1_score(*flat, [len(own) for own in Y]) == expected
    assert chunk_f1_score([["I-x"]], [["I-x"]]) == 1.0 and chunk_f1_score([["I-x"]], [["I-x"]], scheme="iob") == 0.0


def test_no_chunks_are_worth_nothing_and_other_labels_are_refused():
    assert chunk_f1_score([["O"], []], [["O"], []]) == 0.0
    for true, predicted in (([["noun"]], [["O"]]), ([["O"]], [["noun"]]), ([[1, 2]], [[1, 2]])):
        with pytest.raises(
            ValueError, match="F1 of chunks needs tags such as O, B-x and I-x, and there are labels such"
        ):
            chunk_f1_score(true, predicted)


@pytest.mark.parametrize("scoring", [chunk_f1_scorer, make_scorer(chunk_f1_score), {"f1": chunk_f1_scorer}])
@pytest.mark.parametrize("form", ["dictionaries", "matrices"])
def test_a_grid_search_has_the_scores_of_its_models(scoring, form):
    rng = np.random.default_rng(1)
    rows = X if form == "dictionaries" else [rng.standard_normal((len(own), 2)) for own in Y]
    lams, half = [0.01, 10.0], (np.arange(12), np.arange(12, 24))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GridSearchCV(MODEL, {"lam": lams}, cv=[half], scoring=scoring, refit=False).fit(rows, Y)
    expected = []
    for lam in lams:
        model = clone(MODEL).set_params(lam=lam).fit(rows[:12], Y[:12])
        expected.append(evaluate(Y[12:], model.predict(rows[12:])).chunks["all"].f1)
    name = "f1" if isinstance(scoring, dict) else "score"
    assert search.cv_results_[f"mean_test_{name}"].tolist() == expected and expected[0] != expected[1]


def test_other_processes_can_have_it():
    assert pickle.loads(pickle.dumps(chunk_f1_scorer)) is chunk_f1_scorer
