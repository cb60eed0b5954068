r"""Marginals of a distribution over pairs of a wrong and a right label, or none: the multilabel hinge.

A row of K numbers stands for all pairs, since the maximum over pairs of s_a + s_c is that over a plus that over c.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam import _kernels
from pragam._kernels.blocks.records import Shape
from pragam.numerics.rounding import TINY, gamma, is_zero, total
from pragam.polytopes.base import REPAIRABLE, Curvature, Repair, Vector
from pragam.polytopes.box import relative
from pragam.polytopes.label_graph import LabelGraph
from pragam.polytopes.needs import HasBlocks, HasColumns, HasDerivative
from pragam.polytopes.per_example import centred_gram, clear_top, lacks, without_mean

Matrix = NDArray[np.float64]


class Pairs(HasColumns, HasBlocks, HasDerivative):
    r"""Q = product over i of {p, q >= 0 : sum p = sum q <= totals_i}, p on the wrong labels of i, q on the right ones.

    support(s) = sum_i totals_i [max over wrong s_ik + max over right s_ik]_+

    alpha is the (n, K) matrix of p and q, flat, row after row, and ``wrong`` (n, K) says which is which. An example
    without a wrong or without a right label has no pair: its total is 0.
    """

    rigorous = True
    block_shape = Shape.PAIRS

    def __init__(self, totals: ArrayLike, wrong: ArrayLike) -> None:
        self.wrong = np.array(wrong, dtype=bool)
        if self.wrong.ndim != 2:
            raise ValueError(f"wrong must be a matrix, not of shape {self.wrong.shape}")
        super().__init__(totals, self.wrong.shape[1])
        if len(self.wrong) != self.n_blocks:
            raise ValueError(f"wrong has {len(self.wrong)} rows, and there are {self.n_blocks} totals")
        self.totals[self.wrong.all(axis=1) | ~self.wrong.any(axis=1)] = 0.0
        self._sides = self.wrong, ~self.wrong

    def violation(self, alpha: Vector) -> float:
        if np.isnan(alpha).any():
            return np.inf
        rows = self.rows(alpha)
        p, q = (rows.sum(axis=1, where=side) for side in self._sides)
        outside = max(np.abs(p - q).max(initial=0.0), (np.maximum(p, q) - self.totals).max(initial=0.0))
        return relative(max(float(outside), -float(rows.min(initial=0.0))), float(self.totals.max(initial=0.0)))

    def project(self, v: Vector) -> Vector:
        r"""p = [v - t]_+ and q = [v + t]_+ with equal sums, unless these exceed the total: then both are projections on
        simplices of that total."""
        if not np.isfinite(v).all():
            raise ValueError("v must be finite")
        point = np.empty(self.size)
        _kernels.get("label_project")(np.ascontiguousarray(v), self.totals, self.flags, self.K, point)
        return point

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """``wrong``, flat, as kernels take it."""
        return self.wrong.ravel().astype(np.uint8)

    def maximise_linear(self, s: Vector) -> Vector:
        rows, alpha = self.rows(s), np.zeros((self.n_blocks, self.K))
        mass = np.where(self._heights(rows) > 0, self.totals, 0.0)
        for side in self._sides:
            alpha[np.arange(len(alpha)), np.where(side, rows, -np.inf).argmax(axis=1)] = mass
        return alpha.ravel()

    def maximise_block(self, k: int, s: Vector) -> Vector:
        """The vertex of block k that attains max <alpha_k, s>, s the scores of that block."""
        vertex = np.zeros(self.K)
        a, c = (int(np.where(side[k], s, -np.inf).argmax()) for side in self._sides)
        if self.totals[k] > 0 and s[a] + s[c] > 0:
            vertex[[a, c]] = self.totals[k]
        return vertex

    def derivative(self, alpha: Vector, kappa: Curvature, t: Vector) -> Vector:
        """How ``prox`` moves when s moves along t, at alpha = prox(s, kappa), where alpha_ik > 0: t over kappa, less
        what would unbalance p and q; less the mean of each where both have all of the total."""
        rows, change = self.rows(alpha), self.rows(t)
        sign = np.where(self.wrong, 1.0, -1.0)
        free = sign * without_mean(sign * change, rows > 0)
        fixed = sum(without_mean(change, side & (rows > 0)) for side in self._sides)
        return (np.where(self._is_full(rows)[:, None], fixed, free) / float(np.max(kappa))).ravel()

    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> Pairs:
        """The set of these blocks alone, ``growth`` times as large."""
        return Pairs(growth * self.totals[blocks], self.wrong[blocks])

    def _settled(self, low: Matrix, high: Matrix, apart: Vector) -> Matrix:
        """0 where no pair has a positive sum, or all of the total on the best pair, if it has one and is the only."""
        best = sum((high.max(axis=1, where=side, initial=-np.inf) for side in self._sides), np.zeros(len(high)))
        known = np.where((-best > apart)[:, None], np.zeros(1), np.full(self.K, np.nan))
        own = [[np.where(side, x, -np.inf) for x in (low, high)] for side in self._sides]
        tops = [clear_top(least, most, apart) for least, most in own]
        each = np.arange(len(low))
        (a, a_clear), (c, c_clear) = tops
        is_clear = a_clear & c_clear & (low[each, a] + low[each, c] > apart)
        known[is_clear] = 0.0
        for top in (a, c):
            known[is_clear, top[is_clear]] = self.totals[is_clear]
        return known

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        if np.any(kappa):
            alpha = self.prox(s, kappa)
            return float(np.sum(alpha * (s - 0.5 * kappa * alpha)))
        return float(np.sum(self._line(self.rows(s))))

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        r"""sum_i totals_i [max wrong + max right]_+. With curvature any thresholds a, c with a + c >= 0 bound a row's
        maximum from above, by sum over wrong of [s - a]_+^2/(2 kappa) + sum over right of [s - c]_+^2/(2 kappa) +
        (a + c) totals_i: the best ones are those of the projection."""
        rows = self.rows(s)
        raised = self.rows(s + slack + gamma(2) * np.abs(s))
        kappa = float(np.max(kappa))  # one for all
        lost = self._lost(s, slack)
        if kappa == 0:
            heights = self._heights(raised)
            terms, nominal = self.totals * np.maximum(heights, 0.0), self._line(rows)
            rounding = gamma(4) * terms
            if (is_zero(self.totals) | (heights < -16 * TINY)).all():
                lost = 0.0  # no term is anything but 0, whatever flushes to zero on the way
        elif not np.isfinite(raised / kappa).all():
            return np.inf, np.inf
        else:
            terms, rounding = self._smooth_bound(raised, kappa)
            nominal = self._smooth_bound(rows, kappa)[0]
        value, error = total(terms)
        error += float(np.sum(rounding)) * 1.01 + lost
        return value + error, (value - float(np.sum(nominal))) + error

    def _line(self, rows: Matrix) -> Vector:
        """totals_i [max over wrong + max over right]_+."""
        return self.totals * np.maximum(self._heights(rows), 0.0)

    def _smooth_bound(self, rows: Matrix, kappa: float) -> tuple[Vector, Vector]:
        """The bound for each row, and the rounding of its terms: each is a product of differences of two floats."""
        alpha = self.rows(self.project(rows.ravel() / kappa))
        a, c = (self._thresholds(rows, alpha, kappa, side) for side in self._sides)
        balanced = alpha.sum(axis=1, where=self.wrong) < self.totals
        c = np.where(balanced | (a + c < 0), -a, c)
        above = np.maximum(rows - np.where(self.wrong, a[:, None], c[:, None]), 0.0)
        above[self.totals == 0] = 0.0  # where alpha is 0, so is the maximum
        terms = np.sum(above * (above / (2 * kappa)), axis=1) + (a + c) * self.totals
        return terms, gamma(self.K + 8) * terms + TINY * above.sum(axis=1)

    def _thresholds(self, rows: Matrix, alpha: Matrix, kappa: float, side: NDArray[np.bool_]) -> Vector:
        """s - kappa alpha where alpha > 0 on this side, else the largest score, at which nothing is above."""
        levels = np.max(rows - kappa * alpha, axis=1, where=side & (alpha > 0), initial=-np.inf)
        return np.where(np.isfinite(levels), levels, self._tops(rows, side))

    @cached_property
    def signs(self) -> Vector:
        """With biases, those of the planes that hold the columns: + for a wrong label, - for a right one."""
        return np.where(self.wrong, 1.0, -1.0).ravel()

    @cached_property
    def _graph(self) -> LabelGraph:
        return LabelGraph.of(self.wrong, self.totals)

    def column_hessian(self, alpha: Vector, kappa: float) -> Vector:
        """How the signed sums of the columns of prox(s, kappa) move with a number, with its sign, added to each column
        of s (K, K): as ``derivative``."""
        rows = self.rows(alpha)
        full = self._is_full(rows)[:, None]
        masks = ((rows > 0) & ~full, *((rows > 0) & full & side for side in self._sides))
        return sum((centred_gram(mask) for mask in masks), np.zeros((self.K, self.K))) / kappa

    def _is_full(self, rows: Matrix) -> NDArray[np.bool_]:
        """Whether both sides have all of the total, but for the rounding of a projection."""
        mass: Vector = rows.sum(axis=1, where=self.wrong)
        return mass >= self.totals * (1 - gamma(8 * self.K))

    def has_vertex(self, alpha: Vector) -> bool:
        """Whether alpha is the vertex 0."""
        return not alpha.any()

    def balanced_columns(self, alpha: Vector, levels: Vector, off: Vector) -> Vector | None:
        r"""How far each entry moves at most to a point of Q whose signed columns sum to 0 exactly, if those of alpha, a
        point that :meth:`repair_on_columns` has found, do within ``off``. None if no such point is known.

        alpha shrinks by a factor 1 - t, which makes room of t totals_i in every example. The excess of each column then
        goes to one label of its component, or comes from it, along the paths of the label graph. Each is at most K
        long, so no example gets more than K sum(off).
        """
        graph, most = self._graph, 1.02 * self.K * float(off.sum())
        alone = np.bincount(graph.component)[graph.component] == 1
        if levels.any() or off[alone].any():
            return None
        room = float(self.totals[graph.example].min(initial=np.inf))
        if not most <= 0.5 * room:
            return None
        moves = 1.02 * (most / room) * np.abs(self.rows(alpha))
        for label in (graph.raised, graph.lowered):
            np.add.at(moves, (graph.example, label), most)
        return 1.02 * moves.ravel()

    def repair_on_columns(self, alpha: Vector, levels: Vector) -> Repair:
        """As ``repair``, for columns that sum to 0: both sides have the same mass in each component of the graph."""
        self._require(alpha, REPAIRABLE)
        return self._repair(alpha, self._graph.parts())

    def _repaired(self, alpha: Vector) -> Repair:
        """Negative entries become 0. Both sides of a row are scaled to the least of their sums and the total, in floats
        and then by real factors 1 + t, where |t| is at most the relative error of the sum."""
        return self._repair(alpha, [np.ones(self.K, dtype=bool)])

    def _repair(self, alpha: Vector, parts: list[NDArray[np.bool_]]) -> Repair:
        """The same for each of these parts of the labels by itself."""
        rows = np.maximum(self.rows(alpha), 0.0)
        sums = [[rows.sum(axis=1, where=side & part) for side in self._sides] for part in parts]
        masses = [np.minimum(p, q) for p, q in sums]
        # With several parts a row's mass is a sum, whose rounding must not lead beyond the total.
        margin = 1.0 if len(parts) == 1 else 1 - gamma(4 * self.K + 8)
        share = np.minimum(_ratio(margin * self.totals, sum(masses, np.zeros(self.n_blocks))), 1.0)
        slack, feasible = np.zeros_like(rows), True
        for part, both, mass in zip(parts, sums, masses, strict=True):
            mass = np.minimum(mass, self.totals) if len(parts) == 1 else share * mass
            for side, mass_here in zip(self._sides, both, strict=True):
                scaled = np.where(side & part, rows, 0.0) * _ratio(mass, mass_here)[:, None]
                lack, error = lacks(scaled, mass)
                most = np.where(mass > 0, 1.02 * (np.abs(lack) + error), 0.0)
                feasible &= bool((most <= mass / 256).all())  # so |t| <= most / mass, as the exact sum is near the mass
                rows = np.where(side & part, scaled, rows)
                slack += np.where(scaled > 0, scaled * _ratio(most, mass)[:, None] + TINY, 0.0)
        some = np.flatnonzero(slack)
        return Repair(rows.ravel(), some, 1.01 * slack.ravel()[some], feasible)

    def radius2(self, centre: Vector | None = None) -> float:
        c = np.zeros((self.n_blocks, self.K)) if centre is None else self.rows(centre)
        # A convex function is largest at a vertex: at 0, or at the total where the centre is least on either side.
        gain = 2 * self.totals * (self.totals + self._heights(-c))
        return 0.5 * float(np.sum(c**2) + np.sum(np.maximum(np.where(self.totals > 0, gain, 0.0), 0.0)))

    def sample(self, rng: np.random.Generator) -> Vector:
        draws = rng.exponential(size=(self.n_blocks, self.K)) * (rng.random((self.n_blocks, self.K)) < 0.7)
        mass = self.totals * np.minimum(1.5 * rng.random(self.n_blocks), 1.0)
        sides = [np.where(side, draws, 0.0) for side in self._sides]
        inner = sum(side * _ratio(mass, side.sum(axis=1))[:, None] for side in sides)
        filled = sides[0].any(axis=1) & sides[1].any(axis=1)
        faces = self.rows(self.project(rng.standard_normal(self.size) * self.totals.repeat(self.K)))
        return np.where((filled & (rng.random(self.n_blocks) < 0.5))[:, None], inner, faces).ravel()

    def _tops(self, rows: Matrix, side: NDArray[np.bool_]) -> Vector:
        """The largest entry of each row on this side; 0 where there is no pair, and so no mass."""
        return np.where(self.totals > 0, rows.max(axis=1, where=side, initial=-np.inf), 0.0)

    def _heights(self, rows: Matrix) -> Vector:
        """The largest wrong entry plus the largest right one."""
        return self._tops(rows, self._sides[0]) + self._tops(rows, self._sides[1])


def _ratio(x: Vector, y: Vector) -> Vector:
    """x / y, and 0 where y is 0."""
    return np.divide(x, y, out=np.zeros(len(y)), where=y > 0)
