"""Dual points of Gaussian-process sequences: distributions over labellings, never written out as edge marginals.

The marginals of all edges are (tokens, K, K). What the dual value needs of them are the node marginals P, the edge
marginals summed over all edges E, and the entropy H. A dual point is a description of distributions from which one pass
computes these three, so that they belong together whatever a solver believes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.arguments import array_of, real_array
from pragam.numerics.rounding import dot, gamma
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads
from pragam.structured.rules import Rules

Indices = NDArray[np.int64]


class Moments(NamedTuple):
    """What distributions over labellings are in the dual, and how far the computed numbers may be from the exact ones.

    The exact numbers are those of the distributions that a dual point describes, as real numbers.
    """

    nodes: Vector  # (tokens, K)
    edges: Vector  # (K, K), summed over all edges of all sequences
    entropy: float  # summed over all sequences
    nodes_error: float  # of each entry, relative to it
    edges_error: float
    entropy_error: float


class _Sizes(NamedTuple):
    """Of scores: sum_t max |F_t| and sum_t (max F_t - min F_t) for each sequence, and the same of the transitions."""

    nodes: Vector
    edge: float
    node_ranges: Vector
    edge_range: float


@dataclass(frozen=True, eq=False)
class GibbsPoint:
    """p(y) = exp(sum_t F_t(y_t) + sum_t T(y_t, y_{t+1})) / Z: as forward-backward makes it from scores.

    With ``rules``, p(y) = 0 for all labellings that break them, and Z sums the others. Scores are finite in any case.
    """

    scores: Vector  # (tokens, K)
    transitions: Vector  # (K, K)
    lengths: Indices
    rules: Rules | None = None

    def __post_init__(self) -> None:
        _keep_arrays(self, "scores", "transitions")

    def copy(self) -> GibbsPoint:
        """With scores of its own."""
        return replace(self, scores=self.scores.copy(), transitions=self.transitions.copy())

    @cached_property
    def _pass(self) -> tuple[Vector, Vector, Vector, int]:
        (N, K), n = self.scores.shape, len(self.lengths)
        nodes, edges, log_z = np.empty(N * K), np.empty(K * K), np.empty(n)
        scores = self.scores, self.transitions
        F, T = scores if self.rules is None else self.rules.masked(*scores, self.lengths)
        in_logarithms = _kernels.get("chain_marginals")(
            F.reshape(-1), T.reshape(-1), self.lengths, K, nodes, edges, log_z, n_threads(4 * N * K * K)
        )
        return nodes.reshape(N, K), edges.reshape(K, K), log_z, in_logarithms

    @property
    def marginals(self) -> tuple[Vector, Vector]:
        """Those of the nodes, (tokens, K), and those of the edges, summed, (K, K)."""
        return self._pass[:2]

    @property
    def log_z(self) -> Vector:
        """The logarithms of the partition functions, one for each sequence."""
        return self._pass[2]

    @cached_property
    def _sizes(self) -> _Sizes:
        first = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        most, least = self.scores.max(axis=1), self.scores.min(axis=1)
        highest, lowest = float(self.transitions.max()), float(self.transitions.min())
        return _Sizes(
            np.add.reduceat(np.maximum(np.abs(most), np.abs(least)), first), max(abs(highest), abs(lowest)),
            np.add.reduceat(most - least, first), highest - lowest,
        )  # fmt: skip

    @cached_property
    def _relative_errors(self) -> Vector:
        """Of the marginals of each sequence, as its forward and its backward pass have them together.

        A token adds K products and their sum, a normalisation, and exponentials within 2 ulp of arguments that were
        rounded. Where logarithms were used instead, every one of them is rounded by its size.
        """
        K, L, sizes = self.scores.shape[1], self.lengths, self._sizes
        roundings = L * (4.0 * K + 64) + 4 * (sizes.node_ranges + L * sizes.edge_range)
        return gamma(roundings + (8 * L * (sizes.nodes + L * sizes.edge + K + 8) if self._pass[3] else 0.0))

    @cached_property
    def log_z_errors(self) -> Vector:
        """Bounds of the errors of ``log_z``."""
        L, sizes = self.lengths, self._sizes
        size = sizes.nodes + sizes.node_ranges + L * (sizes.edge + sizes.edge_range + np.log(self.scores.shape[1]) + 1)
        return self._relative_errors + gamma(4 * L + 8) * 2 * size

    @cached_property
    def moments(self) -> Moments:
        """H = sum of log Z - <F, P> - <T, E>.

        The marginals of a token sum to 1 but for K roundings, so an error of theirs counts by the range of its scores.
        """
        nodes, edges, log_z, in_logarithms = self._pass
        (total, e1), (of_nodes, e2), (of_edges, e3) = (
            dot(log_z, np.ones(len(log_z))), dot(self.scores.reshape(-1), nodes.reshape(-1)),
            dot(self.transitions.reshape(-1), edges.reshape(-1)),
        )  # fmt: skip
        each, sizes = self._relative_errors, self._sizes
        worst = float(each.max())
        summed = worst + gamma(len(nodes) + 32)
        off = each if in_logarithms else gamma(nodes.shape[1] + 4)
        own = float(self.log_z_errors.sum()) + float(each @ sizes.node_ranges) + float((off * sizes.nodes).sum())
        own += summed * sizes.edge * float(edges.sum())
        error = e1 + e2 + e3 + 1.01 * own + gamma(4) * (abs(total) + abs(of_nodes) + abs(of_edges))
        return Moments(nodes, edges, total - of_nodes - of_edges, worst, summed, error)


@dataclass(frozen=True, eq=False)
class TablePoint:
    """Markov chains by their edge marginals: what counts of a table is p(next label | label).

    So the point is a distribution whatever the rounding of the tables, (tokens, K, K), that of the tokens t and t + 1
    at row t, the last of a sequence unused. ``starts`` (n, K) are the marginals of the first tokens.
    """

    tables: Vector
    starts: Vector
    lengths: Indices

    def __post_init__(self) -> None:
        _keep_arrays(self, "tables", "starts")

    @property
    def is_distribution(self) -> bool:
        """Whether all numbers are finite and >= 0, and every start has some mass."""
        ends = (part.min(initial=0.0) >= 0 and part.max(initial=0.0) < np.inf for part in (self.tables, self.starts))
        return all(ends) and bool((self.starts.sum(axis=1) > 0).all())

    def copy(self) -> TablePoint:
        """With tables of its own."""
        return replace(self, tables=self.tables.copy(), starts=self.starts.copy())

    @property
    def marginals(self) -> tuple[Vector, Vector]:
        """Those of the nodes, (tokens, K), and those of the edges, summed, (K, K)."""
        return self.moments.nodes, self.moments.edges

    @cached_property
    def moments(self) -> Moments:
        """p_{t+1}(b) = sum_a p_t(a) p(b | a), from the first token on, and H = H(p_0) + sum_t sum_a p_t(a) H(. | a)."""
        N, K, n = len(self.tables), self.tables.shape[1], len(self.lengths)
        nodes, edges, entropy = np.empty(N * K), np.empty(K * K), np.empty(n)
        _kernels.get("table_marginals")(
            self.tables.reshape(-1), self.starts.reshape(-1), self.lengths, K, nodes, edges, entropy,
            n_threads(16 * N * K * K),
        )  # fmt: skip
        each = gamma(self.lengths * (3.0 * K + 16))
        total, rounding = dot(entropy, np.ones(n))
        error = rounding + 2.02 * float(each @ (entropy + self.lengths))
        worst = float(each.max())
        return Moments(nodes.reshape(N, K), edges.reshape(K, K), total, worst, worst + gamma(N + 32), error)


def _keep_arrays(point: GibbsPoint | TablePoint, *names: str) -> None:
    """What was given under these names as arrays of float64, in which rounding is bounded, and the lengths."""
    for name in names:
        values = np.ascontiguousarray(real_array(name, getattr(point, name)), dtype=np.float64)
        object.__setattr__(point, name, values)
    lengths = array_of("lengths", point.lengths)
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be a vector of whole numbers, not {point.lengths!r:.40}")
    object.__setattr__(point, "lengths", np.ascontiguousarray(lengths, dtype=np.int64))
