"""LIBLINEAR's dual coordinate descent, as scikit-learn's LinearSVC. An iteration is a pass over the examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare.peers.base import Fitted, Peer
from pragam.numerics.vector import Vector


class Liblinear(Peer):
    """L2-regularised hinge loss, dual (its solver 3), with shrinking and random order. A bias is penalised."""

    name = "liblinear"
    title = "LIBLINEAR (scikit-learn's LinearSVC)"
    package, module = "scikit-learn", "sklearn"
    tightest = 1e-15

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            loss="hinge", dual=True, C=1 / (lam * len(y)), fit_intercept=bias, max_iter=limit, tol=tol, random_state=0
        )
        model.fit(X, y)
        return Fitted(np.ravel(model.coef_), n_iter=int(model.n_iter_))
