"""Dual coordinate descent as anybody would write it, compiled by numba: cyclic order, dense rows, nothing else."""

import numpy as np
from numba import njit
from scipy import sparse

from benchopt import BaseSolver


@njit(fastmath=True)
def _descend(X, y, C, n_passes):
    n, d = X.shape
    alpha, w = np.zeros(n), np.zeros(d)
    for _ in range(n_passes):
        for i in range(n):
            score, length2 = 0.0, 0.0
            for j in range(d):
                score += X[i, j] * w[j]
                length2 += X[i, j] * X[i, j]
            moved = min(max(alpha[i] + (1.0 - y[i] * score) / max(length2, 1e-300), 0.0), C)
            if moved != alpha[i]:
                for j in range(d):
                    w[j] += (moved - alpha[i]) * y[i] * X[i, j]
                alpha[i] = moved
    return w


class Solver(BaseSolver):
    name = "plain loop"
    requirements = ["pip::numba"]  # noqa: RUF012

    def skip(self, X, y, C):
        return sparse.issparse(X), "the plain loop is for dense data"

    def set_objective(self, X, y, C):
        self.X, self.y, self.C = np.ascontiguousarray(X), y, C

    def warm_up(self):
        self.run_once(1)

    def run(self, n_iter):
        self.w = _descend(self.X, self.y, self.C, n_iter)

    def get_result(self):
        return {"w": self.w}
