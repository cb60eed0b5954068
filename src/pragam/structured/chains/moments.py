"""What dual points of sequences expect: of features and of the loss, with bounds of the rounding.

A dual point of any form is first a list of edges with shares (:mod:`~pragam.structured.chains.points`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import TINY, gamma, norm, total
from pragam.numerics.vector import Vector
from pragam.runtime import interrupts
from pragam.structured.chains.points import Edges, edges_of, summed
from pragam.structured.labellings import Mixture
from pragam.structured.structure import Moments, lengths_of

if TYPE_CHECKING:
    from pragam.structured.chains.structure import ChainStructure

Indices = NDArray[np.int64]

#: Residuals of tokens and labels in memory at a time.
_RESIDUALS = 2**17


def moments(model: ChainStructure, point: Any) -> Moments:
    """What a dual point expects."""
    if isinstance(point, Mixture):
        return _of_mixture(model, point)
    if isinstance(point, np.ndarray):
        return model.unfolding.moments(point)
    edges = edges_of(model, point)
    if not edges.roundings and _certain(model, edges).all():  # the truth
        return Moments(np.zeros(model.n_weights + 1), 0.0, 0.0)
    point, size = np.zeros(model.n_weights + 1), model.n_features * model.K
    point[-1], distance, loss_error = _add_nodes(model, edges, point[:size].reshape(model.K, -1).T)
    point[size:-1], more = _of_edges(model, edges)
    return Moments(point, 1.01 * (distance + more), loss_error)


def _of_mixture(model: ChainStructure, mixture: Mixture) -> Moments:
    """The mean of those of its points, with J + 3 roundings."""
    parts = [moments(model, point) for point in mixture.points]
    p = mixture.weights / mixture.weights.sum()
    point, rounding = np.zeros(model.n_weights + 1), gamma(2 * len(parts) + 3)
    for share, part in zip(p, parts, strict=True):
        point += share * part.point
    s = p + TINY  # a share may be lost
    distance = float(s @ [m.distance + rounding * norm(m.features) for m in parts])
    distance += TINY * sum(norm(m.features) + len(point) for m in parts)
    loss_error = float(s @ [m.loss_error + rounding * m.loss for m in parts]) + TINY * sum(2 + m.loss for m in parts)
    return Moments(point, 1.02 * distance, 1.02 * loss_error)


def _add_nodes(model: ChainStructure, edges: Edges, out: Vector) -> tuple[float, float, float]:
    """Add the features of the nodes to ``out`` (d, K). The loss, and bounds of the errors of the features and of it.

    The sums of the shares of a label are exact where the point has whole numbers. Then each residual is rounded once,
    when it is multiplied by the total of its sequence, and each feature has a term for each token that is not certain.
    """
    K = model.K
    doubtful = np.flatnonzero(~_certain(model, edges))
    sizes, losses = model.storage.row_sizes, np.zeros(len(doubtful))
    size, high = 0.0, max(_RESIDUALS // K, 1)
    for begin in range(0, len(doubtful), high):
        interrupts.check()
        tokens = doubtful[begin : begin + high]
        residual, totals = _residuals(model, edges, tokens), model.totals[model.sequence_of(tokens)]
        size += float((totals * lengths_of(residual)) @ sizes[tokens])
        residual *= totals[:, None]
        costs = np.einsum("tk,tk->t", residual, model.cost[model.labels[tokens]])
        losses[begin : begin + high] = model.token_scale[tokens] * costs
        model.storage.take(tokens).add_rmatmat(residual, out)
    # What an error of all shares of a token can move.
    most = float(model.totals @ np.add.reduceat(sizes, model.first_token[:-1])) if edges.roundings else 0.0
    terms = len(doubtful) + model.storage.repeats
    distance = gamma(terms + 6) * size + gamma(edges.roundings) * most
    loss, error = total(losses)
    error += gamma(2 * K + 6 + 2 * edges.roundings) * float(np.abs(losses).sum())
    if len(doubtful):  # shares, residuals and products of small numbers may have been lost
        each = 4 * (K + edges.roundings) * TINY * (1 + float(model.totals.max()))
        distance += (terms + 1) * each * (1 + float(sizes.max(initial=0.0))) * model.n_features**0.5
        error += len(doubtful) * each * (1 + float(model.cost.max())) * (1 + float(model.token_scale.max()))
    return loss, 1.01 * distance, 1.01 * error


def _certain(model: ChainStructure, edges: Edges) -> NDArray[np.bool_]:
    """Whether each token is certain to have its true label."""
    certain = np.diff(edges.first) == 1
    certain &= edges.label[edges.first[:-1]] == model.labels
    return certain


def _residuals(model: ChainStructure, edges: Edges, tokens: Indices) -> Vector:
    """The shares of all labels at these tokens, less 1 for the true one, (tokens, K)."""
    row, some = edges.at(tokens)
    shares = summed(row * model.K + edges.label[some], edges.shares(some), minlength=len(tokens) * model.K)
    residual = shares.reshape(-1, model.K)
    residual[np.arange(len(tokens)), model.labels[tokens]] -= 1.0
    return residual


class _Differences(NamedTuple):
    """Edges of a dual point less those of the truth, at some tokens that are in doubt."""

    row: Indices  # the place of the token among them
    token: Indices
    previous: Indices
    label: Indices
    share: Vector

    @classmethod
    def at(cls, model: ChainStructure, edges: Edges, tokens: Indices) -> _Differences:
        row, some = edges.at(tokens)
        each = np.arange(len(tokens))
        return cls(
            np.concatenate([each, row]), np.concatenate([tokens, tokens[row]]),
            np.concatenate([model.labels[tokens - 1], edges.previous[some]]),
            np.concatenate([model.labels[tokens], edges.label[some]]),
            np.concatenate([np.full(len(tokens), -1.0), edges.shares(some)]),
        )  # fmt: skip


class _Sums:
    """Sums of totals times shares by key, with what bounds their rounding.

    With one total for all sequences, it is multiplied in the end, and sums of whole numbers of 2^-30 are exact.
    """

    def __init__(self, model: ChainStructure, size: int) -> None:
        self.values, self.sizes, self.count = np.zeros(size), np.zeros(size), 0
        self.one_total = float(model.totals[0]) if np.ptp(model.totals) == 0 else None
        self.is_whole = self.one_total is not None

    def add(self, key: Indices, share: Vector, totals: Vector) -> None:
        terms = share if self.one_total is not None else totals * share
        self.is_whole = self.is_whole and not (share * 2.0**30 % 1).any()
        self.values += summed(key, terms, minlength=len(self.values))
        self.sizes += summed(key, np.abs(terms), minlength=len(self.values))
        self.count += len(key)

    def result(self, roundings: int) -> tuple[Vector, float]:
        """The sums, and a bound of the length of their error; ``roundings`` are those of a share, or losses of it."""
        if not self.count:
            return self.values, 0.0
        is_exact = self.is_whole and self.sizes.max(initial=0.0) < 2**22
        rounding = gamma(1) * norm(self.values) if is_exact else gamma(self.count + 2) * norm(self.sizes)
        factor = 1.0 if self.one_total is None else self.one_total
        lost = 2 * self.count * (1 + roundings) * TINY * (1 + factor)
        return factor * self.values, 1.01 * factor * rounding + lost


def _of_edges(model: ChainStructure, edges: Edges) -> tuple[Vector, float]:
    """The features of transitions, starts and ends, flat, and a bound of their error."""
    K = model.K
    certain = _certain(model, edges)
    # Two neighbours that are certain have a certain link: the labels before are right too.
    certain[1:] &= certain[:-1] | model.is_first[1:]
    doubtful = np.flatnonzero(~certain)
    links, starts, ends = _Sums(model, K * K), _Sums(model, K), _Sums(model, K)
    features = None if model.edge_features is None else _WithFeatures(model)
    high = max(_RESIDUALS // (K if features is None else K * K), 1)
    for begin in range(0, len(doubtful), high):
        tokens = doubtful[begin : begin + high]
        differences = _Differences.at(model, edges, tokens)
        totals = model.totals[model.sequence_of(differences.token)]
        linked = np.flatnonzero(~model.is_first[differences.token])
        pair = differences.previous[linked] * K + differences.label[linked]
        links.add(pair, differences.share[linked], totals[linked])
        if features is not None:
            features.add(tokens, differences.row[linked], pair, totals[linked] * differences.share[linked])
        for sums, flags in ((starts, model.is_first), (ends, model.is_last)):
            some = np.flatnonzero(flags[differences.token])
            sums.add(differences.label[some], differences.share[some], totals[some])
    parts = [links.result(edges.roundings), *([] if features is None else [features.result(edges.roundings)])]
    parts += [starts.result(edges.roundings), ends.result(edges.roundings)]
    own = 2 * gamma(edges.roundings) * float(model.totals @ (model.lengths + 1.0))
    return np.concatenate([value for value, _ in parts]), 1.01 * (norm(np.array([e for _, e in parts])) + own)


class _WithFeatures:
    """Sums of totals times shares times edge features by pair of labels."""

    def __init__(self, model: ChainStructure) -> None:
        assert model.edge_features is not None
        self.model, self.storage = model, model.edge_features
        self.out = np.zeros((self.storage.shape[1], model.K**2))
        self.size, self.most, self.count = 0.0, 0.0, 0

    def add(self, tokens: Indices, row: Indices, pair: Indices, terms: Vector) -> None:
        """Those of links to some tokens; ``row`` is the place of each link's token among them."""
        width = self.model.K**2
        residual = summed(row * width + pair, terms, minlength=len(tokens) * width).reshape(-1, width)
        linked = np.flatnonzero(~self.model.is_first[tokens])
        tables = tokens[linked] - self.model.sequence_of(tokens[linked]) - 1
        lengths = self.storage.row_sizes[tables]
        self.storage.take(tables).add_rmatmat(residual[linked], self.out)
        self.size += float(np.abs(residual[linked]).sum(axis=1) @ lengths)
        self.most += float(summed(row, np.abs(terms), minlength=len(tokens))[linked] @ lengths)
        self.count += len(tables)

    def result(self, roundings: int) -> tuple[Vector, float]:
        """The sums, flat, and a bound of the length of their error; shares are right to so many roundings."""
        if not self.count:
            return self.out.ravel(), 0.0
        terms = self.count + self.storage.repeats + 8
        error = gamma(terms) * self.size + gamma(roundings + 4) * self.most
        lost = 4 * terms * (roundings + self.model.K**2) * TINY * (1 + float(self.model.totals.max()))
        return self.out.ravel(), error + lost * (1 + float(self.storage.row_sizes.max())) * self.storage.shape[1] ** 0.5
