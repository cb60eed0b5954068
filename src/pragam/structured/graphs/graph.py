"""Graphs as users give them, and many of them as one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.arguments import array_of, real_array
from pragam.operators.check import check_data
from pragam.operators.storage import Storage, WithConstant
from pragam.structured.graphs.wiring import Indices, Wiring


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes with features, linked by edges.

    Attributes
    ----------
    X : (nodes, d) array or scipy sparse matrix
    edges : (edges, 2) node numbers
        An edge (u, v) has a direction: the weight of the labels i, j is that of i at u and j at v.
    y : the label of each node, optional
    edge_features : (edges, d_e) array or scipy sparse matrix, optional
        Each has its own pairwise weights, beside those that all edges share.
    """

    X: Any
    edges: Any
    y: Any = None
    edge_features: Any = None


class Joined(NamedTuple):
    """Many graphs, their nodes and edges one after the other."""

    nodes: Storage
    edges: Storage  # a one, and the features
    wiring: Wiring


def join_graphs(graphs: Any, constant: float | None = None) -> Joined:
    """All graphs as one, their nodes with a constant feature behind the others if there is to be one. ValueError, with
    the number of the graph, if one is wrong."""
    if not isinstance(graphs, Sequence) or not graphs:
        raise ValueError("graphs must be a list of at least one Graph")
    parts = [_checked(graph, i) for i, graph in enumerate(graphs)]
    for i, part in enumerate(parts):
        for name, own, first in (("X", part[0], parts[0][0]), ("edge_features", part[2], parts[0][2])):
            if own.shape[1] != first.shape[1]:
                raise ValueError(f"graph {i}: {name} has {own.shape[1]} columns, and that of graph 0 {first.shape[1]}")
    sizes = np.array([X.shape[0] for X, _, _ in parts], dtype=np.int64)
    counts = np.array([len(edges) for _, edges, _ in parts], dtype=np.int64)
    shifts = np.repeat(np.concatenate([[0], np.cumsum(sizes)[:-1]]), counts)
    links = np.concatenate([edges for _, edges, _ in parts]) + shifts[:, None]
    nodes = check_data(_stacked([X for X, _, _ in parts]))
    features = _behind_ones(_stacked([each for _, _, each in parts]))
    wide = nodes if constant is None else WithConstant(nodes, constant)
    return Joined(wide, check_data(features), Wiring(sizes, counts, links))


def labels_of(graphs: Sequence[Graph]) -> NDArray[Any]:
    """The labels of all nodes."""
    found = []
    for i, graph in enumerate(graphs):
        if graph.y is None:
            raise ValueError(f"graph {i} has no labels y")
        y, count = array_of(f"graph {i}: y", graph.y), int(np.shape(graph.X)[0])
        if y.shape != (count,):
            raise ValueError(f"graph {i}: y has the shape {y.shape} for {count} nodes")
        found.append(y)
    return np.concatenate(found)


def _checked(graph: Any, i: int) -> tuple[Any, Indices, Any]:
    """Features of nodes, edges, and features of edges, which may have no columns."""
    if not isinstance(graph, Graph):
        raise ValueError(f"graph {i} must be a pragam.structured.Graph, not {type(graph).__name__}")
    X = _matrix(f"graph {i}: X", graph.X)
    if not X.shape[0]:
        raise ValueError(f"graph {i} has no nodes")
    edges = _checked_edges(graph.edges, X.shape[0], i)
    if graph.edge_features is None:
        return X, edges, np.zeros((len(edges), 0))
    features = _matrix(f"graph {i}: edge_features", graph.edge_features)
    if features.shape[0] != len(edges):
        raise ValueError(f"graph {i}: edge_features has {features.shape[0]} rows for {len(edges)} edges")
    return X, edges, features


def _checked_edges(given: Any, count: int, i: int) -> Indices:
    edges = array_of(f"graph {i}: edges", given)
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise ValueError(f"graph {i}: edges must be an (edges, 2) array of node numbers")
    edges = edges.astype(np.int64)
    low, high = np.sort(edges, axis=1).T
    _, places = np.unique(low * count + high, return_index=True)
    is_again = np.ones(len(edges), dtype=bool)
    is_again[places] = False
    wrongs = {
        "has no such node": (low < 0) | (high >= count),
        "links a node with itself": low == high,
        "occurs twice": is_again,
    }
    for what, is_wrong in wrongs.items():
        if is_wrong.any():
            raise ValueError(f"graph {i}: edge {tuple(edges[int(is_wrong.argmax())].tolist())} {what}")
    return edges


def _matrix(name: str, given: Any) -> Any:
    """A dense or CSR matrix of finite numbers."""
    is_sparse = sparse.issparse(given)
    matrix = sparse.csr_array(given) if is_sparse else real_array(name, given)
    values = real_array(name, matrix.data if is_sparse else matrix)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, not {matrix.ndim}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return matrix


def _stacked(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    return sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.concatenate(parts)


def _behind_ones(X: Any) -> Any:
    """A column of ones and a matrix: the weights that all edges share come first, so this is no WithConstant."""
    ones = np.ones((X.shape[0], 1))
    if not sparse.issparse(X):
        return np.hstack([ones, X])
    blocks: list[Any] = [sparse.csr_array(ones), X]
    return sparse.hstack(blocks, format="csr")
