"""Graphs in an ``.npz`` file: all nodes one after the other, and all edges.

* ``X``, the features of all nodes, or data, indices, indptr and shape of a CSR matrix;
* ``sizes``, the number of nodes of each graph;
* ``edges`` (edges, 2), node numbers counted through all graphs; ``edge_features`` (edges, d_e), optional;
* ``y``, the labels of all nodes, optional.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.files import source
from pragam.files.arrays import CSR, DAMAGE, csr_of, read_arrays
from pragam.structured.graphs.graph import Graph
from pragam.structured.targets import check_lengths


def read_graphs_npz(path: source.Path, may_be_empty: bool = False) -> list[Graph]:
    """The graphs of a file, of which some may have none; ValueError of one line if something is missing or wrong."""
    with source.opened(path) as opened:
        try:
            arrays = read_arrays(opened.as_file(), (*CSR, "X", "sizes", "edges", "edge_features", "y"), kinds="biufU")
            return [] if may_be_empty and "sizes" in arrays and not arrays["sizes"].size else _graphs(arrays)
        except (ValueError, OverflowError, *DAMAGE) as error:
            raise ValueError(f"{opened.name}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error


def _graphs(arrays: dict[str, NDArray[Any]]) -> list[Graph]:
    for name in ("sizes", "edges"):
        if name not in arrays:
            raise ValueError(f"no array {name!r}: graphs need X, sizes and edges")
    X = arrays["X"] if "X" in arrays else csr_of(arrays)
    sizes = check_lengths(arrays["sizes"])
    if X.ndim != 2 or X.shape[0] != sizes.sum():
        raise ValueError(f"sizes sum to {sizes.sum()}, and X has the shape {X.shape}")
    edges, ends = arrays["edges"].reshape(-1, 2), np.cumsum(sizes)
    if edges.dtype.kind not in "iu" or (edges.size and not 0 <= edges.min() <= edges.max() < ends[-1]):
        raise ValueError(f"edges must hold node numbers from 0 to {ends[-1] - 1}")
    of_edge = np.searchsorted(ends, edges, side="right")
    if (of_edge[:, 0] != of_edge[:, 1]).any():
        raise ValueError(f"edge {edges[(of_edge[:, 0] != of_edge[:, 1]).argmax()].tolist()} links two graphs")
    y, features = arrays.get("y"), arrays.get("edge_features")
    if y is not None and y.shape != (ends[-1],):
        raise ValueError(f"labels of shape {y.shape} for {ends[-1]} nodes")
    if features is not None and (features.ndim != 2 or len(features) != len(edges)):
        raise ValueError(f"edge_features of shape {features.shape} for {len(edges)} edges")
    graphs = []
    for k, (first, last) in enumerate(zip((ends - sizes).tolist(), ends.tolist(), strict=True)):
        own = of_edge[:, 0] == k
        more = None if features is None else features[own]
        graphs.append(Graph(X[first:last], edges[own] - first, None if y is None else y[first:last], more))
    return graphs
