r"""Cliques of nodes, and how their marginals must agree.

A clique c is a tuple of nodes, its table alpha_c holds a mass for each labelling of them. Tables are *locally
consistent* if every table is >= 0, has the mass 1, and any two cliques give the nodes that they share, their separator
S, the same marginals. It suffices to ask this of some pairs, the ``links``: for every separator S, the largest first,
pairs that connect all the cliques that contain S, where separators that contain S do not connect them already.

If the links form a forest, it is a junction tree (or several), and locally consistent tables are the marginals of
labellings: the set is *exact*. Otherwise it is an outer relaxation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.arguments import is_whole
from pragam.numerics.vector import Vector

Clique = tuple[int, ...]


class Link(NamedTuple):
    """Two cliques, by their numbers, and the nodes on whose marginals they agree."""

    one: int
    two: int
    nodes: Clique


class CliqueGraph:
    """Cliques of nodes with numbers of labels: one for all nodes, or one for each."""

    def __init__(self, cliques: Any, n_labels: Any) -> None:
        self.cliques = checked_cliques(cliques)
        self.n_labels = _label_counts(n_labels, self.cliques)
        self.shapes = [tuple(self.n_labels[node] for node in clique) for clique in self.cliques]
        self.sizes = np.array([int(np.prod(shape)) for shape in self.shapes], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        self.size = int(self.first[-1])
        self.links = find_links(self.cliques)
        self.component = _components(len(self.cliques), self.links)
        self.constraints = self._constraints()

    @property
    def n_potentials(self) -> int:
        """How many multipliers a projection has: one for each clique, and one for each labelling of a link's nodes."""
        return int(self.constraints.shape[1])

    @property
    def is_tree(self) -> bool:
        """Whether locally consistent tables are marginals of labellings."""
        return _is_forest(len(self.cliques), self.links)

    def tables(self, x: Vector) -> list[Vector]:
        """The tables in a vector, views."""
        return [x[a:b].reshape(shape) for a, b, shape in zip(self.first[:-1], self.first[1:], self.shapes, strict=True)]

    def _constraints(self) -> sparse.csr_array:
        """B', a row for each entry of a table: B alpha has the masses of all tables, and for each link and labelling of
        its nodes the marginal of one clique less that of the other."""
        entries, columns, signs = [np.arange(self.size)], [np.repeat(np.arange(len(self.cliques)), self.sizes)], []
        signs.append(np.ones(self.size))
        after = len(self.cliques)
        for link in self.links:
            for number, sign in ((link.one, 1.0), (link.two, -1.0)):
                entries.append(np.arange(self.first[number], self.first[number + 1]))
                columns.append(after + self.separator_index(number, link.nodes))
                signs.append(np.full(self.sizes[number], sign))
            after += int(np.prod([self.n_labels[node] for node in link.nodes]))
        places = (np.concatenate(entries), np.concatenate(columns))
        return sparse.csr_array((np.concatenate(signs), places), shape=(self.size, after))

    def separator_index(self, number: int, nodes: Clique) -> NDArray[np.int64]:
        """For each entry of a clique's table, the number of the labelling that it gives to ``nodes``."""
        clique, shape = self.cliques[number], self.shapes[number]
        own = np.unravel_index(np.arange(self.sizes[number]), shape)
        kept = [own[clique.index(node)] for node in nodes]
        return np.ravel_multi_index(kept, [self.n_labels[node] for node in nodes]).astype(np.int64)


def is_tree(cliques: Any) -> bool:
    """Whether the cliques have a junction tree, so that locally consistent tables are marginals of labellings.

    Of pairs of nodes: whether they are the edges of a forest.
    """
    checked = checked_cliques(cliques)
    return _is_forest(len(checked), find_links(checked))


def find_links(cliques: Sequence[Clique]) -> list[Link]:
    """Pairs of cliques whose agreement makes all agree, the largest separators first."""
    holders: dict[int, list[int]] = {}
    for number, clique in enumerate(cliques):
        for node in clique:
            holders.setdefault(node, []).append(number)
    links: list[Link] = []
    at_node: dict[int, list[Link]] = {}
    for nodes in sorted(_separators(cliques, holders), key=lambda nodes: (-len(nodes), nodes)):
        holding = sorted(set.intersection(*(set(holders[node]) for node in nodes)))
        joined = _Union(holding)
        for link in at_node.get(nodes[0], ()):
            if set(nodes) < set(link.nodes):
                joined.join(link.one, link.two)
        fresh = [Link(a, b, nodes) for a, b in pairwise(holding) if joined.join(a, b)]
        links += fresh
        for node in nodes:
            at_node.setdefault(node, []).extend(fresh)
    return links


def _separators(cliques: Sequence[Clique], holders: dict[int, list[int]]) -> set[Clique]:
    """All sets of nodes that two cliques share."""
    if max(map(len, cliques)) <= 2 and len(set(map(frozenset, cliques))) == len(cliques):
        return {(node,) for node, own in holders.items() if len(own) > 1}
    found = set()
    for own in holders.values():
        for place, one in enumerate(own):
            found |= {tuple(sorted(set(cliques[one]) & set(cliques[two]))) for two in own[:place]}
    return found


class _Union:
    """Sets that are joined, each known by one of its members."""

    def __init__(self, members: Iterable[int]) -> None:
        self.parent = {member: member for member in members}

    def join(self, one: int, two: int) -> bool:
        """Whether the two were apart until now."""
        a, b = self._root(one), self._root(two)
        self.parent[a] = b
        return a != b

    def _root(self, member: int) -> int:
        while self.parent[member] != member:
            self.parent[member] = self.parent[self.parent[member]]
            member = self.parent[member]
        return member


def _components(count: int, links: list[Link]) -> NDArray[np.int64]:
    """Of each clique, the number of its connected component."""
    ends = ([link.one for link in links], [link.two for link in links])
    joined = sparse.csr_array((np.ones(len(links)), ends), shape=(count, count))
    return np.asarray(sparse.csgraph.connected_components(joined, directed=False)[1], dtype=np.int64)


def _is_forest(count: int, links: list[Link]) -> bool:
    return len(links) == count - len(np.unique(_components(count, links)))


def checked_cliques(cliques: Any) -> list[Clique]:
    """The cliques as tuples of node numbers. ValueError, with the number of the clique, if one is none."""
    try:
        given = [tuple(clique) for clique in cliques]
    except TypeError:
        raise ValueError(f"cliques must be a list of tuples of node numbers, not {cliques!r:.40}") from None
    if not given:
        raise ValueError("cliques is empty")
    for number, clique in enumerate(given):
        if not clique or not all(map(is_whole, clique)):
            raise ValueError(f"cliques[{number}] must hold node numbers, not {clique!r:.60}")
        if len(set(clique)) < len(clique):
            raise ValueError(f"cliques[{number}] = {clique!r:.60} repeats a node")
    return [tuple(int(node) for node in clique) for clique in given]


def _label_counts(n_labels: Any, cliques: list[Clique]) -> list[int]:
    """The number of labels of every node. A list of them also says how many nodes there are."""
    if is_whole(n_labels):
        counts = [int(n_labels)] * (1 + max(map(max, cliques)))
    else:
        try:
            counts = list(n_labels)
        except TypeError:
            raise ValueError(f"n_labels must be a whole number, or one for each node, not {n_labels!r:.40}") from None
    if not all(is_whole(count) and count >= 1 for count in counts):
        raise ValueError("n_labels must hold whole numbers >= 1")
    for number, clique in enumerate(cliques):
        if max(clique) >= len(counts):
            raise ValueError(f"cliques[{number}] = {clique!r:.60} has no node {max(clique)}: there are {len(counts)}")
    return [int(count) for count in counts]
