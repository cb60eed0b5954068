"""The dual variables of max-margin sequence labelling: the marginals of a chain for each sequence."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.rounding import TINY, all_zero, gamma, total
from pragam.polytopes.base import REPAIRABLE, Curvature, Polytope, Repair, Vector
from pragam.polytopes.box import relative
from pragam.structured.chains.batch import ChainBatch
from pragam.structured.chains.layout import ChainLayout
from pragam.structured.chains.projection import project_chain
from pragam.structured.inference.forward_backward import soft_marginals

#: The residual of a constraint at which a projection ends.
PROJECTED = 1e-12


class ChainMarginals(Polytope):
    r"""Q = product over sequences i of totals_i times the marginals of a chain, in the order of ``layout``.

    The vertices of a factor are the labellings of the sequence that use nothing ``forbidden``, so

        support(s) = sum_i totals_i max over labellings of the sum of the scores of their edges.
    """

    rigorous = True

    def __init__(self, totals: ArrayLike, layout: ChainLayout, forbidden: NDArray[np.bool_] | None = None) -> None:
        self.totals = np.array(totals, dtype=np.float64)
        if self.totals.shape != (layout.n,) or not np.all((self.totals >= 0) & (self.totals < np.inf)):
            raise ValueError(f"totals must hold {layout.n} non-negative finite numbers")
        self.layout, self.size = layout, layout.size
        self.forbidden = forbidden  # dual variables that must be 0; None: none

    @property
    def is_bounded(self) -> bool:
        """By its totals, however large they are."""
        return True

    def violation(self, alpha: Vector) -> float:
        if np.isnan(alpha).any():
            return np.inf
        layout, worst = self.layout, [-float(alpha.min(initial=0.0)), self._misused(alpha)]
        tables = layout.tables(alpha)
        for group in layout.groups:
            own = tables[group.tables]
            masses = own.sum(axis=(2, 3)) - self.totals[group.sequences][:, None]
            flows = own[:, :-1].sum(axis=2) - own[:, 1:].sum(axis=3)
            worst += [float(np.abs(masses).max()), float(np.abs(flows).max(initial=0.0))]
        single = layout.singles(alpha).sum(axis=1) - self.totals[layout.single]
        worst.append(float(np.abs(single).max(initial=0.0)))
        return relative(max(worst), float(self.totals.max(initial=0.0)))

    def project(self, v: Vector) -> Vector:
        """totals_i times the projection of v_i / totals_i."""
        return self._project(v, None)[0]

    def prox_from(self, s: Vector, kappa: Curvature, start: Any) -> tuple[Vector, Any]:
        """A start are the potentials of the chains' projections."""
        self.check_curvature(kappa)
        return self._project(s / kappa, start)

    def _project(self, v: Vector, start: Vector | None) -> tuple[Vector, Vector | None]:
        """The projection, and the potentials of its chains."""
        layout, out, potentials = self.layout, np.zeros(self.size), None
        v, by_table = self._masked(v), np.repeat(self.totals, np.maximum(layout.lengths - 1, 0))
        live, tables = layout.long[self.totals[layout.long] > 0], by_table > 0
        if len(live):
            sizes = by_table[tables][:, None, None]
            batch = ChainBatch(layout.tables(v)[tables] / sizes, np.ones(len(sizes)), layout.lengths[live] - 1, live)
            alpha, potentials = batch.pruned().newton(batch.residuals(PROJECTED), start)
            layout.tables(out)[tables] = sizes * alpha
        of_singles = self.totals[layout.single]
        for k in np.flatnonzero(of_singles > 0).tolist():
            layout.singles(out)[k] = of_singles[k] * project_chain(layout.singles(v)[k] / of_singles[k])
        return self._consistent(out), potentials

    def maximise_linear(self, s: Vector) -> Vector:
        return self.layout.per_entry(self.totals) * self.layout.indicator(self.layout.best_labels(self._masked(s))[0])

    def soft_maximise(self, s: Vector) -> tuple[Vector, float]:
        r"""argmax over Q of <alpha, s> - d(alpha), and the maximum, for the entropy distance

        d(alpha) = sum_i totals_i KL(p_i | uniform),     alpha_i = totals_i times the marginals of p_i,

        where the uniform distribution is that of the labellings that use nothing forbidden.
        """
        alpha, log_partition = soft_marginals(self.layout, self._masked(s))
        return self.layout.per_entry(self.totals) * alpha, float(self.totals @ (log_partition - self._log_sizes))

    def entropy_radius(self) -> float:
        """The largest d(alpha) in Q, that of a vertex: sum_i totals_i log(number of labellings)."""
        return float(self.totals @ self._log_sizes)

    @cached_property
    def _log_sizes(self) -> Vector:
        """The logarithm of the number of labellings of each sequence."""
        if self.forbidden is None:
            return np.asarray(self.layout.lengths * np.log(self.layout.K), dtype=np.float64)
        return soft_marginals(self.layout, self._masked(np.zeros(self.size)))[1]

    def squared_reach(self, norms: Vector) -> float:
        r"""sum_i totals_i r_i^2, where r_i bounds \|A' v\| over the labellings v of sequence i, by norms of rows."""
        return float(self.totals @ self.layout.best_labels(self._masked(norms))[1] ** 2)

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        if np.any(kappa):
            alpha = self.project(s / kappa)
            return float(np.sum(alpha * (s - 0.5 * kappa * alpha)))
        return float(self.totals @ self.layout.best_labels(self._masked(s))[1])

    def _masked(self, s: Vector) -> Vector:
        """Scores with -inf for what is forbidden."""
        return s if self.forbidden is None else np.where(self.forbidden, -np.inf, s)

    def _misused(self, alpha: Vector) -> float:
        """The largest mass on what is forbidden."""
        return 0.0 if self.forbidden is None else float(np.abs(alpha[self.forbidden]).max(initial=0.0))

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """With every score raised by its slack. A sum along T edges has at most T roundings, each relative to a partial
        sum, which the sum of the tables' largest sizes bounds. Of a smooth risk nothing is known."""
        if np.any(kappa):
            return np.inf, np.inf
        # Products of totals and scores may lose what is below TINY, but not where the one or the other are all 0.
        is_nothing = all_zero(self.totals) or (all_zero(s) and all_zero(slack))
        lost = 0.0 if is_nothing else 8 * TINY
        raised = s + slack + gamma(2) * np.abs(s) + lost
        terms = self.totals * self.layout.best_labels(self._masked(raised))[1]
        rounding = self.totals * gamma(self.layout.lengths + 2) * self._largest(raised) + lost
        value, error = total(terms)
        error += float(np.sum(rounding + gamma(2) * np.abs(terms))) * 1.01
        return value + error, (value - self.support(s)) + error

    def _largest(self, s: Vector) -> Vector:
        """For each sequence, the sum over its tables of the largest \\|s\\|."""
        layout, out = self.layout, np.zeros(self.layout.n)
        sizes = np.abs(layout.tables(s)).max(axis=(1, 2)) if layout.n_tables else np.zeros(0)
        out[layout.long] = np.add.reduceat(sizes, layout.begin) if len(layout.long) else 0.0
        out[layout.single] = np.abs(layout.singles(s)).max(axis=1, initial=0.0)
        return out

    def repair(self, alpha: Vector) -> Repair:
        """The chain that alpha describes, :meth:`_consistent`, which is right to as many roundings as it has taken."""
        self._require(alpha, REPAIRABLE)
        if self._is_vertex(alpha):
            return Repair(alpha)
        layout, K = self.layout, self.layout.K
        point, roundings = self._consistent(alpha), np.empty(self.size)
        position = np.arange(layout.n_tables) - np.repeat(layout.first_table[:-1], np.maximum(layout.lengths - 1, 0))
        layout.tables(roundings)[:] = (K**2 + 4 + position * (2 * K + 4))[:, None, None]
        layout.singles(roundings)[:] = K + 4
        slack = gamma(roundings) * point + 8 * roundings * TINY * (1 + layout.per_entry(self.totals))
        rows = np.flatnonzero(layout.per_entry(self.totals) > 0)
        if self.forbidden is not None:
            slack[self.forbidden & (point == 0)] = 0.0
        return Repair(point, rows, 1.01 * slack[rows], self._misused(point) == 0)

    def _consistent(self, alpha: Vector) -> Vector:
        r"""The chain with alpha's first table and the conditional distributions of its later ones, a = [alpha]_+:

            beta_0 = totals a_0 / sum(a_0),   beta_t(i, j) = (sum_k beta_{t-1}(k, i)) a_t(i, j) / sum_k a_t(i, k).

        As real numbers these are marginals, exactly. They come from products, quotients and sums of numbers >= 0:
        K^2 + 4 roundings for the first table, and 2 K + 4 more for each later one.
        """
        layout, K = self.layout, self.layout.K
        point = np.maximum(alpha, 0.0)
        if self.forbidden is not None:
            point[self.forbidden] = 0.0
        tables, singles = layout.tables(point), layout.singles(point)
        for group in layout.groups:
            first = tables[group.tables[:, 0]].reshape(len(group.sequences), -1)
            own = (self.totals[group.sequences][:, None] * _shares(first)).reshape(-1, K, K)
            for t in range(group.tables.shape[1]):
                own = own if t == 0 else own.sum(axis=1)[:, :, None] * _shares(tables[group.tables[:, t]])
                tables[group.tables[:, t]] = own
        singles[:] = self.totals[layout.single][:, None] * _shares(singles)
        return point

    def _is_vertex(self, alpha: Vector) -> bool:
        """Whether alpha is a labelling of every sequence, exactly."""
        return np.array_equal(alpha, self.maximise_linear(alpha))

    def radius2(self, centre: Vector | None = None) -> float:
        """That of the farthest vertex v, whose edges have the scores -c in 1/2 |v - c|^2, beside what all share."""
        c = np.zeros(self.size) if centre is None else centre
        lengths = np.maximum(self.layout.lengths - 1, 1)
        squares = float(c @ c) + float(lengths @ self.totals**2)
        return (0.5 * squares + self.support(-c)) * (1 + 1e-13)

    def sample(self, rng: np.random.Generator) -> Vector:
        """A random mixture of three random labellings, or one of them."""
        shares = rng.dirichlet(np.ones(3)) if rng.random() < 0.7 else np.array([1.0, 0.0, 0.0])
        drawn = [self.layout.indicator(rng.integers(0, self.layout.K, self.layout.n_tokens)) for _ in shares]
        return self.layout.per_entry(self.totals) * sum(p * one for p, one in zip(shares, drawn, strict=True))


def _shares(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each last axis over its sum; 1 over its length where that is zero."""
    sums = a.sum(axis=-1, keepdims=True)
    return np.divide(a, sums, out=np.full(a.shape, 1.0 / a.shape[-1]), where=sums > 0)
