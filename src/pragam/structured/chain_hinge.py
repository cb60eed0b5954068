"""Max-margin sequence labelling: the max-margin Markov network on chains (Taskar, Guestrin and Koller, NIPS 2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pragam.arguments import is_whole, real_array, refuse_masked
from pragam.problem import Problem
from pragam.structured.chain_marginals import ChainMarginals
from pragam.structured.chain_rows import ChainRows
from pragam.structured.layout import ChainLayout
from pragam.vector import Vector

LOSSES = ("hamming_mean", "hamming_sum")


def chain_hinge(
    X: Any,
    y: Any,
    lengths: ArrayLike | None = None,
    lam: float = 1e-2,
    loss: str | ArrayLike = "hamming_mean",
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
    token_weight: ArrayLike | None = None,
) -> Problem:
    r"""The structured hinge risk of sequences.

    ::

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F_i(y) = start_{y_0} + sum_t <w_{y_t}, x_t> + sum_t v_{y_t y_{t+1}} + end_{y_last}
        Q = product of weight_i / n times the marginals of sequence i;   origin = those of the true labellings

    w holds the node weights (K, d), the transitions v (K, K), then start and end (K each), one after the other, flat
    (:meth:`ChainRows.parts <pragam.structured.chain_rows.ChainRows.parts>`).

    Parameters
    ----------
    X : (tokens, d) array or scipy sparse matrix, or a list of such, one for each sequence
    y : labels of all tokens, or a list of the labels of each sequence
    lengths : whole numbers >= 1 that sum to the number of tokens; needed unless X is a list
    lam : float > 0
    loss : "hamming_mean", "hamming_sum" or a (K, K) matrix of costs
        What a wrong label costs: 1 over the length of its sequence, 1, or cost[true, predicted], numbers >= 0 with a
        zero diagonal.
    labels : the label set in order, optional
        By default the sorted labels that occur. Labels that do not occur are allowed.
    sample_weight : one number >= 0 for each sequence, optional
    token_weight : one number >= 0 for each token, optional
        Multiplies what a wrong label of this token costs.
    """
    refuse_masked(sample_weight=sample_weight, token_weight=token_weight)
    X, lengths, y = _flat(X, y, lengths)
    classes, index = _indexed(y, labels)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two labels, not {classes.tolist()}; labels= names those that may occur")
    layout = ChainLayout(lengths, len(classes))
    A = ChainRows(X, layout)
    weights = _weights("sample_weight", sample_weight, layout.n)
    totals = weights / layout.n
    costs = _costs(loss, layout, index) * _weights("token_weight", token_weight, layout.n_tokens)[:, None]
    zeros = np.zeros((layout.K, layout.K)), np.zeros(layout.K), np.zeros(layout.K)
    origin = layout.per_entry(totals) * layout.indicator(index)
    return Problem(A, layout.spread(costs, *zeros), ChainMarginals(totals, layout), lam, origin=origin)


def _flat(X: Any, y: Any, lengths: Any) -> tuple[Any, NDArray[np.int64], NDArray[Any]]:
    """All tokens in one matrix, the lengths, and the labels of all tokens."""
    if isinstance(X, (list, tuple)):
        if lengths is not None:
            raise ValueError("lengths must not be given when X is a list: each sequence has its own")
        if not isinstance(y, (list, tuple)) or len(y) != len(X):
            raise ValueError(f"y must be a list of {len(X)} sequences of labels, as X is a list")
        for i, (rows, own) in enumerate(zip(X, y, strict=True)):
            if np.ndim(rows) != 2 or rows.shape[0] != len(own):
                raise ValueError(f"sequence {i}: X has the shape {np.shape(rows)} for {len(own)} labels")
        lengths = [len(own) for own in y]
        X = sparse.vstack(X, format="csr") if any(map(sparse.issparse, X)) else np.concatenate(X)
        y = np.concatenate([np.asarray(own) for own in y]) if len(y) else np.empty(0)
    y = np.asarray(y)
    if lengths is None:
        raise ValueError("lengths must say how many tokens each sequence has")
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or not sizes.size or not all(is_whole(size) for size in sizes.tolist()):
        raise ValueError("lengths must hold whole numbers")
    if not (sizes >= 1).all():
        raise ValueError(f"sequence {int(np.argmin(sizes))} is empty")
    if y.ndim != 1 or len(y) != sizes.sum():
        raise ValueError(f"y has {y.size} labels, and lengths sum to {sizes.sum()}")
    return X, sizes.astype(np.int64), y


def _indexed(y: NDArray[Any], labels: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The label set, and the number of every token's label in it."""
    if labels is None:
        classes, index = np.unique(y, return_inverse=True)
        return classes, index.astype(np.int64)
    classes = np.asarray(labels)
    place = {label: k for k, label in enumerate(classes.tolist())}
    if classes.ndim != 1 or len(place) != classes.size or not place:
        raise ValueError("labels must hold different labels")
    unknown = next((label for label in y.tolist() if label not in place), None)
    if unknown is not None:
        raise ValueError(f"y contains the label {unknown!r:.40}, which is not among labels")
    return classes, np.array([place[label] for label in y.tolist()], dtype=np.int64)


def _costs(loss: Any, layout: ChainLayout, index: NDArray[np.int64]) -> Vector:
    """What each label costs at each token, (tokens, K)."""
    K = layout.K
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(LOSSES)} or a matrix of costs, not {loss!r:.40}")
        per_token = np.repeat(1.0 / layout.lengths if loss == "hamming_mean" else np.ones(layout.n), layout.lengths)
        return per_token[:, None] * (1.0 - np.eye(K))[index]
    cost = np.asarray(real_array("loss", loss), dtype=np.float64)
    if cost.shape != (K, K) or not (np.isfinite(cost) & (cost >= 0)).all() or cost.diagonal().any():
        raise ValueError(f"loss must be a {K} x {K} matrix of numbers >= 0 with a zero diagonal")
    return cost[index]


def _weights(name: str, given: ArrayLike | None, count: int) -> Vector:
    if given is None:
        return np.ones(count)
    weights = np.asarray(real_array(name, given), dtype=np.float64)
    if weights.shape != (count,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"{name} must hold {count} finite numbers >= 0")
    return weights
