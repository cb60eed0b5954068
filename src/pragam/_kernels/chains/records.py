"""The records that the kernels of sequences take: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]


class Scores(NamedTuple):
    """Weights, as ``chain_values`` reads them. All but the features' are in rows of ``len(starts)`` numbers, which is K
    rounded up to whole lanes of 8. -inf forbids."""

    features: Vector  # K for each column of X, K for the constant, and 8 numbers more; empty where all are zero
    n_features: int  # columns of X
    has_constant: bool  # whether there is a feature that is one at every token
    links: Vector  # of transitions, a row for each label before
    starts: Vector
    ends: Vector
    largest_link: float  # the largest size of a link that is allowed


class Truth(NamedTuple):
    """The true labels and what others cost: token t pays scale_t cost[label_t, k] for label k."""

    labels: Indices
    scale: Vector
    cost: Vector  # in rows as above
    first: Indices  # the first token of each sequence, and the number of tokens


class Block(NamedTuple):
    """N tokens of whole sequences, whose steps are made in order."""

    gram: Vector  # (N, N), flat
    lengths: Indices
    order: Indices
    K: int
    tau: float  # transitions are T = tau U
    scale: float  # 1 / (lam n)


class Iterate(NamedTuple):
    """What the steps of a block change."""

    F: Vector  # (N, K), the scores of its tokens
    U: Vector  # (K, K), the coefficients of the transitions
    nodes: Vector  # (N, K), alpha
    tables: Vector  # (N, K, K), alpha; the last of each sequence is not used
    steps: Vector  # the length of each sequence's last step
    gone: Vector  # (N, K), what the coefficients of the nodes lose
