"""Tokens with features by name: the same model as of their matrix, and its largest weights under these names."""

from __future__ import annotations

import numpy as np
import pytest
from chain_words import dictionaries, phrases, sentences

from pragam import ChainSVC, GPSequenceClassifier
from pragam.models.names import Names
from pragam.samples import Chains

WORDS, TAGS = sentences(25)
TOKENS = dictionaries(WORDS)
LENGTHS = [len(words) for words in WORDS]
NAMES = Names.of(Chains.of(TOKENS))
X = NAMES.apply(Chains.of(TOKENS)).X
Y = np.concatenate(TAGS)
GP = {
    "gram": {},
    "a kernel by name": {"kernel": "linear"},
    "landmarks": {"n_landmarks": 4},
    "a temperature": {"calibrate": 0.3},
    "places": {"nodes": "by_position"},
}


@pytest.mark.parametrize("options", GP.values(), ids=GP)
def test_a_gaussian_process_of_dictionaries_is_that_of_their_matrix(options, tmp_path):
    model = GPSequenceClassifier(lam=1e-2, **options).fit(TOKENS, TAGS)
    same = GPSequenceClassifier(lam=1e-2, **options).fit(X, Y, LENGTHS)
    assert model.certificate_ == same.certificate_ and model.temperature_ == same.temperature_
    assert (np.concatenate(model.predict_proba(TOKENS)) == same.predict_proba(X, LENGTHS)).all()
    assert model.predict(TOKENS) == [list(tags) for tags in np.split(same.predict(X, LENGTHS), np.cumsum(LENGTHS)[:-1])]
    assert model.score(TOKENS, TAGS) > 0.9 and model.feature_names_ == NAMES.names and same.feature_names_ is None
    model.save(tmp_path / "model")
    again = GPSequenceClassifier.load(tmp_path / "model")
    assert again.feature_names_ == NAMES.names and again.certify(TOKENS, TAGS) == model.certificate_
    assert again.predict(TOKENS[:3]) == model.predict(TOKENS[:3]) and again.get_params() == model.get_params()


def test_a_gaussian_process_takes_strings_too_and_counts_what_it_does_not_know():
    tokens = [[[f"w={word}", "bias"] for word in words] for words in WORDS]
    model = GPSequenceClassifier(lam=1e-2).fit(tokens, TAGS)
    assert model.score(tokens, TAGS) > 0.9 and model.n_unseen_features_ == 0
    found = model.predict([[["w=zebra", "bias", "other"]], [], tokens[0]])
    assert model.n_unseen_features_ == 2 and found[1] == [] and found[2] == model.predict(tokens[:1])[0]
    with pytest.raises(ValueError, match="X has matrices, and the model was trained on features by name"):
        model.predict([np.eye(2)])


@pytest.mark.parametrize("against", [False, True])
def test_top_features_are_the_largest_of_the_row_of_their_label(against):
    model = ChainSVC(lam=0.01).fit(TOKENS, TAGS)
    for k, label in enumerate(model.classes_.tolist()):
        found = model.top_features(label, 4, against=against)
        by_name = dict(zip(model.feature_names_, model.coef_[k], strict=True))
        signed = [(-1 if against else 1) * pair.weight for pair in found]
        assert all(by_name[name] == weight for name, weight in found) and signed == sorted(signed, reverse=True)
        others = [(-1 if against else 1) * weight for name, weight in by_name.items() if name not in dict(found)]
        assert signed[-1] > 0 and max(others, default=0) <= (signed[-1] if len(found) == 4 else 0)


def test_what_a_label_is_known_by():
    model = ChainSVC(lam=0.01).fit(TOKENS, TAGS)
    assert {name for name, _ in model.top_features("D", 2)} == {"w=the", "w=a"}
    plain = ChainSVC(lam=0.01).fit(X, Y, LENGTHS)
    assert [name for name, _ in plain.top_features("D", 2)] == [
        f"x{NAMES.names.index(name)}" for name, _ in model.top_features("D", 2)
    ]
    assert len(model.top_features("D", 1000)) == (model.coef_[0] > 0).sum()


@pytest.mark.parametrize("kind", [ChainSVC, GPSequenceClassifier])
def test_top_transitions_are_the_largest(kind):
    model = kind(lam=0.01).fit(TOKENS, TAGS)
    before, after, weight = model.top_transitions(1)[0]
    i, j = np.unravel_index(model.transitions_.argmax(), (3, 3))
    assert (before, after) == (model.classes_[i], model.classes_[j]) and weight == model.transitions_.max()
    assert model.top_transitions(1, against=True)[0].weight == model.transitions_.min()
    signs = model.top_transitions(9), model.top_transitions(9, against=True)
    assert [len(own) for own in signs] == [(model.transitions_ > 0).sum(), (model.transitions_ < 0).sum()]


def test_forbidden_transitions_have_no_weight():
    model = ChainSVC(lam=0.01, transitions="iob").fit(TOKENS, phrases(TAGS))
    found = [*model.top_transitions(99), *model.top_transitions(99, against=True)]
    assert found and ("O", "I-NP") not in [pair[:2] for pair in found]


def test_what_cannot_be_asked():
    model = ChainSVC(lam=0.01).fit(TOKENS, TAGS)
    for ask, message in (
        (lambda: model.top_features("Q"), "label must be one of 'D', 'N', 'V', not 'Q'"),
        (lambda: model.top_features("D", 0), "n must be a whole number >= 1, not 0"),
        (lambda: model.top_transitions(1.5), "n must be"),
        (lambda: ChainSVC(kernel="rbf").fit(TOKENS, TAGS).top_features("D"), "the model has a kernel"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
