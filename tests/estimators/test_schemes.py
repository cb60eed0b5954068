"""Models whose labels are tags predict chunks of their scheme, whatever the data say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pragam import ChainSVC, GPSequenceClassifier
from pragam.structured.rules import Rules

TRUTHS = {
    "iob": [["B-x", "I-x", "O"], ["B-y", "B-x"], ["O"], ["B-y", "I-y"]],
    "iob1": [["I-x", "B-x", "O"], ["I-y", "I-x"], ["O"], ["I-y", "B-y"]],
    "ioe1": [["I-x", "E-x", "I-x"], ["I-y", "I-x"], ["O"], ["E-y", "I-y"]],
    "ioe2": [["I-x", "E-x", "O"], ["E-y", "E-x"], ["O"], ["I-y", "E-y"]],
    "bioes": [["B-x", "I-x", "E-x"], ["S-y", "S-x"], ["O"], ["B-y", "E-y"]],
    "bilou": [["B-x", "I-x", "L-x"], ["U-y", "U-x"], ["O"], ["B-y", "L-y"]],
}


@pytest.mark.parametrize("scheme", TRUTHS)
@pytest.mark.parametrize("estimator", [ChainSVC, GPSequenceClassifier])
def test_predictions_keep_to_the_scheme_and_the_certificate_is_that_of_its_problem(estimator, scheme, tmp_path):
    rng, y = np.random.default_rng(0), TRUTHS[scheme]
    X = [rng.standard_normal((len(own), 2)) for own in y]
    model = estimator(lam=0.1, transitions=scheme, tol=1e-3).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-3 and model.certify(X, y) == model.certificate_
    labels = model.classes_.tolist()
    rules = Rules.named(scheme, labels)
    for own in model.predict([5 * rng.standard_normal((n, 2)) for n in range(1, 40)]):
        numbers = [labels.index(tag) for tag in own]
        assert rules.starts[numbers[0]] and rules.ends[numbers[-1]]
        assert all(rules.transitions[pair] for pair in pairwise(numbers))
    model.save(tmp_path / "model")
    again = estimator.load(tmp_path / "model")
    assert again.transitions == scheme and again.certify(X, y) == model.certificate_


@pytest.mark.parametrize("estimator", [ChainSVC, GPSequenceClassifier])
def test_a_chunk_that_does_not_end_is_refused(estimator):
    with pytest.raises(ValueError, match="sequence 1: its true labels end with 'B-x', which is not allowed"):
        estimator(transitions="bioes").fit([np.eye(2), np.eye(2)], [["B-x", "E-x"], ["O", "B-x"]])
