"""Marginals of sequences, from node and transition scores or from Markov chains.

p(y) = exp(sum_t F_t(y_t) + sum_t T(y_t, y_{t+1})) / Z for each sequence, with logarithms throughout.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]

__all__ = ["chain_marginals", "table_marginals"]


def posterior(F: Vector, T: Vector) -> tuple[Vector, Vector, float]:
    """Of one sequence: node marginals (L, K), edge marginals (L - 1, K, K) and log Z."""
    ahead, behind = F.copy(), np.zeros_like(F)
    for t in range(1, len(F)):
        ahead[t] += logsumexp(ahead[t - 1][:, None] + T, axis=0)
    for t in range(len(F) - 2, -1, -1):
        behind[t] = logsumexp(T + F[t + 1] + behind[t + 1], axis=1)
    log_z = float(logsumexp(ahead[-1]))
    edges = np.exp(ahead[:-1, :, None] + T + (F + behind)[1:, None, :] - log_z)
    return np.exp(ahead + behind - log_z), edges, log_z


def chain_marginals(
    F: Vector, T: Vector, lengths: Indices, K: int, nodes: Vector, edges: Vector, log_z: Vector, threads: int = 1
) -> int:
    """Node marginals, edge marginals summed over all edges, and log Z of every sequence."""
    edges[:] = 0.0
    for i, own in _sequences(lengths):
        P, E, log_z[i] = posterior(F.reshape(-1, K)[own], T.reshape(K, K))
        nodes.reshape(-1, K)[own] = P
        edges += E.sum(axis=0).ravel()
    return len(lengths)


def table_marginals(
    tables: Vector, starts: Vector, lengths: Indices, K: int, nodes: Vector, edges: Vector, entropy: Vector,
    threads: int = 1,
) -> None:  # fmt: skip
    """Of the Markov chains whose conditionals are those of the tables: nodes, summed edges, entropies."""
    edges[:] = 0.0
    total = edges.reshape(K, K)
    for i, own in _sequences(lengths):
        P = nodes.reshape(-1, K)[own]
        first = starts.reshape(-1, K)[i]
        P[0] = first / first.sum()
        entropy[i] = _bits(P[0]).sum()
        for t, table in enumerate(tables.reshape(-1, K, K)[own][:-1]):
            whole = table.sum(axis=1)
            known = (P[t] > 0) & (whole > 0)  # else nothing is known of what follows: the label stays
            shares = np.where(known[:, None], table / np.where(known, whole, 1.0)[:, None], np.eye(K))
            flow = P[t][:, None] * shares
            P[t + 1] = flow.sum(axis=0)
            total += flow
            entropy[i] += P[t] @ _bits(shares).sum(axis=1)


def _bits(p: Vector) -> Vector:
    return -p * np.log(np.where(p > 0, p, 1.0))


def _sequences(lengths: Indices) -> Iterator[tuple[int, slice]]:
    ends = np.cumsum(lengths)
    for i, (end, length) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True)):
        yield i, slice(end - length, end)
