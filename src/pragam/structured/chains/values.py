"""The best labellings of sequences and what they are worth: nothing has a score for each token and label of all data at
once. Values are found token by token in one kernel, labellings and tables of edge features block by block of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.chains.records import Scores, Truth
from pragam.numerics.rounding import TINY, all_zero, gamma, norm
from pragam.numerics.vector import Vector
from pragam.runtime import interrupts
from pragam.runtime.threads import n_threads
from pragam.structured.inference.best import pass_forward, trace_back

if TYPE_CHECKING:
    from pragam.structured.chains.structure import ChainStructure

Indices = NDArray[np.int64]

#: Scores in memory at a time: few enough to stay in a cache.
_SCORES = 2**17
#: Numbers that a kernel handles at a time. It may read as many behind the last weight.
_LANES = 8


class Values(NamedTuple):
    """Of each sequence: the score and loss of its best labelling less its truth's score, and a size for rounding."""

    values: Vector
    sizes: Vector  # bounds the sums of the scores of any of its labellings, and all their partial sums


class Block(NamedTuple):
    """Some neighbouring tokens: whole sequences, or a part of a long one."""

    first: int
    last: int
    sequences: slice  # that they belong to
    begins: bool  # whether it begins with the first token of a sequence
    ends: bool


class Weights:
    """What scores are made of, in the order in which it is read."""

    def __init__(self, model: ChainStructure, w: Vector) -> None:
        parts = model.parts(np.asarray(w, dtype=np.float64))
        self.features = _by_feature(parts.nodes) if parts.nodes.any() else np.empty(0)  # empty: all are zero
        self.table = np.array(parts.transitions[0])
        self.edges = parts.transitions[1:].reshape(-1, model.K**2)
        self.starts, self.ends = np.array(parts.starts), np.array(parts.ends)
        self.size_of_ends = float(np.abs(self.starts).max() + np.abs(self.ends).max())
        if model.rules is not None:
            self.table, self.starts, self.ends = model.rules.forbid(self.table, self.starts, self.ends)


def _by_feature(nodes: Vector) -> Vector:
    """The weights (d, K), flat, and room behind them."""
    out = np.empty(nodes.size + _LANES)
    _kernels.get("transpose")(nodes.reshape(-1), len(nodes), out[:-_LANES], n_threads(nodes.size))
    out[-_LANES:] = 0.0
    return out


def values(model: ChainStructure, w: Vector, loss: float = 1.0) -> Values:
    """What the best labelling of each sequence is worth."""
    weights, out = Weights(model, w), Values(np.zeros(model.n), np.zeros(model.n))
    if model.edge_features is None and not model.storage.lacks:
        _add_streamed(model, weights, loss, out)
    else:
        _add_by_blocks(model, weights, loss, out)
    out.sizes[:] += weights.size_of_ends
    return out


def _add_streamed(model: ChainStructure, weights: Weights, loss: float, out: Values) -> None:
    """Token by token, in a kernel."""
    storage, has_constant = model.storage.split_constant()
    kind, raw = storage.rows()
    room = -model.K % _LANES
    links, cost = (np.pad(table, ((0, 0), (0, room))).reshape(-1) for table in (weights.table, model.cost))
    starts, ends = (np.pad(part, (0, room)) for part in (weights.starts, weights.ends))
    scores = Scores(weights.features, storage.shape[1], has_constant, links, starts, ends, _largest(weights.table))
    truth = Truth(model.labels, loss * model.token_scale, cost, model.first_token)
    _kernels.get(f"chain_values_{kind}")(*raw, scores, truth, *out, n_threads(model.entries))


def _largest(table: Vector) -> float:
    """The largest size of what is allowed."""
    return float(np.abs(table[np.isfinite(table)]).max(initial=0.0))


def _add_by_blocks(model: ChainStructure, weights: Weights, loss: float, out: Values) -> None:
    carry = np.empty(0)
    for block in blocks(model):
        scores, sizes = node_scores(model, weights, block, loss)
        tables = edge_tables(model, weights, block)
        at = _first_rows(model, block)
        truths, links = _truth_scores(model, scores, tables, block)
        out.values[block.sequences] -= np.add.reduceat(truths, at[:-1])
        out.sizes[block.sequences] += np.add.reduceat(sizes + links, at[:-1])
        pass_forward(scores, tables, at, None if block.begins else carry)
        if block.ends:
            out.values[block.sequences] += scores[at[1:] - 1].max(axis=1)
        carry = scores[-1].copy()


def values_bound(model: ChainStructure, w: Vector) -> tuple[Vector, Vector]:
    """The same, and a bound of the rounding: that of the scores, and 6 roundings a token of the sums of a path."""
    parts, (found, sizes) = model.parts(w), values(model, w)
    has_weights = not all_zero(w)
    if not (has_weights or (model.token_scale.any() and model.cost.any())):
        return found, np.zeros(model.n)  # all scores are 0
    if not has_weights:
        return found, 1.01 * gamma(6 * model.lengths + 20) * sizes + 8 * model.lengths * TINY
    longest = max(norm(row) for row in parts.nodes) + model.n_features**0.5 * TINY * 2.0**53
    # Entries below TINY may be read as zero: the longer ``longest`` covers those of w, the last term those of X.
    errors = longest * model.reach
    errors += 2 * TINY * (model.n_features + 4) * (1 + longest) * model.lengths
    if model.edge_features is not None:
        longest = max(norm(np.ascontiguousarray(v)) for v in parts.transitions[1:].reshape(-1, model.K**2).T)
        sums = np.concatenate([[0.0], np.cumsum(model.edge_features.reach * longest + 2 * TINY)])
        errors += sums[model.first_edge[1:]] - sums[model.first_edge[:-1]]
    return found, 1.01 * (2 * errors + gamma(6 * model.lengths + 20) * (sizes + errors))


def best_labels(model: ChainStructure, w: Vector, loss: float = 0.0) -> Indices:
    """The labels of all tokens in a best labelling of each sequence.

    The parts of a long sequence are decoded from its end, each with its scores computed anew.
    """
    weights, labels = Weights(model, w), np.zeros(model.n_tokens, dtype=np.int64)
    parts: list[tuple[Block, Vector]] = []  # of the sequence so far, each with the best scores before it
    carry = np.empty(0)
    for block in blocks(model):
        parts = [(block, carry)] if block.begins else [*parts, (block, carry)]
        passed = _forward(model, weights, block, loss, carry)
        carry = passed.scores[-1].copy()
        if block.ends:
            _trace(block, passed, -1, labels)
            for (part, before), (following, until) in zip(parts[-2::-1], parts[:0:-1], strict=True):
                table = edge_tables(model, weights, following).reshape(-1, model.K, model.K)[0]
                last = int(np.argmax(until + table[:, labels[following.first]]))
                _trace(part, _forward(model, weights, part, loss, before), last, labels)
    return labels


def blocks(model: ChainStructure) -> Iterator[Block]:
    """All tokens, block by block: as many whole sequences as fit into memory, or parts of one that does not."""
    per_token = model.K if model.edge_features is None else model.K**2
    most = max(_SCORES // per_token, 1)
    i, first = 0, model.first_token
    while i < model.n:
        interrupts.check()
        j = int(np.searchsorted(first, first[i] + most, side="right")) - 1
        if j > i:
            yield Block(int(first[i]), int(first[j]), slice(i, j), True, True)
            i = j
            continue
        for begin in range(int(first[i]), int(first[i + 1]), most):
            end = min(begin + most, int(first[i + 1]))
            yield Block(begin, end, slice(i, i + 1), begin == first[i], end == first[i + 1])
        i += 1


def node_scores(model: ChainStructure, weights: Weights, block: Block, loss: float) -> tuple[Vector, Vector]:
    """The scores of all labels of the block's tokens, costs and ends of sequences included, (tokens, K); and for each
    token the largest size of a score, but for the ends of sequences."""
    tokens = slice(block.first, block.last)
    scores = np.zeros((block.last - block.first, model.K))
    if weights.features.size:
        by_feature = weights.features[:-_LANES].reshape(-1, model.K)
        scores = model.storage.part(block.first, block.last).matmat(by_feature.T)
    if loss:
        costs = model.cost[model.labels[tokens]]
        costs *= (loss * model.token_scale[tokens])[:, None]
        scores += costs
    sizes = np.maximum(scores.max(axis=1), -scores.min(axis=1))
    at = _first_rows(model, block)
    if block.begins:
        scores[at[:-1]] += weights.starts
    if block.ends:
        scores[at[1:] - 1] += weights.ends
    return scores, sizes


def edge_tables(model: ChainStructure, weights: Weights, block: Block) -> Vector:
    """The scores of links: one table, or with edge features one for each token and the token before it."""
    if model.edge_features is None:
        return weights.table
    K, number = model.K, _edges(model, block)
    tables = np.zeros((block.last - block.first, K * K))
    linked = np.flatnonzero(number >= 0)
    if len(linked):
        low, high = int(number[linked[0]]), int(number[linked[-1]]) + 1
        tables[linked] = model.edge_features.part(low, high).matmat(weights.edges.T)
    return tables.reshape(-1, K, K) + weights.table


def _edges(model: ChainStructure, block: Block) -> Indices:
    """The number of the pair of each of the block's tokens and the one before; -1 for the first of a sequence."""
    tokens = np.arange(block.first, block.last)
    return np.where(model.is_first[block.first : block.last], -1, tokens - model.sequence_of(tokens) - 1)


class _Passed(NamedTuple):
    """A block after the forward pass."""

    scores: Vector
    tables: Vector
    at: Indices


def _forward(model: ChainStructure, weights: Weights, block: Block, loss: float, carry: Vector) -> _Passed:
    scores, _ = node_scores(model, weights, block, loss)
    tables, at = edge_tables(model, weights, block), _first_rows(model, block)
    pass_forward(scores, tables, at, None if block.begins else carry)
    return _Passed(scores, tables, at)


def _trace(block: Block, passed: _Passed, last: int, labels: Indices) -> None:
    """The labels of a block's tokens; its only sequence ends with the label ``last``, or all with their best if -1."""
    trace_back(passed.scores, passed.tables, passed.at, last, labels[block.first : block.last])


def _first_rows(model: ChainStructure, block: Block) -> Indices:
    """Where the sequences begin within the block, and its length."""
    if not (block.begins and block.ends):
        return np.array([0, block.last - block.first])
    return model.first_token[block.sequences.start : block.sequences.stop + 1] - block.first


def _truth_scores(model: ChainStructure, scores: Vector, tables: Vector, block: Block) -> tuple[Vector, Vector]:
    """Of each token: the score of its true label and of its link to the one before, and the largest size of a link."""
    labels = model.labels[block.first : block.last]
    truths = scores[np.arange(len(labels)), labels]
    linked = ~model.is_first[block.first : block.last]
    before = np.where(linked, model.labels[np.arange(block.first, block.last) - 1], 0)
    links = tables[before, labels] if tables.ndim == 2 else tables[np.arange(len(labels)), before, labels]
    finite = np.where(np.isfinite(tables), np.abs(tables), 0.0)
    sizes = np.full(len(labels), finite.max()) if tables.ndim == 2 else finite.max(axis=(1, 2))
    return truths + np.where(linked, links, 0.0), np.where(linked, sizes, 0.0)
