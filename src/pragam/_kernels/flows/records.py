"""The records that the kernels of ascent on flows take: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

#: In single or in double precision, all alike.
Weights = NDArray[Any]

#: An edge of a flow: the label before, the label, and the mass in units of 2^-30.
EDGE = np.dtype([("before", np.uint16), ("label", np.uint16), ("mass", np.uint32)])


class Pairs(NamedTuple):
    """The features of each pair of neighbours, in order: compressed rows. Without any, all are empty."""

    values: Weights
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    n_features: int


class Chains(NamedTuple):
    """What does not change: the sequences, their labels and costs, and how far the weights move with the flow."""

    first: NDArray[np.int64]  # the first token of each sequence, and the number of tokens
    truth: NDArray[np.uint16]  # the true label of each token
    scale: Weights  # token t pays scale_t cost[truth_t, k] for label k
    cost: Weights  # (K, stride), flat; stride is K rounded up to whole lanes of 8
    norms: Weights  # |x_t|^2
    own: Weights  # the part of the features that no other token has, which the table leaves out
    rates: Vector  # of each sequence: weight / (n lam)
    totals: Vector  # weight / n
    K: int
    constant: int  # the row of the table for a feature that is one at every token; -1: there is none
    pairs: Pairs


class Table(NamedTuple):
    """Weights in rows of ``stride``: of the features of tokens; K of transitions by the label before and K by the
    label, for each feature of pairs and then for all pairs; starts and ends. -inf forbids. ``late`` sums each change
    times its clock; empty where no mean is wanted."""

    weights: Weights
    late: Weights


class Flow(NamedTuple):
    """Edges of token t: pool[first_t : first_t + counts_t], with room for capacity_t of them."""

    first: NDArray[np.uint32]
    counts: NDArray[np.uint16]
    capacity: NDArray[np.uint16]
    pool: NDArray[np.uint32]  # of the type EDGE, seen as pairs of numbers
    used: NDArray[np.int64]  # one number: edges of the pool that belong to tokens, or did


class Rule(NamedTuple):
    """How visits are made: steps ``relax`` times the best ones, directions for ``block`` visits at a time."""

    relax: float
    block: int
    threads: int
