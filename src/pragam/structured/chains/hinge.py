"""Max-margin sequence labelling: the max-margin Markov network on chains (Taskar, Guestrin and Koller, NIPS 2003)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pragam.numerics.arguments import refuse_masked
from pragam.operators.check import check_data
from pragam.operators.storage import Storage
from pragam.problem import Problem
from pragam.structured.chains.structure import ChainStructure
from pragam.structured.expected_features import ExpectedFeatures, structured_problem
from pragam.structured.rules import Rules
from pragam.structured.targets import check_lengths, costs_of, label_numbers, weights_of
from pragam.structured.weights_and_loss import WeightsAndLoss


def chain_hinge(
    X: Any,
    y: Any,
    lengths: ArrayLike | None = None,
    lam: float = 1e-2,
    loss: str | ArrayLike = "hamming_mean",
    labels: Any = None,
    transitions: ArrayLike | None = None,
    edge_features: Any = None,
    sample_weight: ArrayLike | None = None,
    token_weight: ArrayLike | None = None,
    starts: ArrayLike | None = None,
    ends: ArrayLike | None = None,
) -> Problem[WeightsAndLoss, ExpectedFeatures]:
    r"""The structured hinge risk of sequences.

    ::

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F_i(y) = start_{y_0} + sum_t <w_{y_t}, x_t> + sum_t (v_0 + sum_f e_tf v_f)_{y_{t-1} y_t} + end_{y_last}

    w holds the node weights (K, d), the transitions v (1 + edge features, K, K), then start and end (K each), one after
    the other, flat: ``problem.Q.structure.parts(w)``. The dual points are distributions of labellings
    (:mod:`pragam.structured.expected_features`).

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
    transitions : (K, K) array of bool, optional
        Whether label j may follow label i. The true labellings must be allowed.
    edge_features : (pairs, e) array or scipy sparse matrix, or a list of such, one for each sequence, optional
        A row for each pair of neighbours: length - 1 of them for each sequence.
    sample_weight : one number >= 0 for each sequence, optional
    token_weight : one number >= 0 for each token, optional
        Multiplies what a wrong label of this token costs.
    starts, ends : K times bool, optional
        With which labels a sequence may start and end.
    """
    refuse_masked(sample_weight=sample_weight, token_weight=token_weight)
    X, lengths, y = _flat(X, y, lengths)
    classes, index = label_numbers(y, labels, lengths, "sequence")
    if len(classes) < 2:
        raise ValueError(f"y must have at least two labels, not {classes.tolist()}; labels= names those that may occur")
    n, K = len(lengths), len(classes)
    storage = token_storage(X, lengths)
    cost, scale = costs_of(loss, lengths, K)
    rules = Rules.of(K, transitions, starts, ends)
    if rules is not None:
        rules.check(index, lengths, classes.tolist())
    model = ChainStructure(
        storage, lengths, index, K, weights_of("sample_weight", sample_weight, n) / n, cost,
        scale * weights_of("token_weight", token_weight, len(index)), rules,
        _edge_storage(edge_features, lengths),
    )  # fmt: skip
    return structured_problem(model, lam)


def token_storage(X: Any, lengths: NDArray[np.int64]) -> Storage:
    """The tokens, checked; what is wrong is said with the number of the sequence."""
    storage = check_data(X) if np.shape(X)[:1] != (int(lengths.sum()),) else _named(X, lengths)
    if storage.shape[0] != lengths.sum():
        raise ValueError(f"X has {storage.shape[0]} rows, and the sequences {lengths.sum()} tokens")
    return storage


def _named(X: Any, lengths: NDArray[np.int64]) -> Storage:
    try:
        return check_data(X)
    except ValueError as error:
        found = re.search(r"row (\d+)", str(error))
        if found is None:
            raise
        sequence = int(np.searchsorted(np.cumsum(lengths), int(found[1]), side="right"))
        raise ValueError(f"sequence {sequence}: {error}") from error


def _edge_storage(given: Any, lengths: NDArray[np.int64]) -> Storage | None:
    if given is None:
        return None
    if isinstance(given, (list, tuple)):
        if len(given) != len(lengths):
            raise ValueError(f"edge_features must be a list of {len(lengths)} matrices, one for each sequence")
        for i, (rows, length) in enumerate(zip(given, lengths.tolist(), strict=True)):
            if np.ndim(rows) != 2 or rows.shape[0] != length - 1:
                raise ValueError(f"sequence {i}: edge_features has the shape {np.shape(rows)} for {length - 1} pairs")
        given = sparse.vstack(given, format="csr") if any(map(sparse.issparse, given)) else np.concatenate(given)
    storage, pairs = check_data(given, "edge_features"), int(lengths.sum()) - len(lengths)
    if storage.shape[0] != pairs:
        raise ValueError(f"edge_features has {storage.shape[0]} rows, and the sequences {pairs} pairs of neighbours")
    return storage


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
    sizes = check_lengths(lengths)
    if y.ndim != 1 or len(y) != sizes.sum():
        raise ValueError(f"y has {y.size} labels, and lengths sum to {sizes.sum()}")
    return X, sizes, y
