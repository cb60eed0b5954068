"""The arrays around ascent on flows: a packed copy of X, the weights that belong to a flow, and a flow as lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import Row, csr_rows, dense_rows, pattern_rows
from pragam._kernels.flows.records import EDGE, Chains, Flow, Table, Weights
from pragam.numerics.vector import Vector

__all__ = [
    "flow_count_csr", "flow_count_dense", "flow_edges", "flow_pack_csr", "flow_pack_dense", "flow_renew_csr",
    "flow_renew_dense", "flow_renew_pattern", "flow_weights",
]  # fmt: skip


def rounded(row: Row, dtype: Any) -> Row:
    """Its values in the precision of the weights."""

    def read(t: int) -> Any:
        columns, values = row(t)
        return columns, np.asarray(values, dtype=dtype)

    return read


def features(row: Row, chains: Chains, dtype: Any) -> Row:
    """The rows of the table and the values of a token, that of the constant feature last."""
    read = rounded(row, dtype)
    if chains.constant < 0:
        return read

    def with_constant(t: int) -> Any:
        columns, values = read(t)
        return np.append(columns, chains.constant), np.append(values, values.dtype.type(1))

    return with_constant


def edges(flow: Flow, t: int) -> NDArray[np.void]:
    """Those of token t, a view."""
    first, count = int(flow.first[t]), int(flow.counts[t])
    return flow.pool.view(EDGE)[first : first + count]


def flow_count_csr(data: Any, indices: Any, indptr: Any, tokens: int, counts: NDArray[np.int32]) -> bool:
    return _count(csr_rows(data, indices, indptr), tokens, counts)


def flow_count_dense(X: Any, tokens: int, counts: NDArray[np.int32]) -> bool:
    return _count(dense_rows(X), tokens, counts)


def _count(row: Row, tokens: int, counts: NDArray[np.int32]) -> bool:
    """How many entries other than zero each column has; returns whether all of them are one."""
    ones = True
    for t in range(tokens):
        columns, values = row(t)
        np.add.at(counts, columns, values != 0)
        ones &= bool(np.isin(values, (0, 1)).all())
    return ones


def flow_pack_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> int:
    return _pack(csr_rows(data, indices, indptr), *args)


def flow_pack_dense(X: Any, *args: Any) -> int:
    return _pack(dense_rows(X), *args)


def _pack(
    row: Row,
    place: NDArray[np.int32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    out: Weights,
    lone: NDArray[np.uint32],
    lone_values: Weights,
    norms: Weights,
    own: Weights,
) -> int:
    """The entries of X in the rows that ``place`` gives to their columns, -1: in the list of lone entries. Returns the
    number of these.

    Without an indptr nothing is copied, and only the norms are computed.
    """
    kept = left = 0
    row = rounded(row, norms.dtype)
    for t in range(len(norms)):
        columns, values = row(t)
        sums = np.zeros(len(place), dtype=norms.dtype)
        np.add.at(sums, columns, values)
        norms[t] = sums[columns].astype(np.float64) @ values.astype(np.float64)
        alone = 0.0
        for column, value in zip(columns, values, strict=True):
            if not len(indptr) or value == 0:
                continue
            if place[column] < 0:
                alone += float(value) ** 2
                lone[2 * left : 2 * left + 2], lone_values[left] = (t, column), value
                left += 1
                continue
            if len(out):
                out[kept] = value
            indices[kept] = place[column]
            kept += 1
        own[t] = alone
        if len(indptr):
            indptr[t + 1] = kept
    return left


def flow_renew_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> tuple[float, float]:
    return _renew(csr_rows(data, indices, indptr), *args)


def flow_renew_dense(X: Any, *args: Any) -> tuple[float, float]:
    return _renew(dense_rows(X), *args)


def flow_renew_pattern(indices: Any, indptr: Any, *args: Any) -> tuple[float, float]:
    return _renew(pattern_rows(indices, indptr), *args)


def _renew(row: Row, chains: Chains, table: Table, flow: Flow) -> tuple[float, float]:
    """The weights of the flow. Returns its mean loss and |w|^2, with the part of lone features."""
    K, stride = chains.K, len(chains.cost) // chains.K
    weights, cost = table.weights.reshape(-1, stride), chains.cost.reshape(K, stride)
    link, row = len(weights) - 2 * K - 2, features(row, chains, weights.dtype)
    rows, of_pair = link - 2 * K * chains.pairs.n_features, csr_rows(*chains.pairs[:3])
    pairs = np.zeros((chains.pairs.n_features, K, K))
    weights[:link] = 0
    links = np.zeros((K + 2, K))  # transitions, starts and ends
    loss = norm2 = 0.0
    for i, rate in enumerate(chains.rates):
        first, end = int(chains.first[i]), int(chains.first[i + 1])
        for t in range(first, end):
            truth, change = int(chains.truth[t]), np.zeros(K)
            change[truth] = rate
            moved = [(int(chains.truth[t - 1]), truth, rate)]
            for before, label, mass in edges(flow, t).tolist():
                share = mass * 2.0**-30
                loss += chains.totals[i] * share * float(chains.scale[t]) * float(cost[truth, label])
                change[label] -= rate * share
                moved.append((before, label, -rate * share))
            for before, label, by in moved if t > first else []:
                links[before, label] += by
                if len(pairs):
                    own, values = of_pair(t - i - 1)
                    np.add.at(pairs[:, before, label], own, by * values)
            links[K] += change if t == first else 0
            links[K + 1] += change if t + 1 == end else 0
            norm2 += float(change @ change) * float(chains.own[t])
            columns, values = row(t)
            np.add.at(weights[:rows, :K], columns, values[:, None] * change.astype(weights.dtype))
    weights[rows:link, :K] = np.stack([pairs, pairs.transpose(0, 2, 1)], axis=1).reshape(-1, K)
    norm2 += float(np.sum(np.float64(weights[:rows]) ** 2)) + float(np.sum(pairs**2))
    for target, source in ((weights[link : link + K, :K], links[:K]), (weights[link + 2 * K :, :K], links[K:])):
        allowed = target > -np.inf
        target[allowed] = source[allowed]
        norm2 += float(np.sum(source[allowed] ** 2))
    weights[link + K : link + 2 * K, :K] = weights[link : link + K, :K].T
    return loss, norm2


def flow_weights(
    chains: Chains,
    table: Table,
    flow: Flow,
    share: float,
    place: NDArray[np.int32],
    lone: NDArray[np.uint32],
    lone_values: Weights,
    nodes: Vector,
) -> None:
    """The weights of nodes as the model has them, (K, d), flat: table - share late; lone features by the flow."""
    K, stride = chains.K, len(chains.cost) // chains.K
    weights = np.float64(table.weights).reshape(-1, stride)
    if len(table.late):
        weights = weights - share * np.float64(table.late).reshape(-1, stride)
    by_column = nodes.reshape(K, len(place))
    by_column[:] = np.where(place >= 0, weights[place, :K].T, 0.0)
    sequence = np.searchsorted(chains.first, lone[::2], side="right") - 1
    for i, (t, column), value in zip(sequence, lone.reshape(-1, 2), lone_values, strict=True):
        size = chains.rates[i] * float(value)
        for _, label, mass in edges(flow, int(t)).tolist():
            by_column[label, column] -= size * (mass * 2.0**-30)
        by_column[chains.truth[t], column] += size


def flow_edges(
    chains: Chains,
    flow: Flow,
    first: NDArray[np.int64],
    before: NDArray[np.uint16],
    label: NDArray[np.uint16],
    mass: NDArray[np.uint32],
) -> None:
    """The edges of all tokens, one after the other; those of token t from first[t] on."""
    for t in range(len(first) - 1):
        for out, name in ((before, "before"), (label, "label"), (mass, "mass")):
            out[first[t] : first[t + 1]] = edges(flow, t)[name]
