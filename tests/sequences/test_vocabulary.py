"""Features by name: the matrix of scikit-learn's DictVectorizer, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction import DictVectorizer

from pragam.sequences import Vocabulary

SEQUENCES = [
    [{"w": "a", "n": 2, "flag": True}, {"w": "b"}, {}],
    [{"w": "a", "n": -0.5, "tags": ["x", "y"]}],
]


def test_same_matrix_as_dict_vectorizer():
    other = DictVectorizer()
    expected = other.fit_transform([token for sequence in SEQUENCES for token in sequence])
    vocabulary = Vocabulary.of_tokens(SEQUENCES)
    X, unseen = vocabulary.vectorise(SEQUENCES)
    assert vocabulary.names == other.feature_names_ and unseen == 0
    assert (X.toarray() == expected.toarray()).all()
    later = [[{"w": "c", "n": 1, "new": 3}, {}], [{}]]
    X, unseen = vocabulary.vectorise(later)
    assert (X.toarray() == other.transform([*later[0], *later[1]]).toarray()).all() and unseen == 2


def test_lists_of_strings_are_ones_and_repeated_ones_add_up():
    vocabulary = Vocabulary.of_tokens([[["w=a", "bias"], ["bias", "bias"]], [[]]])
    X, _ = vocabulary.vectorise([[["w=a", "bias"], ["bias", "bias"]], [[]]])
    assert vocabulary.names == ["bias", "w=a"]
    assert np.array_equal(X.toarray(), [[1, 1], [2, 0], [0, 0]])


@pytest.mark.parametrize("token", [{"w": None}, {"w": np.nan}, {"w": float("inf")}, {"w": {}}, [1, 2], "word"])
def test_a_bad_token_names_its_sequence(token):
    with pytest.raises(ValueError, match="sequence 1: "):
        Vocabulary.of_tokens([[{"w": "a"}], [{"w": "a"}, token]])
