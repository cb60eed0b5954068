r"""The best labelling of each chain by dynamic programming (Viterbi).

With the best score of a prefix that ends in label j,

    before_t(j) = nodes_t(j) + max over i of before_{t-1}(i) + transitions(i, j),

the last label is the best of before + ends, and the label before label j the best i. Of equal ones the first wins.
"""

from __future__ import annotations

import numpy as np

from pragam import _kernels
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads
from pragam.structured.inference.scores import ChainScores, Indices


def best_labels(scores: ChainScores) -> tuple[Indices, Vector]:
    """A labelling of the highest score for each sequence, and that score: -inf where every labelling is forbidden."""
    bounds, passed = scores.bounds, best_prefixes(scores)
    labels = np.empty(len(passed), dtype=np.int64)
    passed[bounds[1:] - 1] += scores.ends
    trace_back(passed, scores.transitions, bounds, -1, labels)
    return labels, passed[bounds[1:] - 1].max(axis=1)


def best_prefixes(scores: ChainScores) -> Vector:
    """before_t(j), (tokens, K)."""
    out, bounds = np.array(scores.nodes, dtype=np.float64, order="C"), scores.bounds
    out[bounds[:-1]] += scores.starts
    pass_forward(out, scores.transitions, bounds)
    return out


def pass_forward(nodes: Vector, tables: Vector, bounds: Indices, carry: Vector | None = None) -> None:
    """nodes become before, in place. ``carry`` is before of the token in front of the first one, if there is one."""
    K = nodes.shape[1]
    if carry is not None:
        nodes[0] += (carry[:, None] + tables.reshape(-1, K, K)[0]).max(axis=0)
    _kernels.get("chain_forward")(nodes.reshape(-1), bounds, tables.reshape(-1), K, n_threads(nodes.size))


def trace_back(before: Vector, tables: Vector, bounds: Indices, last: int, labels: Indices) -> None:
    """The labels, written to ``labels``; every sequence ends with the label ``last``, or with its best one if -1."""
    ends = np.full(len(bounds) - 1, last, dtype=np.int64)
    _kernels.get("chain_backward")(before.reshape(-1), bounds, tables.reshape(-1), before.shape[1], ends, labels)
