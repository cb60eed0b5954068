"""Dual points of sequences in one form: for each token the pairs (label before, label) with the probability of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import flat
from pragam.numerics.vector import Vector
from pragam.structured.chains.trellis_flow import TrellisFlow, edges_at
from pragam.structured.labellings import Labellings, Mixture, check_labelling, check_point

if TYPE_CHECKING:
    from pragam.structured.chains.structure import ChainStructure

Indices = NDArray[np.int64]


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
        return edges_at(self.first, tokens)

    def shares(self, some: Indices) -> Vector:
        """Those of some edges."""
        return np.asarray(self.mass[some] * self.unit, dtype=np.float64)


def checked(model: ChainStructure, point: Any) -> Any:
    """A dual point of the sequences, or a ValueError."""
    return check_point(point, model.n, lambda labels: _check_labels(model, labels), lambda other: _other(model, other))


def _other(model: ChainStructure, point: Any) -> Any:
    """A flow, or a vector of marginals."""
    if not isinstance(point, TrellisFlow):
        return flat("alpha", point, model.unfolding.layout.size)
    point.check(model.first_token, model.K)
    _check_allowed(model, edges_of(model, point))
    return point


def _check_labels(model: ChainStructure, labels: Any) -> None:
    check_labelling(labels, model.n_tokens, model.K)
    _check_allowed(model, _edges_of(model, [labels], np.ones((1, 1)), 0))


def _check_allowed(model: ChainStructure, edges: Edges) -> None:
    """Refuse edges that are forbidden."""
    rules = model.rules
    if rules is None:
        return
    token = _tokens(edges)
    may_follow = np.where(
        model.is_first[token], rules.starts[edges.label], rules.transitions[edges.previous, edges.label]
    )
    wrong = ~may_follow | (model.is_last[token] & ~rules.ends[edges.label])
    if wrong.any():
        raise ValueError(f"a forbidden label or transition is used at token {token[np.argmax(wrong)]}")


def _tokens(edges: Edges) -> Indices:
    """The token of each edge."""
    return np.repeat(np.arange(len(edges.first) - 1), np.diff(edges.first))


def edges_of(model: ChainStructure, point: TrellisFlow | Labellings) -> Edges:
    """The edges of a dual point."""
    if isinstance(point, TrellisFlow):
        return Edges(point.first, point.previous, point.label, point.mass, 2.0**-30, 0)
    J = len(point.labels)
    return _edges_of(model, list(point.labels), point.shares, 0 if J == 1 else 2 * J + 1)


def _edges_of(model: ChainStructure, labels: list[Indices], shares: Vector, roundings: int) -> Edges:
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
    sums = summed(where, np.concatenate(values), minlength=len(places))
    first = np.searchsorted(places, np.arange(N + 1) * K * K)
    return Edges(first, places // K % K, places % K, sums, 1.0, roundings)


def marginals(model: ChainStructure, point: Any) -> Vector:
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


def summed(key: Indices, weights: Vector, minlength: int) -> Vector:
    """Sums by key, as floats also where there are none."""
    return np.bincount(key, weights, minlength=minlength).astype(np.float64, copy=False)
