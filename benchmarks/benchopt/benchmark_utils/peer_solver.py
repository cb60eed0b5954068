"""A peer of ``pragam compare`` as a solver of benchopt's, sampled by rising limits of iterations."""

import warnings

import numpy as np

from benchopt import BaseSolver
from pragam.compare import peers


class PeerSolver(BaseSolver):
    """The peer of the same ``name``. Each limit is a fit of its own, without intercept, at its smallest tolerance."""

    def set_objective(self, X, y, C):
        self.peer, self.lam = peers.by_name(self.name), 1 / (len(y) * C)
        self.X, self.y = self.peer.convert(X, y)

    def run(self, n_iter):
        self.w = np.zeros(self.X.shape[1])
        if n_iter > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.w = self.peer.fit(self.X, self.y, self.lam, False, n_iter, self.peer.tightest).w

    def get_result(self):
        return {"w": self.w}
