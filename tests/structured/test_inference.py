"""The best labelling is one, whoever asks for it: equal scores included, of which the first label wins."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.structured import ChainLayout, chain_hinge
from pragam.structured.gp import ChainMoments, Rules
from pragam.structured.inference import ChainScores, best_labels


def viterbi(nodes, tables):
    """Of one sequence, with a table for each pair of neighbours, and its score."""
    value, back = nodes[0], []
    for node, table in zip(nodes[1:], tables, strict=True):
        through = value[:, None] + table
        back.append(through.argmax(axis=0))
        value = node + through.max(axis=0)
    labels = [int(value.argmax())]
    for origin in back[::-1]:
        labels.append(int(origin[labels[-1]]))
    return labels[::-1], value.max()


def drawn(seed):
    """Small whole numbers: sums are exact, and many labellings are equally good."""
    rng = np.random.default_rng(seed)
    K, lengths = int(rng.integers(2, 5)), rng.integers(1, 6, int(rng.integers(1, 7)))
    return rng, K, lengths, rng.integers(-1, 2, (int(lengths.sum()), K)).astype(float)


@pytest.mark.parametrize("seed", range(20))
def test_layouts_with_a_table_for_each_edge(seed):
    rng, K, lengths, _ = drawn(seed)
    layout = ChainLayout(lengths, K)
    s = rng.integers(-1, 2, layout.size).astype(float)
    s[rng.random(layout.size) < 0.1] = -np.inf
    labels, values = layout.best_labels(s)
    tables, singles = layout.tables(s), iter(layout.singles(s))
    for i, length in enumerate(lengths.tolist()):
        own = tables[layout.first_table[i] : layout.first_table[i + 1]]
        nodes = np.zeros((length, K)) if length > 1 else next(singles)[None]
        expected, value = viterbi(nodes, own)
        assert values[i] == value
        if value > -np.inf:
            assert labels[layout.first_token[i] : layout.first_token[i + 1]].tolist() == expected


@pytest.mark.parametrize("has_rules", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_all_doors_lead_to_one_labelling(seed, has_rules):
    rng, K, lengths, nodes = drawn(seed)
    table = rng.integers(-1, 2, (K, K)).astype(float)
    allowed = (rng.random((K, K)) < 0.7) | np.eye(K, dtype=bool)
    rules = Rules(allowed) if has_rules else None
    masked = np.where(allowed, table, -np.inf) if has_rules else table
    parts = zip(np.split(nodes, np.cumsum(lengths)[:-1]), lengths.tolist(), strict=True)
    expected = np.concatenate([viterbi(own, [masked] * (length - 1))[0] for own, length in parts])
    none, truth = np.zeros(K), np.zeros(len(nodes), dtype=np.int64)
    found = best_labels(ChainScores(nodes, masked, none, none, lengths))[0]
    layout = ChainLayout(lengths, K)
    spread = layout.best_labels(layout.spread(nodes, masked, none, none))[0]
    gp = ChainMoments(truth, lengths, K, rules).best_labels(np.concatenate([nodes.ravel(), table.ravel()]))
    model = chain_hinge(nodes, truth, lengths, labels=range(K), transitions=allowed if has_rules else None).Q.structure
    w = np.concatenate([np.eye(K).ravel(), table.ravel(), none, none])
    for labels in (found, spread, gp, model.decode(w, 0.0).labels[0]):
        np.testing.assert_array_equal(labels, expected)
