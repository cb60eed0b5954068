"""Best labellings, k best ones and margins: against all labellings written out."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from pragam.structured.inference import ChainScores, best_labels, k_best, label_margins


def drawn(seed, forbid=False):
    rng = np.random.default_rng(seed)
    K, lengths = int(rng.integers(2, 4)), rng.integers(1, 6, int(rng.integers(1, 6)))
    table = rng.standard_normal((K, K))
    starts = rng.standard_normal(K)
    if forbid:
        table[rng.random((K, K)) < 0.3] = -np.inf
        table[0, 0] = starts[0] = 0.0  # one labelling is left
        starts[1:][rng.random(K - 1) < 0.3] = -np.inf
    return ChainScores(rng.standard_normal((lengths.sum(), K)), table, starts, rng.standard_normal(K), lengths)


def all_labellings(scores, i):
    """(score, labels) of every labelling of sequence i, the best first."""
    first, length = int(scores.first[i]), int(scores.lengths[i])
    found = []
    for labels in product(range(len(scores.starts)), repeat=length):
        value = scores.starts[labels[0]] + scores.ends[labels[-1]]
        value += sum(scores.nodes[first + t, label] for t, label in enumerate(labels))
        value += sum(scores.transitions[a, b] for a, b in pairwise(labels))
        found.append((value, labels))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("forbid", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_against_enumeration(seed, forbid):
    scores = drawn(seed, forbid)
    labels, values = best_labels(scores)
    margins = label_margins(scores, labels)
    several = k_best(scores, 7)
    for i, (first, length) in enumerate(zip(scores.first, scores.lengths, strict=True)):
        own = labels[first : first + length]
        found = all_labellings(scores, i)
        assert values[i] == pytest.approx(found[0][0], abs=1e-12) and tuple(own.tolist()) == found[0][1]
        for t in range(length):
            other = max(value for value, ys in found if ys[t] != own[t])
            assert margins[first + t] == pytest.approx(found[0][0] - other, abs=1e-12)
        finite = [(value, ys) for value, ys in found if value > -np.inf][:7]
        assert [tuple(ys) for ys in several[i][0].tolist()] == [ys for _, ys in finite]
        assert several[i][1] == pytest.approx([value for value, _ in finite], abs=1e-12)
