"""skglm (Bertrand et al., NeurIPS 2022): working sets and Anderson acceleration, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare.peers.base import Fitted, Peer
from pragam.numerics.vector import Vector


class Skglm(Peer):
    """An iteration is a working set, solved by up to 50,000 passes over its variables. It has no bias."""

    name = "skglm"
    title = "skglm"
    package, module = "skglm", "skglm"
    tightest = 1e-15

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from skglm import LinearSVC

        model = LinearSVC(C=1 / (lam * len(y)), fit_intercept=False, max_iter=limit, tol=tol).fit(X, y)
        return Fitted(np.ravel(model.coef_), n_iter=int(model.n_iter_))
