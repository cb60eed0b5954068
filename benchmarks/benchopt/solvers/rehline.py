"""ReHLine: coordinate descent for piecewise linear-quadratic losses (Dai and Qiu 2023)."""

import warnings

import numpy as np
from rehline import plqERM_Ridge

from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "rehline"
    requirements = ["pip::rehline"]  # noqa: RUF012

    def set_objective(self, X, y, C):
        self.X, self.y, self.C = X, y, C

    def run(self, n_iter):
        self.w = np.zeros(self.X.shape[1])
        if n_iter == 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.w = plqERM_Ridge({"name": "svm"}, C=self.C, tol=1e-14, max_iter=n_iter).fit(self.X, self.y).coef_

    def get_result(self):
        return {"w": np.ravel(self.w)}
