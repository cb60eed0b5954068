"""How the marginals of many sequences lie in one vector, and how scores of nodes and edges spread over them.

First come the K x K tables of all sequences of two nodes or more, one for each pair of neighbours, then the K numbers
of each sequence of a single node. The table of the nodes t and t + 1 carries the score of node t + 1; the first one of
a sequence that of node 0 as well. So every node is counted once.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.structured.inference import ChainScores, best_labels

Indices = NDArray[np.int64]


class Group(NamedTuple):
    """The sequences of one length, of two nodes or more."""

    sequences: Indices  # (B,)
    tables: Indices  # (B, T), numbers of their tables


class Sums(NamedTuple):
    """What marginals say of nodes, transitions and ends: sums over the labels of the other nodes."""

    nodes: Vector  # (tokens, K)
    transitions: Vector  # (K, K), over all tables
    starts: Vector  # (K,), over all sequences
    ends: Vector


class ChainLayout:
    """Sequences of the given lengths over K labels."""

    def __init__(self, lengths: Indices, K: int) -> None:
        self.lengths, self.K = lengths, K
        self.n, self.n_tokens = len(lengths), int(lengths.sum())
        self.first_token = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        per_sequence = np.maximum(lengths - 1, 0)
        self.first_table = np.concatenate([[0], np.cumsum(per_sequence)]).astype(np.int64)
        self.n_tables = int(self.first_table[-1])
        self.long, self.single = np.flatnonzero(lengths > 1), np.flatnonzero(lengths == 1)
        self.size = self.n_tables * K * K + len(self.single) * K
        inner = np.ones(self.n_tokens, dtype=bool)
        inner[self.first_token[:-1]] = False
        self.to = np.flatnonzero(inner)  # of each table, the token that is its second node
        self.begin, self.end = self.first_table[self.long], self.first_table[self.long + 1] - 1  # first and last tables

    @cached_property
    def groups(self) -> list[Group]:
        """The sequences by length, for loops over positions that take all of one length at once."""
        out = []
        for length in np.unique(self.lengths[self.long]):
            sequences = np.flatnonzero(self.lengths == length)
            out.append(Group(sequences, self.first_table[sequences][:, None] + np.arange(length - 1)))
        return out

    def tables(self, x: Vector) -> Vector:
        """The tables in a vector, (tables, K, K), a view."""
        return x[: self.n_tables * self.K**2].reshape(self.n_tables, self.K, self.K)

    def singles(self, x: Vector) -> Vector:
        """The numbers of the sequences of a single node, (singles, K), a view."""
        return x[self.n_tables * self.K**2 :].reshape(-1, self.K)

    def spread(self, nodes: Vector, transitions: Vector, starts: Vector, ends: Vector) -> Vector:
        """The score of every entry: those of its nodes, its transition, and the ends of the sequence.

        There is one table of ``transitions`` for all, or one for each.
        """
        out = np.empty(self.size)
        tables, singles = self.tables(out), self.singles(out)
        tables[:] = nodes[self.to][:, None, :] + transitions
        tables[self.begin] += (nodes[self.first_token[self.long]] + starts)[:, :, None]
        tables[self.end] += ends
        singles[:] = nodes[self.first_token[self.single]] + starts + ends
        return out

    def gather(self, x: Vector) -> Sums:
        """The adjoint of ``spread``."""
        tables, singles = self.tables(x), self.singles(x)
        nodes = np.zeros((self.n_tokens, self.K))
        nodes[self.to] = tables.sum(axis=1)
        first = tables[self.begin].sum(axis=2)
        nodes[self.first_token[self.long]] = first
        nodes[self.first_token[self.single]] = singles
        starts, ends = first.sum(axis=0) + singles.sum(axis=0), tables[self.end].sum(axis=(0, 1)) + singles.sum(axis=0)
        return Sums(nodes, tables.sum(axis=0), starts, ends)

    def per_entry(self, of_sequences: Vector) -> Vector:
        """A number for each sequence, repeated for each of its entries."""
        by_table = np.repeat(of_sequences, np.maximum(self.lengths - 1, 0))
        return np.concatenate([np.repeat(by_table, self.K**2), np.repeat(of_sequences[self.single], self.K)])

    def indicator(self, labels: Indices) -> Vector:
        """The labelling of all tokens as marginals: ones on its edges."""
        out = np.zeros(self.size)
        tables = self.tables(out)
        tables[np.arange(self.n_tables), labels[self.to - 1], labels[self.to]] = 1.0
        self.singles(out)[np.arange(len(self.single)), labels[self.first_token[self.single]]] = 1.0
        return out

    def best_labels(self, s: Vector) -> tuple[Indices, Vector]:
        """A labelling of the highest score for each sequence (Viterbi), and that score."""
        nodes, tables, none = np.zeros((self.n_tokens, self.K)), self._table_of_each_token(s), np.zeros(self.K)
        nodes[self.first_token[self.single]] = self.singles(s)
        return best_labels(ChainScores(nodes, tables, none, none, self.lengths))

    def _table_of_each_token(self, s: Vector) -> Vector:
        """That of the token and the one before it, (tokens, K, K); of first tokens there is none."""
        tables = np.empty((self.n_tokens, self.K, self.K))
        tables[self.to] = self.tables(s)
        tables[self.first_token[:-1]] = 0.0
        return tables
