r"""Scores of folds along a grid: means, standard errors, and which point they choose.

    mean_j = (1/k) sum_f score_fj,    se_j = sqrt( sum_f (score_fj - mean_j)^2 / (k (k - 1)) )      over the folds f

*best*: the highest mean; of several, the first in the grid. *One standard error*: the smallest C whose mean is at least
that of the best less its standard error, the simplest model that the folds cannot tell from the best one (Breiman,
Friedman, Olshen and Stone, "Classification and regression trees", 1984, section 3.4.3). Folds share their training
rows, so the standard error is too small by an unknown factor (Bengio and Grandvalet, "No unbiased estimator of the
variance of k-fold cross-validation", JMLR 5, 2004): it is a rule, no proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

RULES = ("best", "one_se")


@dataclass(frozen=True)
class Curve:
    """``scores`` (folds, points), the more the better; ``grid`` are the values of C."""

    grid: Vector
    scores: Vector

    @property
    def mean(self) -> Vector:
        """Over the folds; a fold counts as much as another."""
        found: Vector = self.scores.mean(axis=0)
        return found

    @property
    def error(self) -> Vector:
        """The standard error of the mean; NaN of one fold."""
        k = len(self.scores)
        if k < 2:
            return np.full(len(self.grid), np.nan)
        return np.asarray(self.scores.std(axis=0, ddof=1) / k**0.5)

    @property
    def rank(self) -> NDArray[np.int32]:
        """1 for the highest mean; equal ones share the least rank, and NaN is last."""
        mean = np.where(np.isnan(self.mean), -np.inf, self.mean)
        return (1 + (mean[None, :] > mean[:, None]).sum(axis=1)).astype(np.int32)

    def chosen(self, rule: str) -> int:
        """The place in the grid that a rule chooses."""
        best = int(self.rank.argmin())
        if rule == "best":
            return best
        enough = np.flatnonzero(self.mean >= self.mean[best] - np.nan_to_num(self.error[best]))
        return int(enough[np.argmin(self.grid[enough])]) if enough.size else best
