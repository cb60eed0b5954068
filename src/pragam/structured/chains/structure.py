"""Sequences and their labellings: what a labelling scores, costs and has as features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import gamma
from pragam.numerics.vector import Vector
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem
from pragam.structured.by_example import ByExample
from pragam.structured.chains import moments as chain_moments
from pragam.structured.chains import one_chain
from pragam.structured.chains import points as chain_points
from pragam.structured.chains import values as chain_values
from pragam.structured.chains.trellis_flow import TrellisFlow
from pragam.structured.chains.unfolded import ChainUnfolding
from pragam.structured.labellings import Labellings, Mixture, mix
from pragam.structured.rules import Rules
from pragam.structured.structure import Moments

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Parts(NamedTuple):
    """The weights of a chain model by what they weigh, views of one vector."""

    nodes: Vector  # (K, d)
    transitions: Vector  # (1 + edge features, K, K); the first is that of every edge
    starts: Vector  # (K,)
    ends: Vector


@dataclass(frozen=True, eq=False)
class ChainStructure(ByExample):
    r"""The score of a labelling y of a sequence with the tokens x_0 .. x_T and edge features e_1 .. e_T:

        start_{y_0} + sum_t <w_{y_t}, x_t> + sum_t (v_0 + sum_f e_tf v_f)_{y_{t-1} y_t} + end_{y_T}

    The weights lie in one vector: w (K, d), v (1 + edge features, K, K), start (K,) and end (K,), flat.

    Attributes
    ----------
    storage : the tokens of all sequences, one row each
    lengths : of the sequences
    labels : the number of the true label of each token
    K : the number of labels
    totals : weight_i / n of each sequence
    cost, token_scale : label k costs token_scale[t] * cost[y_t, k] at token t
    rules : which labellings are allowed; None: all
    edge_features : a row for each pair of neighbours, in order; None: there are none
    """

    storage: Storage
    lengths: Indices
    labels: Indices
    K: int
    totals: Vector
    cost: Vector
    token_scale: Vector
    rules: Rules | None = None
    edge_features: Storage | None = None

    @property
    def rigorous(self) -> bool:
        return self.storage.rigorous and (self.edge_features is None or self.edge_features.rigorous)

    @property
    def n(self) -> int:
        return len(self.lengths)

    @property
    def trellis(self) -> ChainStructure:
        """Its labellings are paths through trellises."""
        return self

    @cached_property
    def first_token(self) -> Indices:
        """Of each sequence, and the number of all tokens."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @cached_property
    def first_edge(self) -> Indices:
        """The number of the first pair of neighbours of each sequence, and that of all."""
        return self.first_token - np.arange(self.n + 1)

    @cached_property
    def is_first(self) -> Flags:
        """Whether each token is the first one of its sequence."""
        flags = np.zeros(self.n_tokens, dtype=bool)
        flags[self.first_token[:-1]] = True
        return flags

    @cached_property
    def is_last(self) -> Flags:
        """Whether each token is the last one of its sequence."""
        flags = np.zeros(self.n_tokens, dtype=bool)
        flags[self.first_token[1:] - 1] = True
        return flags

    def sequence_of(self, tokens: Indices) -> Indices:
        """The sequences of tokens."""
        return np.searchsorted(self.first_token, tokens, side="right") - 1

    @property
    def n_tokens(self) -> int:
        return int(self.first_token[-1])

    @property
    def n_features(self) -> int:
        return self.storage.shape[1]

    @property
    def n_edge_features(self) -> int:
        return 0 if self.edge_features is None else self.edge_features.shape[1]

    @property
    def n_weights(self) -> int:
        K = self.K
        return K * self.n_features + (1 + self.n_edge_features) * K * K + 2 * K

    @property
    def entries(self) -> int:
        """Those of X for each label, and the links between labels."""
        return self.K * (self.storage.stored + self.n_tokens * self.K)

    def parts(self, w: Vector) -> Parts:
        """The weights by what they weigh."""
        K, d, m = self.K, self.n_features, 1 + self.n_edge_features
        nodes, transitions, starts, ends = np.split(w, np.cumsum([K * d, m * K * K, K]))
        return Parts(nodes.reshape(K, d), transitions.reshape(m, K, K), starts, ends)

    # Labellings -----------------------------------------------------------------------------------------------------

    def decode(self, w: Vector, loss: float = 1.0) -> Labellings:
        return Labellings.of(chain_values.best_labels(self, w, loss))

    def values(self, w: Vector, loss: float = 1.0) -> Vector:
        return chain_values.values(self, w, loss).values

    def values_bound(self, w: Vector) -> tuple[Vector, Vector]:
        return chain_values.values_bound(self, w)

    # One sequence ---------------------------------------------------------------------------------------------------

    def truth_of(self, i: int) -> Indices:
        return self.labels[self.first_token[i] : self.first_token[i + 1]]

    def decode_one(self, i: int, w: Vector) -> Indices:
        return one_chain.best_labelling(self, i, w)

    def features_of(self, i: int, labelling: Indices) -> tuple[Indices, Vector]:
        return one_chain.features(self, i, labelling)

    def loss_of(self, i: int, labelling: Indices) -> float:
        return one_chain.loss(self, i, labelling)

    def join(self, labellings: Sequence[Indices]) -> Indices:
        return np.concatenate(labellings)

    def split(self, labelling: Indices) -> list[Indices]:
        return np.split(labelling, self.first_token[1:-1])

    # Dual points ----------------------------------------------------------------------------------------------------

    def truth(self) -> TrellisFlow:
        return TrellisFlow.of(self.labels)

    def check(self, point: Any) -> Any:
        return chain_points.checked(self, point)

    def moments(self, point: Any) -> Moments:
        return chain_moments.moments(self, point)

    def combine(self, weights: Vector, points: Sequence[Any]) -> Labellings | Mixture | Vector:
        if all(isinstance(point, np.ndarray) for point in points):
            return sum(weight * point for weight, point in zip(weights, points, strict=True))
        return mix(weights, points)

    @cached_property
    def reach(self) -> Vector:
        """For each sequence, the factor of the length of the weights in the rounding of its tokens' scores."""
        tokens = gamma(self.storage.counts + 2) * self.storage.row_sizes
        return np.add.reduceat(tokens, self.first_token[:-1])

    def radius(self) -> float:
        """|Phi(y) - Phi(y_i)| is at most sqrt(2) times the sum of the lengths of the features of nodes and edges."""
        of_sequences = np.add.reduceat(self.storage.row_bounds, self.first_token[:-1]) + 2.0
        of_edges = np.ones(int(self.first_edge[-1]))
        if self.edge_features is not None:
            of_edges = np.hypot(1.0, self.edge_features.row_bounds)
        sums = np.concatenate([[0.0], np.cumsum(of_edges)])
        of_sequences += sums[self.first_edge[1:]] - sums[self.first_edge[:-1]]
        return 1.01 * float(np.sqrt(2) * (self.totals @ of_sequences))

    @cached_property
    def unfolding(self) -> ChainUnfolding:
        return ChainUnfolding(self)

    def unfolded(self, problem: AnyProblem) -> AnyProblem:
        """The same problem with a dual variable for each pair of labels of two neighbours."""
        return self.unfolding.problem(problem.lam)

    def unfolded_point(self, point: Any) -> Vector:
        """A dual point as one of that problem."""
        return chain_points.marginals(self, point)
