"""The problem of sequences with a dual variable for each pair of labels of two neighbours: it has projections."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pragam.numerics.rounding import TINY, dot, gamma
from pragam.numerics.vector import Vector
from pragam.problem import Problem
from pragam.structured.chains.layout import ChainLayout
from pragam.structured.chains.marginals import ChainMarginals
from pragam.structured.chains.rows import ChainRows
from pragam.structured.structure import Moments

if TYPE_CHECKING:
    from pragam.structured.chains.structure import ChainStructure


class ChainUnfolding:
    """The parts of that problem. They have K^2 numbers for each token, so they are made only when they are used."""

    def __init__(self, model: ChainStructure) -> None:
        self.model, self.layout = model, ChainLayout(model.lengths, model.K)

    @cached_property
    def rows(self) -> ChainRows:
        return ChainRows(self.model.storage, self.layout, self.model.edge_features)

    @cached_property
    def marginals(self) -> ChainMarginals:
        return ChainMarginals(self.model.totals, self.layout, self._forbidden())

    @cached_property
    def costs(self) -> Vector:
        """What the labels cost."""
        model, K = self.model, self.model.K
        costs = model.token_scale[:, None] * model.cost[model.labels]
        return self.layout.spread(costs, np.zeros((K, K)), np.zeros(K), np.zeros(K))

    @cached_property
    def truth(self) -> Vector:
        return self.layout.per_entry(self.model.totals) * self.layout.indicator(self.model.labels)

    def problem(self, lam: float) -> Problem[ChainRows, ChainMarginals]:
        return Problem(self.rows, self.costs, self.marginals, lam, origin=self.truth)

    def moments(self, alpha: Vector) -> Moments:
        """What marginals expect, at the exactly consistent ones next to them; infinitely far off if none is known."""
        point, at, slack, is_feasible, _ = self.marginals.repair(alpha)
        away = point - self.truth
        each = np.arange(self.layout.size)
        distance = self.rows.rmatvec_error(away) + 1.01 * gamma(1) * float(self.rows.row_bounds(each) @ np.abs(away))
        distance += 1.01 * float(self.rows.row_bounds(at) @ slack)
        distance += 4 * TINY * float(self.rows.row_bounds(each).sum())
        loss, error = dot(self.costs, point)
        error += 4 * TINY * float(point.sum())  # of costs that are lost
        error += 1.01 * (float(np.abs(self.costs[at]) @ slack) + gamma(2) * abs(loss))
        return Moments.of(self.rows.rmatvec(away), loss, 1.01 * distance if is_feasible else np.inf, error)

    def _forbidden(self) -> np.ndarray | None:
        """Which dual variables must be 0; None: none."""
        model, rules = self.model, self.model.rules
        if rules is None:
            return None
        transitions, starts, ends = ((~flags).astype(float) for flags in (rules.transitions, rules.starts, rules.ends))
        nodes = np.zeros((model.n_tokens, model.K))
        return np.asarray(self.layout.spread(nodes, transitions, starts, ends) > 0)
