"""The weights while they change: a row for each feature with a number for each label, in single or double precision."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from pragam import _kernels
from pragam._kernels.flows.records import Chains, Flow, Table, Weights
from pragam.numerics.vector import Vector
from pragam.solvers.flow_ascent.token_rows import TokenRows
from pragam.structured.chains.structure import ChainStructure

#: Labels in a row of the table are padded to a multiple of this, for vector instructions.
LANES = 8


def padded(K: int) -> int:
    """The length of a row of the table."""
    return -(-K // LANES) * LANES


def cost_rows(cost: Vector, dtype: Any) -> Weights:
    """The costs (K, K) in padded rows, flat."""
    rows = np.zeros((len(cost), padded(len(cost))), dtype=dtype)
    rows[:, : len(cost)] = cost
    return rows.ravel()


class WeightTable:
    """The table of a chain model's weights, first those of the truth: zeros, and -inf where a link is forbidden."""

    def __init__(self, model: ChainStructure, n_rows: int, dtype: Any) -> None:
        K, stride = model.K, padded(model.K)
        self.K, self.n_rows = K, n_rows
        self.first_link = n_rows + 2 * K * model.n_edge_features
        self.weights = np.zeros((self.first_link + 2 * K + 2, stride), dtype=dtype)
        self.late = np.empty(0, dtype=dtype)
        self.clock = 0.0
        links = self.weights[self.first_link :]
        links[: 2 * K, K:] = -inf
        if model.rules is not None:
            links[:K, :K][~model.rules.transitions] = -inf
            links[K : 2 * K, :K][~model.rules.transitions.T] = -inf
            links[2 * K, :K][~model.rules.starts] = -inf
            links[2 * K + 1, :K][~model.rules.ends] = -inf

    @property
    def record(self) -> Table:
        return Table(self.weights.ravel(), self.late)

    def begin_mean(self) -> None:
        """From here on also the mean of the weights is known."""
        if self.late.size:
            self.late[:] = 0
        else:
            self.late = np.zeros(self.weights.size, dtype=self.weights.dtype)
        self.clock = 0.0

    def model_weights(self, model: ChainStructure, rows: TokenRows, chains: Chains, flow: Flow, share: float) -> Vector:
        """The weights as the model has them, moved by ``share`` towards their mean since :meth:`begin_mean`."""
        K, w = self.K, np.empty(model.n_weights)
        back = share / self.clock if self.late.size and self.clock > 0 else 0.0
        _kernels.get("flow_weights")(
            chains, self.record, flow, back, rows.place, rows.lone.at, rows.lone.values, w[: K * model.n_features]
        )
        rest = self.weights[self.n_rows :].astype(np.float64)
        if back:
            rest -= back * self.late.reshape(self.weights.shape)[self.n_rows :]
        rest[np.isneginf(rest)] = 0.0
        pairs, links = rest[: self.first_link - self.n_rows], rest[self.first_link - self.n_rows :]
        parts = model.parts(w)
        parts.transitions[0], parts.starts[:], parts.ends[:] = links[:K, :K], links[2 * K, :K], links[2 * K + 1, :K]
        parts.transitions[1:] = pairs.reshape(-1, 2, K, pairs.shape[1])[:, 0, :, :K]
        return w
