"""Sequences without tokens have the empty labelling, in every form; training refuses them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import ChainSVC, GPSequenceClassifier

X = [np.eye(3)[[0, 1, 2]], np.eye(3)[[2, 2]], np.eye(3)[[1]]]
Y = [["B-x", "I-x", "O"], ["O", "O"], ["B-x"]]
TOKENS = [[{"word": str(k)} for k in own.argmax(axis=1)] for own in X]
FULL, NONE = np.concatenate(X), np.empty((0, 3))
MODELS = {
    "chain": ChainSVC(lam=1e-3),
    "iob": ChainSVC(lam=1e-3, transitions="iob"),
    "kernel": ChainSVC(lam=1e-3, kernel="rbf"),
    "gp": GPSequenceClassifier(lam=1e-3),
    "gp with rules": GPSequenceClassifier(lam=1e-3, transitions="iob"),
    "gp with landmarks": GPSequenceClassifier(lam=1e-3, n_landmarks=2),
}


def listed(parts):
    return [list(part) for part in parts]


@pytest.mark.parametrize("name", MODELS)
def test_the_others_are_labelled_as_without_them(name):
    model = MODELS[name].fit(X, Y)
    whole = listed(model.predict(X))
    assert listed(model.predict([NONE, X[0], NONE, X[1], X[2], NONE])) == [[], whole[0], [], whole[1], whole[2], []]
    assert listed(model.predict([[], X[1]])) == [[], whole[1]]
    assert model.predict(FULL, [0, 3, 0, 2, 1]).tolist() == [*whole[0], *whole[1], *whole[2]]
    assert model.predict([]) == [] and listed(model.predict([NONE, NONE])) == [[], []]
    assert model.predict(NONE).shape == model.predict(NONE, []).shape == (0,)
    assert listed(model.predict([sparse.csr_array(NONE), sparse.csr_array(X[1])])) == [[], whole[1]]
    certain = model.predict_proba if hasattr(model, "predict_proba") else model.token_margins
    assert [len(part) for part in certain([NONE, X[0]])] == [0, 3] and certain([]) == []


def test_tokens_with_features_by_name():
    model = ChainSVC(lam=1e-3).fit(TOKENS, Y)
    assert model.predict([[], TOKENS[0]]) == [[], model.predict(TOKENS[:1])[0]]
    assert model.predict([]) == [] and model.predict([[], []]) == [[], []]


@pytest.mark.parametrize("name", ["chain", "iob", "kernel"])
def test_their_one_labelling_is_the_best(name):
    model = MODELS[name].fit(X, Y)
    whole, found = model.predict_topk(X[:2], 3), model.predict_topk([NONE, X[0], NONE, X[1]], 3)
    for own, expected in zip(found, [None, whole[0], None, whole[1]], strict=True):
        scores = [0.0] if expected is None else [score for _, score in expected]
        assert [score for _, score in own] == scores and len(own[0][0]) == (
            0 if expected is None else len(expected[0][0])
        )
    assert model.predict_topk([], 2) == []


@pytest.mark.parametrize("model", [ChainSVC(), GPSequenceClassifier()])
def test_training_and_scores_refuse_them(model):
    with pytest.raises(ValueError, match="sequence 1: it is empty"):
        model.fit([X[0], NONE], [Y[0], []])
    with pytest.raises(ValueError, match="X must be a matrix or a list"):
        model.fit([], [])
    with pytest.raises(ValueError, match="sequence 0: it is empty"):
        model.fit(X, Y).score([NONE], [[]])
    with pytest.raises(ValueError, match="whole numbers"):
        model.predict(FULL, [7, -1])


def test_errors_name_a_sequence_by_its_place_among_all():
    turns = np.eye(3, k=1, dtype=bool)  # a b c and nothing longer
    for model in (ChainSVC(lam=1e-3, transitions=turns), GPSequenceClassifier(lam=1e-2, transitions=turns)):
        model.fit([X[0], X[1]], [["a", "b", "c"], ["a", "b"]])
        with pytest.raises(ValueError, match="sequence 2: "):
            model.predict([NONE, X[0], np.zeros((4, 3))])
        with pytest.raises(ValueError, match="sequence 2: it must be a matrix of 3 columns"):
            model.predict([NONE, X[0], np.zeros((2, 4))])
        with pytest.raises(ValueError, match="sequence 2: X contains NaN"):
            model.predict([NONE, X[0], np.full((1, 3), np.nan)])


@pytest.mark.parametrize("words", [["the", "dog"], np.array(["the", "dog"])])
def test_words_are_no_tokens(words):
    with pytest.raises(ValueError, match=r"sequence 1: tokens are dictionaries or lists of strings, not .* 'the'"):
        ChainSVC().fit([[["a"]], words], [["x"], ["x", "y"]])
