"""The best labellings of some graphs and what they are worth; with cycles, bounds of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pragam.numerics.rounding import TINY, gamma, norm
from pragam.numerics.vector import Vector
from pragam.runtime import interrupts
from pragam.structured.graphs.forest import best_of_forest, marginals_of_forest
from pragam.structured.graphs.label_search import expected_score, score_of
from pragam.structured.graphs.messages import pass_messages, reparametrised
from pragam.structured.graphs.wiring import Indices, Wiring

if TYPE_CHECKING:
    from pragam.structured.graphs.structure import Block, GraphStructure


class Values(NamedTuple):
    """Of each graph: the score and loss of its best labelling less the score of its truth, and sizes for rounding."""

    values: Vector
    sizes: Vector  # bounds the sums of the sizes of the scores of any labelling, and of the messages


def scores(model: GraphStructure, w: Vector, block: Block, loss: float) -> tuple[Vector, Vector]:
    """The scores of the labels of nodes (N, K), with the loss, and of edges (E, K, K)."""
    interrupts.check()
    parts, K = model.parts(np.asarray(w, dtype=np.float64)), model.K
    nodes = model.storage.part(block.nodes.start, block.nodes.stop).matmat(np.ascontiguousarray(parts.nodes))
    tables = np.empty((0, K * K))
    if block.edges.stop > block.edges.start:
        by_pair = np.ascontiguousarray(parts.edges.reshape(-1, K * K).T)
        tables = model.edge_storage.part(block.edges.start, block.edges.stop).matmat(by_pair)
    if loss:
        nodes = nodes + loss * _costs(model, block)
    return nodes, tables.reshape(-1, K, K)


def _costs(model: GraphStructure, block: Block) -> Vector:
    return np.asarray(model.node_scale[block.nodes, None] * model.cost[model.labels[block.nodes]], dtype=np.float64)


def decoded(model: GraphStructure, w: Vector, block: Block, loss: float) -> Any:
    """The labels of a best labelling of each graph; with cycles the marginals, flat, that are about best."""
    nodes, tables = scores(model, w, block, loss)
    if block.is_forest:
        return best_of_forest(block.wiring, nodes, tables)[1]
    return relaxed_best(block.wiring, nodes, tables)


def labelled(model: GraphStructure, w: Vector, block: Block) -> tuple[Indices, bool]:
    """The labels of a best labelling of each graph, and whether they are known to be: with cycles they may not be."""
    nodes, tables = scores(model, w, block, 0.0)
    if block.is_forest:
        return best_of_forest(block.wiring, nodes, tables)[1], True
    found = pass_messages(block.wiring, nodes, tables)
    return found.labels, bool(found.is_best.all())


def max_marginals(model: GraphStructure, w: Vector, block: Block) -> Vector:
    """Of graphs without cycles, the score of the best labelling with each label of each node."""
    return marginals_of_forest(block.wiring, *scores(model, w, block, 0.0))


def relaxed_best(wiring: Wiring, nodes: Vector, tables: Vector) -> Any:
    """For each graph with cycles the better one of the labelling and the marginals that messages find: labels if those
    of all graphs are the best, else a vector, all nodes and then all edges."""
    found, K = pass_messages(wiring, nodes, tables), nodes.shape[1]
    if found.marginals is None:
        return found.labels
    p, q = found.marginals
    lack = expected_score(wiring, nodes, tables, p, q) - score_of(wiring, nodes, tables, found.labels)
    is_whole = found.is_best | (lack <= 0)
    u, v = found.labels[wiring.edges[:, 0]], found.labels[wiring.edges[:, 1]]
    p = np.where(is_whole[wiring.graph_of_node][:, None], np.eye(K)[found.labels], p)
    whole = np.eye(K)[u][:, :, None] * np.eye(K)[v][:, None, :]
    q = np.where(is_whole[wiring.graph_of_edge][:, None, None], whole, q)
    return np.concatenate([p.ravel(), q.ravel()])


def highest(wiring: Wiring, is_forest: bool, nodes: Vector, tables: Vector) -> tuple[Vector, Vector]:
    """(values, sizes): the highest score of each graph, with cycles an upper bound of the relaxed one, and the sum of
    the sizes of the numbers that it was made of."""
    size = wiring.node_sums(np.abs(nodes).max(axis=1))
    size += wiring.edge_sums(np.abs(tables).max(axis=(1, 2), initial=0.0))
    if is_forest:
        return best_of_forest(wiring, nodes, tables)[0], size
    sent = pass_messages(wiring, nodes, tables).sent
    moved, rest = reparametrised(wiring, nodes, tables, sent)
    bounds = wiring.node_sums(moved.max(axis=1))
    bounds += wiring.edge_sums(rest.max(axis=(1, 2)))
    moves = np.abs(sent).max(axis=2).sum(axis=1)
    return bounds, size + 2 * wiring.edge_sums(moves)


def values(model: GraphStructure, w: Vector, block: Block, loss: float = 1.0) -> Values:
    """What the best labelling of each graph is worth."""
    nodes, tables = scores(model, w, block, loss)
    best, sizes = highest(block.wiring, block.is_forest, nodes, tables)
    return Values(best - score_of(block.wiring, nodes, tables, model.labels[block.nodes]), sizes)


def values_bound(model: GraphStructure, w: Vector, block: Block) -> tuple[Vector, Vector]:
    """The same, and a bound of the rounding: that of the scores, and of sums of as many terms as a graph has.

    Each sum of a labelling, of the truth or of a bound by messages has a term for each node and edge, and at a node one
    more for each of its edges; each is rounded when it is added, and a few times before.
    """
    wiring, parts = block.wiring, model.parts(w)
    found, sizes = values(model, w, block)
    errors = wiring.node_sums(_errors(model.storage, parts.nodes, block.nodes))
    if len(wiring.edges):
        by_pair = parts.edges.reshape(-1, model.K**2).T
        errors += wiring.edge_sums(_errors(model.edge_storage, by_pair, block.edges))
    sizes = sizes + 2 * wiring.node_sums(_costs(model, block).max(axis=1))
    terms = 4 * (wiring.sizes + wiring.n_edges) + 20
    return found, 1.01 * (2 * errors + gamma(2 * terms) * (sizes + errors) + 8 * terms * TINY)


def _errors(storage: Any, weights: Vector, rows: slice) -> Vector:
    """A bound of the rounding of the products of these rows with any of the weights."""
    longest = max(norm(np.ascontiguousarray(each)) for each in weights)
    longest += storage.shape[1] ** 0.5 * TINY * 2.0**53
    return np.asarray(storage.reach[rows] * longest + 2 * TINY * (storage.shape[1] + 4), dtype=np.float64)
