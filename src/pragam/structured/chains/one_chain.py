"""One sequence of many: its best labelling, and the features and the loss of any of its labellings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.operators.storage import Csr, Storage
from pragam.structured.by_example import summed
from pragam.structured.chains import values as chain_values

if TYPE_CHECKING:
    from pragam.structured.chains.structure import ChainStructure

Indices = NDArray[np.int64]


def best_labelling(model: ChainStructure, i: int, w: Vector) -> Indices:
    """argmax over y of loss_i(y) + <w, Phi_i(y)>."""
    alone, used = _alone(model, i)
    parts = model.parts(w)
    nodes = parts.nodes if used is None else parts.nodes[:, used]
    own = np.concatenate([nodes.ravel(), parts.transitions.ravel(), parts.starts, parts.ends])
    return chain_values.best_labels(alone, own, 1.0)


def loss(model: ChainStructure, i: int, y: Indices) -> float:
    """loss_i(y)."""
    own = slice(model.first_token[i], model.first_token[i + 1])
    return float(model.token_scale[own] @ model.cost[model.labels[own], y])


def features(model: ChainStructure, i: int, y: Indices) -> tuple[Indices, Vector]:
    """Phi_i(y) - Phi_i(y_i): sorted, different indices, and the values there, none of them 0."""
    first, last = int(model.first_token[i]), int(model.first_token[i + 1])
    truth = model.labels[first:last]
    K, d, m = model.K, model.n_features, 1 + model.n_edge_features
    tables, at = K * d, np.flatnonzero(y != truth)
    row, column, x = _entries(model.storage, first + at)
    keys = [y[at][row] * d + column, truth[at][row] * d + column]
    values = [x, -x]
    pairs, of_truth = y[:-1] * K + y[1:], truth[:-1] * K + truth[1:]
    edges = np.flatnonzero(pairs != of_truth)
    keys += [tables + pairs[edges], tables + of_truth[edges]]
    values += [np.ones(len(edges)), -np.ones(len(edges))]
    if model.edge_features is not None:
        row, column, x = _entries(model.edge_features, model.first_edge[i] + edges)
        keys += [
            tables + (1 + column) * K * K + pairs[edges][row],
            tables + (1 + column) * K * K + of_truth[edges][row],
        ]
        values += [x, -x]
    ends = tables + m * K * K + np.array([y[0], truth[0], K + y[-1], K + truth[-1]])
    return summed(np.concatenate([*keys, ends]), np.concatenate([*values, [1.0, -1.0, 1.0, -1.0]]))


def _alone(model: ChainStructure, i: int) -> tuple[ChainStructure, Indices | None]:
    """The problem of this sequence, and which features it has; None: all. So sparse data cost what the sequence has."""
    first, last = int(model.first_token[i]), int(model.first_token[i + 1])
    storage, used = model.storage.part(first, last), None
    kind, arrays = storage.rows()
    if kind == "csr":
        data, indices, indptr = arrays
        begin, end = int(indptr[0]), int(indptr[-1])
        used, place = np.unique(indices[begin:end], return_inverse=True)
        place = place.astype(indices.dtype, copy=False)
        storage = Csr((data[begin:end], place, indptr - begin), (last - first, len(used)))
    edges = None
    if model.edge_features is not None:
        edges = model.edge_features.part(int(model.first_edge[i]), int(model.first_edge[i + 1]))
    alone = replace(
        model,
        storage=storage,
        lengths=model.lengths[i : i + 1],
        labels=model.labels[first:last],
        totals=model.totals[i : i + 1],
        token_scale=model.token_scale[first:last],
        edge_features=edges,
    )
    return alone, used


def _entries(storage: Storage, rows: Indices) -> tuple[Indices, Indices, Vector]:
    """The entries of some rows: which of the rows, which column, and the value."""
    kind, arrays = storage.take(rows).rows()
    if kind == "dense":
        row, column = np.nonzero(arrays[0])
        return row, column, arrays[0][row, column].astype(np.float64, copy=False)
    data, indices, indptr = arrays
    row = np.repeat(np.arange(len(rows)), np.diff(indptr))
    some = slice(int(indptr[0]), int(indptr[-1]))
    return row, indices[some].astype(np.int64, copy=False), data[some].astype(np.float64, copy=False)
