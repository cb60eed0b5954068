"""Problems and points for the tests of dcd."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from pragam.solvers.dcd.multipliers import multipliers_of
from pragam.solvers.dcd.sweep import whole


def text(n, d, per_row, seed, dtype=np.float64, index=np.int32):
    """Sparse rows in which most columns are rare."""
    rng = np.random.default_rng(seed)
    words = np.floor(d * rng.random((n, per_row)) ** 3).astype(index)
    values = rng.standard_normal(n * per_row).astype(dtype)
    X = sparse.csr_array((values, words.ravel(), np.arange(n + 1) * per_row), shape=(n, d))
    X.sum_duplicates()
    score = X @ rng.standard_normal(d)
    return X, np.where(score + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)


def working_set(problem, alpha):
    w = problem.w_of_alpha(alpha)
    multipliers, q = multipliers_of(problem, w, alpha)
    return whole(problem, w, alpha.copy(), q, multipliers), multipliers


def sample(problem, seed):
    """A point of the box with some rows at each bound."""
    rng = np.random.default_rng(seed)
    size = np.where(np.isinf(problem.Q.upper), 0.1, problem.Q.upper)
    return problem.domain.project(size * np.clip(rng.uniform(-0.5, 1.5, problem.Q.size), 0, 1))
