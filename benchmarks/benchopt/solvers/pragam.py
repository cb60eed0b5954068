"""pragam's own solvers. Their time includes the certificates that the driver computes on the way."""

import numpy as np

import pragam
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "pragam"
    parameters = {"algorithm": ["auto", "dcd", "newton", "pragam", "qp-bmrm"]}  # noqa: RUF012
    requirements = ["pip::pragam"]  # noqa: RUF012
    sampling_strategy = "callback"

    def set_objective(self, X, y, C):
        self.problem = pragam.hinge(X, y, lam=1 / (len(y) * C), bias=False)

    def run(self, callback):
        self.w = np.zeros(self.problem.n_weights)

        def stop(progress):
            self.w = progress.w
            return not callback()

        if callback():
            self.w = pragam.solve(self.problem, self.algorithm, tol=0, stall=False, callback=stop).w

    def get_result(self):
        return {"w": self.w}
