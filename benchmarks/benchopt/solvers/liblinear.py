"""LIBLINEAR's dual coordinate descent (Hsieh et al. 2008), by scikit-learn."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "liblinear"
    requirements = ["scikit-learn"]  # noqa: RUF012

    def set_objective(self, X, y, C):
        self.X, self.y, self.C = X, y, C

    def run(self, n_iter):
        self.w = np.zeros(self.X.shape[1])
        if n_iter == 0:
            return
        settings = {"loss": "hinge", "dual": True, "fit_intercept": False, "tol": 1e-12, "random_state": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.w = LinearSVC(C=self.C, max_iter=n_iter, **settings).fit(self.X, self.y).coef_.ravel()

    def get_result(self):
        return {"w": self.w}
