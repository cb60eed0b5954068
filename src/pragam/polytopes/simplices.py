"""Products of scaled simplices: the dual variables of a mean of maxima, such as the multiclass hinge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.blocks.records import Shape
from pragam.numerics.rounding import TINY, gamma, total
from pragam.polytopes.base import REPAIRABLE, Curvature, Repair, Vector
from pragam.polytopes.box import relative
from pragam.polytopes.needs import HasBlocks, HasColumns, HasDerivative
from pragam.polytopes.per_example import centred_gram, clear_top, lacks, without_mean
from pragam.polytopes.simplex_projection import project_simplex


class Simplices(HasColumns, HasBlocks, HasDerivative):
    r"""Q = {alpha in R^(n x K) : alpha >= 0, sum_k alpha_ik = totals_i}, with alpha flat, row after row.

    support(s) = sum_i totals_i max_k s_ik
    """

    rigorous = True
    block_shape = Shape.SIMPLEX

    def violation(self, alpha: Vector) -> float:
        if np.isnan(alpha).any():
            return np.inf
        rows = self.rows(alpha)
        negative = -float(rows.min(initial=0.0))
        residual = float(np.abs(rows.sum(axis=1) - self.totals).max(initial=0.0))
        return relative(max(negative, residual), float(self.totals.max(initial=0.0)))

    def project(self, v: Vector) -> Vector:
        return project_simplex(self.rows(v), self.totals).ravel()

    def maximise_linear(self, s: Vector) -> Vector:
        alpha = np.zeros((self.totals.size, self.K))
        np.put_along_axis(alpha, self.rows(s).argmax(axis=1)[:, None], self.totals[:, None], axis=1)
        return alpha.ravel()

    def maximise_block(self, k: int, s: Vector) -> Vector:
        """The vertex of block k that attains max <alpha_k, s>, s the scores of that block."""
        vertex = np.zeros(self.K)
        vertex[np.argmax(s)] = self.totals[k]
        return vertex

    def derivative(self, alpha: Vector, kappa: Curvature, t: Vector) -> Vector:
        """How ``prox`` moves when s moves along t, at alpha = prox(s, kappa): t over kappa, less its mean where
        alpha_ik > 0, and nothing elsewhere."""
        moving = self.rows(alpha) > 0
        return (without_mean(self.rows(t), moving) / float(np.max(kappa))).ravel()

    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> Simplices:
        """The set of these blocks alone, ``growth`` times as large."""
        return Simplices(growth * self.totals[blocks], self.K)

    def _settled(self, low: NDArray[np.float64], high: NDArray[np.float64], apart: Vector) -> NDArray[np.float64]:
        """All of the total on the label that scores above every other one."""
        top, is_clear = clear_top(low, high, apart)
        known = np.where(is_clear[:, None], np.zeros(1), np.full(self.K, np.nan))
        known[is_clear, top[is_clear]] = self.totals[is_clear]
        return known

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        if np.any(kappa):
            alpha = self.project(s / kappa)
            return float(np.sum(alpha * (s - 0.5 * kappa * alpha)))
        return float(np.sum(self.totals * self.rows(s).max(axis=1)))

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """sum_i totals_i max_k s_ik. With curvature any threshold t_i bounds a row's maximum from above, by
        sum_k [s_ik - t_i]_+^2 / (2 kappa) + t_i totals_i: the best one is that of the projection."""
        rows = self.rows(s)
        raised = self.rows(s + slack + gamma(2) * np.abs(s))
        kappa = float(np.max(kappa))  # one for all
        if kappa == 0:
            terms, nominal = self.totals * raised.max(axis=1), self.totals * rows.max(axis=1)
            rounding = gamma(3) * np.abs(terms)
        else:
            terms, rounding = self._smooth_bound(raised, kappa)
            nominal = self._smooth_bound(rows, kappa)[0]
        value, error = total(terms)
        error += float(np.sum(rounding)) * 1.01 + self._lost(s, slack)
        return value + error, (value - float(np.sum(nominal))) + error

    def _smooth_bound(self, rows: NDArray[np.float64], kappa: float) -> tuple[Vector, Vector]:
        """The bound for each row, and the rounding of its terms."""
        alpha = project_simplex(rows / kappa, self.totals)
        t = (rows - kappa * alpha).max(axis=1, where=alpha > 0, initial=-np.inf)
        t = np.where(np.isfinite(t), t, rows.max(axis=1))
        above = np.maximum(rows - t[:, None], 0.0)
        squares = above * (above / (2 * kappa))  # in this order little can be lost below TINY
        level = t * self.totals
        sizes = squares.sum(axis=1) + np.abs(level) + (above / kappa * np.abs(rows)).sum(axis=1)
        return squares.sum(axis=1) + level, gamma(self.K + 8) * sizes + TINY * above.sum(axis=1)

    @property
    def signs(self) -> Vector:
        """With biases, those of the planes that hold the columns."""
        return np.ones(self.size)

    def column_hessian(self, alpha: Vector, kappa: float) -> Vector:
        """How the sums of the columns of prox(s, kappa) move with a number added to each column of s (K, K)."""
        return centred_gram(self.rows(alpha) > 0) / kappa

    def has_vertex(self, alpha: Vector) -> bool:
        """Whether alpha is a vertex, exactly."""
        rows = self.rows(alpha)
        return bool(np.array_equal(rows.max(axis=1), self.totals) and (np.count_nonzero(rows, axis=1) <= 1).all())

    def repair_on_columns(self, alpha: Vector, levels: Vector) -> Repair:
        """As ``repair``, with zeros in the columns that must sum to 0."""
        self._require(alpha, REPAIRABLE)
        return self.repair(np.where(levels > 0, self.rows(alpha), 0.0).ravel())

    def balanced_columns(self, alpha: Vector, levels: Vector, off: Vector) -> Vector | None:
        r"""How far each entry moves at most to a point of Q whose columns sum to ``levels`` exactly, if those of alpha,
        a point of Q, do within ``off``, and levels sum to the same as the totals.

        totals_i levels_k / sum(levels) is such a point, and inside Q. With a share t of it, and less an excess e_k in
        column k, spread as totals_i / sum(totals): t totals_i levels_k >= |e_k| totals_i makes room for that.
        """
        if (off > 0.5 * levels).any():  # also where a column has no mass at all, but alpha has
            return None
        mass = float(np.sum(self.totals))
        t = 1.02 * float(np.max(np.divide(off, levels, out=np.zeros(self.K), where=levels > 0)))
        spread = self.totals[:, None] * ((t * levels + off) / mass) if mass > 0 else np.zeros((self.n_blocks, self.K))
        return 1.02 * (t * np.abs(alpha) + spread.ravel())

    def _repaired(self, alpha: Vector) -> Repair:
        """Negative entries become 0, and rows are scaled to their totals, in floats and then by a real factor 1 + t.

        |t| is at most the relative error of the row's sum. Changing the largest entry alone would also suffice.
        """
        rows = np.maximum(self.rows(alpha), 0.0)
        sums = rows.sum(axis=1)
        rows *= np.divide(self.totals, sums, out=np.zeros(len(rows)), where=sums > 0)[:, None]
        lack, error = lacks(rows, self.totals)
        most = 1.01 * (np.abs(lack) + error)
        feasible = bool((most <= self.totals).all())
        slack = rows * np.divide(most, self.totals, out=np.zeros(len(rows)), where=self.totals > 0)[:, None]
        slack[np.arange(len(rows)), rows.argmax(axis=1)] = most
        some = np.flatnonzero(slack)
        return Repair(rows.ravel(), some, 1.01 * slack.ravel()[some], feasible)

    def radius2(self, centre: Vector | None = None) -> float:
        c = np.zeros((1, self.K)) if centre is None else self.rows(centre)
        # A convex function is largest at a vertex: totals_i at the entry where the centre is smallest.
        worst = np.sum(c**2, axis=1) - 2 * self.totals * c.min(axis=1) + self.totals**2
        return 0.5 * float(np.sum(worst))

    def sample(self, rng: np.random.Generator) -> Vector:
        inner = self.totals[:, None] * rng.dirichlet(np.ones(self.K), size=self.totals.size)
        faces = self.rows(self.project(rng.standard_normal(self.size) * self.totals.repeat(self.K)))
        return np.where(rng.random((self.totals.size, 1)) < 0.5, inner, faces).ravel()


class Simplex(Simplices):
    """Q = {alpha in R^size : alpha >= 0, sum_k alpha_k = total}."""

    rigorous = True

    def __init__(self, size: int, total: float = 1.0) -> None:
        super().__init__([total], size)
