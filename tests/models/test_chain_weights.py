"""The weights as one vector, and what they predict."""

from __future__ import annotations

import numpy as np

from pragam.models.chain_weights import ChainWeights


def test_weights_and_their_vector():
    w = np.arange(2 * 4 + 4 + 4.0)
    weights = ChainWeights.from_vector(w, 2, None)
    assert weights.coef.tolist() == [[0, 1, 2], [4, 5, 6]] and weights.intercept.tolist() == [3, 7]
    assert weights.transitions.tolist() == [[8, 9], [10, 11]] and weights.end.tolist() == [14, 15]
    assert np.array_equal(weights.to_vector(), w)


def test_sequences_are_scored_some_at_a_time_with_the_same_labels(monkeypatch):
    rng = np.random.default_rng(0)
    lengths = np.array([3, 1, 7, 2, 2])
    rows = rng.standard_normal((15, 3))
    weights = ChainWeights.from_vector(rng.standard_normal(2 * 4 + 4 + 4), 2, None)
    expected = weights.labels_and_margins(rows, lengths)
    for room in (1, 8, 1000):
        monkeypatch.setattr("pragam.models.chain_weights._SCORES", room)
        for found, other in zip(weights.labels_and_margins(rows, lengths), expected, strict=True):
            assert np.array_equal(found, other)
