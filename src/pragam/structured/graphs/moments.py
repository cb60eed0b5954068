r"""What dual points of graphs expect: of features and of the loss, with bounds of the rounding.

A dual point of any form is first a list of shares: for each node those of its labels, and for each edge those of pairs
of labels. Marginals that are consistent up to rounding are made so exactly, as real numbers. With the shares p_v of a
node over their sum, the table of an edge is scaled down to one with sums of at most p_u and p_v, and what its mass
lacks of 1 could be added as a product. It is not: it is a part of the bound of the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pragam.numerics.arguments import flat
from pragam.numerics.rounding import TINY, gamma, total
from pragam.numerics.vector import Vector
from pragam.polytopes.base import REPAIRABLE
from pragam.structured.graphs.local_tables import within
from pragam.structured.graphs.wiring import Indices, Wiring
from pragam.structured.labellings import Labellings, Mixture, check_labelling, check_point
from pragam.structured.structure import Moments, lengths_of

if TYPE_CHECKING:
    from pragam.structured.graphs.structure import Block, GraphStructure


class Shares(NamedTuple):
    """Those of nodes (N, K) are right to ``roundings`` roundings, each; tables (E, K, K) lack a mass of ``rest``."""

    nodes: Vector
    tables: Vector
    roundings: int
    rest: Vector  # (E,)


def checked(model: GraphStructure, point: Any) -> Any:
    """A dual point of the graphs, or a ValueError."""
    nodes = model.wiring.n_nodes
    return check_point(
        point, model.n, lambda labels: check_labelling(labels, nodes, model.K), lambda other: _vector(model, other)
    )


def _vector(model: GraphStructure, point: Any) -> Vector:
    """Locally consistent marginals."""
    point = flat("alpha", point, model.unfolding.size)
    for block in model.blocks:
        _consistent_shares(model, block, point)
    return point


# Shares ---------------------------------------------------------------------------------------------------------------


def unit_shares(wiring: Wiring, K: int, part: Any) -> tuple[Vector, Vector]:
    """Those of the labels of some graphs, or of their marginals in a vector: (N, K) and (E, K, K)."""
    if part.dtype.kind == "f":
        return part[: wiring.n_nodes * K].reshape(-1, K), part[wiring.n_nodes * K :].reshape(-1, K, K)
    one, (u, v) = np.eye(K), part[wiring.edges].T
    return one[part], one[u][:, :, None] * one[v][:, None, :]


def _shares(model: GraphStructure, block: Block, point: Labellings | Vector) -> Shares:
    if isinstance(point, np.ndarray):
        return _consistent_shares(model, block, point)
    J, wiring, K = len(point.labels), block.wiring, model.K
    nodes, tables = np.zeros((wiring.n_nodes, K)), np.zeros((len(wiring.edges), K, K))
    shares = np.broadcast_to(point.shares, (J, model.n))[:, block.graphs]
    for share, labels in zip(shares, point.labels, strict=True):
        own = np.asarray(labels[block.nodes], dtype=np.int64)
        nodes[np.arange(len(nodes)), own] += share[wiring.graph_of_node]
        ends = own[wiring.edges]
        tables[np.arange(len(tables)), ends[:, 0], ends[:, 1]] += share[wiring.graph_of_edge]
    roundings = 0 if J == 1 else 2 * J + 1
    return Shares(nodes, tables, roundings, np.full(len(tables), gamma(roundings)))


def _consistent_shares(model: GraphStructure, block: Block, point: Vector) -> Shares:
    """Of marginals, made consistent. ValueError if that takes more than rounding explains."""
    wiring, K = block.wiring, model.K
    p, q = _in_block(model, block, point)
    sums = p.sum(axis=1, keepdims=True)
    violation = max(-float(p.min()), -float(q.min(initial=0.0)), float(np.abs(sums - 1).max()))
    nodes = np.maximum(p, 0.0) / np.maximum(p, 0.0).sum(axis=1, keepdims=True)
    room = 1 - gamma(8 * K + 32)  # as real numbers, the sums of what is scaled down stay below the shares of the nodes
    u, v = wiring.edges.T
    tables = within(np.maximum(q, 0.0), room * nodes[u], room * nodes[v])
    rest = 1 - tables.sum(axis=(1, 2)) + gamma(K * K + 4)
    violation = max(violation, float(rest.max(initial=0.0)))
    if not violation <= REPAIRABLE:
        raise ValueError(
            f"alpha is not in Q: its marginals are inconsistent by {violation:.3g}, and {REPAIRABLE:g} is allowed"
        )
    return Shares(nodes, tables, K + 4, rest)


def _in_block(model: GraphStructure, block: Block, point: Vector) -> tuple[Vector, Vector]:
    """The marginals of a block over the totals of its graphs; those of graphs without weight are the truth."""
    wiring, K = block.wiring, model.K
    nodes, tables = unit_shares(model.wiring, K, point)
    p, q = nodes[block.nodes].copy(), tables[block.edges].copy()
    totals = model.totals[block.graphs]
    truth = unit_shares(wiring, K, model.labels[block.nodes])
    for own, graph, instead in ((p, wiring.graph_of_node, truth[0]), (q, wiring.graph_of_edge, truth[1])):
        is_live = totals[graph] > 0
        own[~is_live] = instead[~is_live]
        own[is_live] /= totals[graph][is_live].reshape(-1, *[1] * (own.ndim - 1))
    return p, q


# Expectations ---------------------------------------------------------------------------------------------------------


def moments(model: GraphStructure, point: Any) -> Moments:
    """What a dual point expects."""
    if isinstance(point, Mixture):
        return moments(model, marginals(model, point))
    K, sums = model.K, _Sums(model)
    for block in model.blocks:
        shares = _shares(model, block, point)
        sums.add(block, shares)
    return sums.moments(K)


class _Sums:
    """Sums over the blocks."""

    def __init__(self, model: GraphStructure) -> None:
        self.model = model
        self.nodes = np.zeros((model.storage.shape[1], model.K))
        self.edges = np.zeros((model.edge_storage.shape[1], model.K**2))
        self.losses: list[Vector] = []
        self.terms, self.sizes, self.off, self.roundings = [0, 0], [0.0, 0.0], 0.0, 0

    def add(self, block: Block, shares: Shares) -> None:
        """The residuals of a block, totals_i (share - that of the truth), times the features."""
        model, wiring = self.model, block.wiring
        totals = model.totals[block.graphs]
        truth = unit_shares(wiring, model.K, model.labels[block.nodes])
        of_node, of_edge = totals[wiring.graph_of_node], totals[wiring.graph_of_edge]
        residual = of_node[:, None] * (shares.nodes - truth[0])
        links = (shares.tables - truth[1]).reshape(len(of_edge), model.K**2)
        self._add_products(0, shares.nodes - truth[0], of_node, block.nodes)
        self._add_products(1, links, of_edge, block.edges)
        costs = model.cost[model.labels[block.nodes]]
        self.losses.append(model.node_scale[block.nodes] * np.einsum("vk,vk->v", residual, costs))
        # What errors of the shares can move.
        self.off += gamma(shares.roundings) * float(of_node @ model.storage.row_sizes[block.nodes])
        self.off += float((of_edge * shares.rest) @ model.edge_storage.row_sizes[block.edges])
        self.roundings = max(self.roundings, shares.roundings)

    def _add_products(self, kind: int, residual: Vector, totals: Vector, rows: slice) -> None:
        """Those of totals times residuals with the rows."""
        if rows.stop == rows.start:
            return
        storage, out = (self.model.storage, self.nodes) if kind == 0 else (self.model.edge_storage, self.edges)
        some = residual.any(axis=1)
        self.sizes[kind] += float((totals * some * lengths_of(residual)) @ storage.row_sizes[rows])
        self.terms[kind] += int(np.count_nonzero(some))
        storage.part(rows.start, rows.stop).add_rmatmat(totals[:, None] * residual, out)

    def moments(self, K: int) -> Moments:
        """The sums, and bounds of their rounding: one for each term of a sum, and a few of the residuals."""
        model = self.model
        distance = self.off
        each = 4 * (K * K + self.roundings) * TINY * (1 + float(model.totals.max()))  # what is below TINY is lost
        for terms, size, storage in zip(self.terms, self.sizes, (model.storage, model.edge_storage), strict=True):
            count = terms + storage.repeats + 8
            width = (storage.shape[1] * K * K) ** 0.5
            distance += gamma(count) * size + count * each * (1 + width) * (
                1 + float(storage.row_sizes.max(initial=0.0))
            )
        losses = np.concatenate(self.losses)
        loss, error = total(losses)
        error += gamma(2 * K + 6 + self.roundings) * float(np.abs(losses).sum())
        error += len(losses) * each * (1 + float(model.cost.max())) * (1 + float(model.node_scale.max()))
        features = np.concatenate([self.nodes.T.ravel(), self.edges.ravel()])
        return Moments.of(features, loss, 1.01 * distance, 1.01 * error)


def features_of(model: GraphStructure, block: Block, labelling: Any) -> Vector:
    """Phi(y) - Phi(y_i) of the labels or marginals of a single graph."""
    wiring, K = block.wiring, model.K
    nodes, edges = np.zeros((model.storage.shape[1], K)), np.zeros((model.edge_storage.shape[1], K**2))
    if labelling.dtype.kind == "f":
        own, right = (unit_shares(wiring, K, each) for each in (labelling, model.labels[block.nodes]))
        residual, links = own[0] - right[0], (own[1] - right[1]).reshape(-1, K**2)
    else:
        truth, at = model.labels[block.nodes], wiring.edges
        residual = _one_of(labelling, truth, K)
        links = _one_of(labelling[at[:, 0]] * K + labelling[at[:, 1]], truth[at[:, 0]] * K + truth[at[:, 1]], K * K)
    model.storage.part(block.nodes.start, block.nodes.stop).add_rmatmat(residual, nodes)
    if len(wiring.edges):
        model.edge_storage.part(block.edges.start, block.edges.stop).add_rmatmat(links, edges)
    return np.concatenate([nodes.T.ravel(), edges.ravel()])


def _one_of(values: Indices, others: Indices, count: int) -> Vector:
    """Rows with a one at each value, less those with a one at the other."""
    out, row = np.zeros((len(values), count)), np.arange(len(values))
    out[row, values] = 1.0
    out[row, others] -= 1.0
    return out


# Dual points as marginals ---------------------------------------------------------------------------------------------


def marginals(model: GraphStructure, point: Any) -> Vector:
    """A dual point as a vector of marginals, those of graph i times totals_i."""
    if isinstance(point, np.ndarray):
        return point
    if isinstance(point, Mixture):
        p = point.weights / point.weights.sum()
        return np.asarray(sum(s * marginals(model, each) for s, each in zip(p, point.points, strict=True)))
    return scaled(model, [(shares.nodes, shares.tables) for shares in (_shares(model, b, point) for b in model.blocks)])


def scaled(
    model: GraphStructure, parts: Sequence[tuple[Vector, Vector]], blocks: Sequence[Block] | None = None
) -> Vector:
    """The dual point with these shares of the nodes and edges of each block."""
    nodes, tables = [], []
    for block, (p, q) in zip(model.blocks if blocks is None else blocks, parts, strict=True):
        totals = model.totals[block.graphs]
        nodes.append((totals[block.wiring.graph_of_node][:, None] * p).ravel())
        tables.append((totals[block.wiring.graph_of_edge][:, None, None] * q).ravel())
    return np.concatenate([*nodes, *tables])


def split(model: GraphStructure, point: Vector) -> list[Vector]:
    """The marginals of each graph, over its total."""
    parts = (_in_block(model, block, point) for block in model.single)
    return [np.concatenate([p.ravel(), q.ravel()]) for p, q in parts]


def combined(model: GraphStructure, weights: Sequence[Vector], labellings: Sequence[list[Any]]) -> Vector:
    """The dual point that combines some labels or marginals of each graph."""
    parts = []
    for block, shares, own in zip(model.single, weights, labellings, strict=True):
        units = [unit_shares(block.wiring, model.K, each) for each in own]
        p = shares / shares.sum()
        parts.append(tuple(sum(s * unit[k] for s, unit in zip(p, units, strict=True)) for k in (0, 1)))
    return scaled(model, parts, model.single)
