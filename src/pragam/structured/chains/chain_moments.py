"""What dual points of sequences expect: of features and of the loss, with bounds of the rounding.

A dual point of any form is first a list of edges with shares: for each token the pairs (label before, label) with the
probability of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam import interrupts
from pragam.arguments import flat
from pragam.rounding import TINY, U, gamma, norm, total
from pragam.structured.chains.trellis_flow import TrellisFlow
from pragam.structured.labellings import Labellings, Mixture
from pragam.structured.structure import Moments
from pragam.vector import Vector

if TYPE_CHECKING:
    from pragam.structured.chains.chain_model import ChainModel

Indices = NDArray[np.int64]

#: Residuals of tokens and labels in memory at a time.
_RESIDUALS = 2**20
#: Rows of a matrix that are transposed at a time.
_ROWS = 512


class Edges(NamedTuple):
    """Edges with masses; those of token t are first[t] .. first[t + 1] - 1, and their shares are masses times ``unit``.
    Sums of the shares of a token's edges are right to ``roundings`` roundings."""

    first: Indices
    previous: NDArray[Any]
    label: NDArray[Any]
    mass: NDArray[Any]
    unit: float
    roundings: int

    def at(self, tokens: Indices) -> tuple[Indices, Indices]:
        """The edges of some tokens: for each the place of its token among them, and its number."""
        counts = self.first[tokens + 1] - self.first[tokens]
        row = np.repeat(np.arange(len(tokens)), counts)
        return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts - self.first[tokens], counts)

    def shares(self, some: Indices) -> Vector:
        """Those of some edges."""
        return np.asarray(self.mass[some] * self.unit, dtype=np.float64)


def checked(model: ChainModel, point: Any) -> Any:
    """A dual point of the sequences, or a ValueError."""
    if isinstance(point, TrellisFlow):
        point.check(model.first_token, model.K)
        _check_allowed(model, edges_of(model, point))
    elif isinstance(point, Labellings):
        for labels in point.checked(model.n).labels:
            _check_labels(model, labels)
    elif isinstance(point, Mixture):
        for each in point.points:
            checked(model, each)
    else:
        return flat("alpha", point, model.unfolding.layout.size)
    return point


def _check_labels(model: ChainModel, labels: Any) -> None:
    if not isinstance(labels, np.ndarray) or labels.shape != (model.n_tokens,) or labels.dtype.kind not in "iu":
        raise ValueError(f"a labelling must be an array of {model.n_tokens} whole numbers")
    if labels.size and not (labels.min() >= 0 and labels.max() < model.K):
        raise ValueError(f"a labelling must have labels from 0 to {model.K - 1}")
    _check_allowed(model, _edges_of(model, [labels], np.ones((1, 1)), 0))


def _check_allowed(model: ChainModel, edges: Edges) -> None:
    """Refuse edges that are forbidden."""
    if model.allowed is None and model.allowed_starts is None and model.allowed_ends is None:
        return
    token = _tokens(edges)
    is_first, is_last = model.is_first, model.is_last
    wrong = np.zeros(len(token), bool)
    if model.allowed is not None:
        wrong |= ~is_first[token] & ~model.allowed[edges.previous, edges.label]
    if model.allowed_starts is not None:
        wrong |= is_first[token] & ~model.allowed_starts[edges.label]
    if model.allowed_ends is not None:
        wrong |= is_last[token] & ~model.allowed_ends[edges.label]
    if wrong.any():
        raise ValueError(f"a forbidden label or transition is used at token {token[np.argmax(wrong)]}")


def _tokens(edges: Edges) -> Indices:
    """The token of each edge."""
    return np.repeat(np.arange(len(edges.first) - 1), np.diff(edges.first))


def edges_of(model: ChainModel, point: TrellisFlow | Labellings) -> Edges:
    """The edges of a dual point."""
    if isinstance(point, TrellisFlow):
        return Edges(point.first, point.previous, point.label, point.mass, 2.0**-30, 0)
    J = len(point.labels)
    return _edges_of(model, list(point.labels), point.shares, 0 if J == 1 else 2 * J + 1)


def _edges_of(model: ChainModel, labels: list[Indices], shares: Vector, roundings: int) -> Edges:
    """Of labellings with shares (J, n) or (J, 1); equal edges become one."""
    K, N = model.K, model.n_tokens
    if len(labels) == 1:
        flow = TrellisFlow.of(np.asarray(labels[0], dtype=np.int64))
        return Edges(flow.first, flow.previous, flow.label, flow.mass, 2.0**-30, roundings)
    keys, values = [], []
    for own, share in zip(labels, shares, strict=True):
        own = np.asarray(own, dtype=np.int64)
        before = np.concatenate([[0], own[:-1]])
        before[model.first_token[:-1]] = 0
        keys.append((np.arange(N) * K + before) * K + own)
        values.append(np.repeat(share, model.lengths) if len(share) > 1 else np.full(N, share[0]))
    places, where = np.unique(np.concatenate(keys), return_inverse=True)
    sums = _bincount(where, np.concatenate(values), minlength=len(places))
    first = np.searchsorted(places, np.arange(N + 1) * K * K)
    return Edges(first, places // K % K, places % K, sums, 1.0, roundings)


def moments(model: ChainModel, point: Any) -> Moments:
    """What a dual point expects."""
    if isinstance(point, Mixture):
        return _of_mixture(model, point)
    if isinstance(point, np.ndarray):
        return model.unfolding.moments(point)
    edges = edges_of(model, point)
    nodes, loss, distance, loss_error = _of_nodes(model, edges)
    rest, more = _of_edges(model, edges)
    point = np.empty(model.n_weights + 1)
    point[nodes.size : -1], point[-1] = rest, loss
    by_label = point[: nodes.size].reshape(model.K, -1)
    for first in range(0, len(nodes), _ROWS):  # a transpose by pieces that fit a cache
        by_label[:, first : first + _ROWS] = nodes[first : first + _ROWS].T
    return Moments(point, 1.01 * (distance + more), loss_error)


def marginals(model: ChainModel, point: Any) -> Vector:
    """A dual point as a vector of marginals, in the order of :class:`~pragam.structured.chains.layout.ChainLayout`."""
    layout = model.unfolding.layout
    if isinstance(point, np.ndarray):
        return point
    if isinstance(point, Mixture):
        p = point.weights / point.weights.sum()
        return np.asarray(sum(s * marginals(model, each) for s, each in zip(p, point.points, strict=True)))
    edges, out = edges_of(model, point), np.zeros(layout.size)
    token = _tokens(edges)
    place = np.full(model.n_tokens, -1)
    place[layout.to] = np.arange(layout.n_tables)
    linked = np.flatnonzero(place[token] >= 0)
    at = place[token[linked]], edges.previous[linked], edges.label[linked]
    np.add.at(layout.tables(out), at, edges.shares(linked))
    place[layout.first_token[layout.single]] = np.arange(len(layout.single))
    single = np.flatnonzero(np.isin(token, layout.first_token[layout.single]))
    np.add.at(layout.singles(out), (place[token[single]], edges.label[single]), edges.shares(single))
    return layout.per_entry(model.totals) * out


def _bincount(key: Indices, weights: Vector, minlength: int) -> Vector:
    """Sums by key, as floats also where there are none."""
    return np.bincount(key, weights, minlength=minlength).astype(np.float64, copy=False)


def _of_mixture(model: ChainModel, mixture: Mixture) -> Moments:
    """The mean of those of its points, with J + 3 roundings."""
    parts = [moments(model, point) for point in mixture.points]
    p = mixture.weights / mixture.weights.sum()
    point, rounding = np.zeros(model.n_weights + 1), gamma(2 * len(parts) + 3)
    for share, part in zip(p, parts, strict=True):
        point += share * part.point
    distance = sum(s * (part.distance + rounding * norm(part.features)) for s, part in zip(p, parts, strict=True))
    return Moments(point, 1.02 * distance, 1.02 * float(p @ [m.loss_error + rounding * m.loss for m in parts]))


def _of_nodes(model: ChainModel, edges: Edges) -> tuple[Vector, float, float, float]:
    """The features of the nodes (d, K), the loss, and bounds of the errors of both.

    The sums of the shares of a label are exact where the point has whole numbers. Then each residual is rounded once,
    when it is multiplied by the total of its sequence, and each feature has a term for each token that is not certain.
    """
    K, out = model.K, np.zeros((model.n_features, model.K))
    doubtful = np.flatnonzero(~_certain(model, edges))
    sizes, losses = model.storage.row_sizes, np.zeros(len(doubtful))
    size, high = 0.0, max(_RESIDUALS // K, 1)
    for begin in range(0, len(doubtful), high):
        interrupts.check()
        tokens = doubtful[begin : begin + high]
        residual = _residuals(model, edges, tokens) * model.totals[model.sequence_of(tokens), None]
        size += float(np.sqrt(np.einsum("tk,tk->t", residual, residual)) @ sizes[tokens])
        costs = np.einsum("tk,tk->t", residual, model.cost[model.labels[tokens]])
        losses[begin : begin + high] = model.token_scale[tokens] * costs
        model.storage.take(tokens).add_rmatmat(residual, out)
    # What an error of all shares of a token can move.
    most = float(model.totals @ np.add.reduceat(sizes, model.first_token[:-1])) if edges.roundings else 0.0
    terms = len(doubtful) + model.storage.repeats
    distance = gamma(terms + 6) * size + gamma(edges.roundings) * most
    loss, error = total(losses)
    error += gamma(2 * K + 6 + 2 * edges.roundings) * float(np.abs(losses).sum())
    if len(doubtful):  # products of small numbers may have been lost
        distance += 4 * (terms + 1) * TINY * (1 + float(sizes.max(initial=0.0))) * model.n_features**0.5
        error += 4 * K * len(doubtful) * TINY
    return out, loss, 1.01 * distance, 1.01 * error


def _certain(model: ChainModel, edges: Edges) -> NDArray[np.bool_]:
    """Whether each token is certain to have its true label."""
    certain = np.diff(edges.first) == 1
    certain &= edges.label[edges.first[:-1]] == model.labels
    return certain


def _residuals(model: ChainModel, edges: Edges, tokens: Indices) -> Vector:
    """The shares of all labels at these tokens, less 1 for the true one, (tokens, K)."""
    row, some = edges.at(tokens)
    shares = _bincount(row * model.K + edges.label[some], edges.shares(some), minlength=len(tokens) * model.K)
    residual = shares.reshape(-1, model.K)
    residual[np.arange(len(tokens)), model.labels[tokens]] -= 1.0
    return residual


def _of_edges(model: ChainModel, edges: Edges) -> tuple[Vector, float]:
    """The features of transitions, starts and ends, flat, and a bound of their error."""
    K = model.K
    certain = _certain(model, edges)
    # Two neighbours that are certain have a certain link: the labels before are right too.
    linked_certainly = certain.copy()
    linked_certainly[1:] &= certain[:-1] | model.is_first[1:]
    doubtful = np.flatnonzero(~linked_certainly)
    row, some = edges.at(doubtful)
    # Where the point differs from the truth: the truth's edges with the share -1, and the point's.
    token = np.concatenate([doubtful, doubtful[row]])
    previous = np.concatenate([model.labels[doubtful - 1], edges.previous[some]])
    label = np.concatenate([model.labels[doubtful], edges.label[some]])
    share = np.concatenate([np.full(len(doubtful), -1.0), edges.shares(some)])
    sequence, linked = model.sequence_of(token), ~model.is_first[token]
    pair = previous[linked] * K + label[linked]
    parts = [_sums(model, pair, share[linked], sequence[linked], K * K)]
    if model.edge_features is not None:
        parts.append(_with_features(model, pair, share[linked], sequence[linked], token[linked]))
    for end in (model.is_first[token], model.is_last[token]):
        parts.append(_sums(model, label[end], share[end], sequence[end], K))
    own = 2 * gamma(edges.roundings) * float(model.totals @ (model.lengths + 1.0))
    return np.concatenate([value for value, _ in parts]), 1.01 * (norm(np.array([e for _, e in parts])) + own)


def _sums(model: ChainModel, key: Indices, share: Vector, sequence: Indices, size: int) -> tuple[Vector, float]:
    """The sums of totals times shares by key. With one total for all, sums of whole numbers of 2^-30 are exact."""
    if not len(key):
        return np.zeros(size), 0.0
    if np.ptp(model.totals) == 0:
        sums = _bincount(key, share, minlength=size)
        sizes = _bincount(key, np.abs(share), minlength=size)
        is_whole = not (share * 2.0**30 % 1).any() and sizes.max(initial=0.0) < 2**22
        rounding = gamma(1) * norm(sums) if is_whole else gamma(len(key) + 2) * norm(sizes)
        return model.totals[0] * sums, 1.01 * model.totals[0] * rounding + 2 * size * TINY
    terms = model.totals[sequence] * share
    sizes = _bincount(key, np.abs(terms), minlength=size)
    return _bincount(key, terms, minlength=size), gamma(len(key) + 2) * norm(sizes) + 2 * len(key) * TINY


def _with_features(
    model: ChainModel, pair: Indices, share: Vector, sequence: Indices, token: Indices
) -> tuple[Vector, float]:
    """The sums of totals times shares times edge features, flat, and a bound of their error."""
    storage = model.edge_features
    assert storage is not None
    if not len(pair):
        return np.zeros(storage.shape[1] * model.K**2), 0.0
    K, table = model.K, token - sequence - 1
    residual = sparse.csr_array((model.totals[sequence] * share, (table, pair)), shape=(storage.shape[0], K * K))
    out, size = np.zeros((storage.shape[1], K * K)), 0.0
    high = max(1, 2**20 // (K * K))
    for first in range(0, storage.shape[0], high):
        some = slice(first, min(first + high, storage.shape[0]))
        rows = residual[some].toarray()
        storage.part(some.start, some.stop).add_rmatmat(rows, out)
        size += float(np.sqrt(np.einsum("tk,tk->t", rows, rows)) @ storage.row_sizes[some])
    most = float(
        _bincount(table, model.totals[sequence] * np.abs(share), minlength=storage.shape[0]) @ storage.row_sizes
    )
    terms = storage.shape[0] + storage.repeats + 8
    return out.ravel(), gamma(terms) * size + 4 * U * most + 4 * terms * TINY * (1 + most)
