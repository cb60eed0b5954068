"""Small graphs by enumeration: their labellings, and the constraints on the marginals of their cliques."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

#: The number of labels of every node. Two suffice for the counterexamples, three show more.
LABELS = 3


class CliqueSet:
    """Cliques, as tuples of node numbers, over K labels. A vector of marginals has a table for each clique, flat."""

    def __init__(self, cliques: tuple[tuple[int, ...], ...], K: int = LABELS) -> None:
        self.cliques, self.K = cliques, K
        self.n_nodes = 1 + max(node for clique in cliques for node in clique)
        self.configurations = [np.array(list(product(range(K), repeat=len(clique)))) for clique in cliques]
        self.first = np.cumsum([0, *(len(own) for own in self.configurations)])
        self.size = int(self.first[-1])

    @cached_property
    def labellings(self) -> NDArray[np.int64]:
        """All labellings of the nodes, (K^n, n)."""
        return np.array(list(product(range(self.K), repeat=self.n_nodes)))

    @cached_property
    def vertices(self) -> Vector:
        """All labellings as marginals of zeros and ones, (K^n, size)."""
        return np.hstack(
            [
                (self.labellings[:, None, list(clique)] == own).all(axis=2).astype(float)
                for clique, own in zip(self.cliques, self.configurations, strict=True)
            ]
        )

    @cached_property
    def normalisations(self) -> Vector:
        """A row for each clique: the sum of its table."""
        return np.repeat(np.eye(len(self.cliques)), np.diff(self.first), axis=1)

    @cached_property
    def one_sided(self) -> Vector:
        """A row for each pair c < c' that meets and each y of the intersection: the sum of alpha_c over y_c ~ y."""
        return self._marginals(0)

    @cached_property
    def other_sided(self) -> Vector:
        """The same rows for alpha_c'."""
        return self._marginals(1)

    @property
    def agreements(self) -> Vector:
        """The rows of local consistency: the one side minus the other."""
        return self.one_sided - self.other_sided

    def _marginals(self, side: int) -> Vector:
        rows = [np.empty((0, self.size))]
        for pair in combinations(range(len(self.cliques)), 2):
            common = sorted(set(self.cliques[pair[0]]) & set(self.cliques[pair[1]]))
            if common:
                rows.append(self._marginal(pair[side], common))
        return np.vstack(rows)

    def _marginal(self, c: int, nodes: list[int]) -> Vector:
        """The marginal of clique c on some of its nodes, (K^nodes, size)."""
        own = self.configurations[c][:, [self.cliques[c].index(node) for node in nodes]]
        out = np.zeros((self.K ** len(nodes), self.size))
        out[:, self.first[c] : self.first[c + 1]] = (
            np.array(list(product(range(self.K), repeat=len(nodes))))[:, None] == own
        ).all(axis=2)
        return out


def chain(tables: int, K: int = LABELS) -> CliqueSet:
    """The edges of a chain."""
    return CliqueSet(tuple((t, t + 1) for t in range(tables)), K)


#: A star, a tree with a branch, one with a node clique and one with a clique of three: junction trees all.
TREES = (
    chain(1),
    chain(3),
    CliqueSet(((0, 1), (0, 2), (0, 3))),
    CliqueSet(((0, 1), (1, 2), (1, 3), (3, 4))),
    CliqueSet(((0,), (0, 1), (1, 2))),
    CliqueSet(((0, 1, 2), (2, 3))),
)
#: The smallest graph with a cycle, two labels.
TRIANGLE = CliqueSet(((0, 1), (1, 2), (0, 2)), 2)
