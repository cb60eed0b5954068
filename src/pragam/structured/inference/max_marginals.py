r"""Max-marginals: for each token and label the highest score of all labellings that have it there.

With before_t(j) of :mod:`pragam.structured.inference.best`, and the best score of what follows label j,

    after_t(j) = max over k of transitions(j, k) + nodes_{t+1}(k) + after_{t+1}(k),

the max-marginal is before_t(j) + after_t(j).
"""

from __future__ import annotations

import numpy as np

from pragam.numerics.vector import Vector
from pragam.structured.inference.best import best_prefixes
from pragam.structured.inference.scores import ChainScores, Indices


def max_marginals(scores: ChainScores) -> Vector:
    """(tokens, K). From the last token to the first, ``before`` is nodes + ``after``. For one table of transitions."""
    lengths = scores.lengths[::-1].copy()
    backwards = ChainScores(scores.nodes[::-1], scores.transitions.T.copy(), scores.ends, scores.starts, lengths)
    return best_prefixes(scores) + (best_prefixes(backwards)[::-1] - scores.nodes)


def label_margins(scores: ChainScores, labels: Indices) -> Vector:
    """For each token, how far the max-marginal of its label is above that of the best other label."""
    marginals, places = max_marginals(scores), np.arange(len(labels))
    own = marginals[places, labels]
    marginals[places, labels] = -np.inf
    return own - marginals.max(axis=1)
