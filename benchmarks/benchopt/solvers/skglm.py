"""skglm's LinearSVC: working sets and Anderson acceleration on the dual, compiled by numba off the clock."""

import warnings

import numpy as np
from scipy import sparse
from skglm import LinearSVC

from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "skglm"
    requirements = ["pip::skglm"]  # noqa: RUF012

    def set_objective(self, X, y, C):
        self.X = sparse.csr_matrix(X) if sparse.issparse(X) else X
        self.y, self.C = y, C

    def warm_up(self):
        self.run_once(1)

    def run(self, n_iter):
        self.w = np.zeros(self.X.shape[1])
        if n_iter == 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearSVC(C=self.C, max_iter=n_iter, tol=1e-14, fit_intercept=False).fit(self.X, self.y)
        self.w = model.coef_.ravel()

    def get_result(self):
        return {"w": self.w}
