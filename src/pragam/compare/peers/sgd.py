"""scikit-learn's SGDClassifier. An iteration is a pass over the examples in a random order."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare.peers.base import Fitted, Peer
from pragam.numerics.vector import Vector


class Sgd(Peer):
    """Stochastic subgradient steps with its default schedule, step 1/(lam (t0 + t)), and its default answer, the last
    iterate (``average=False``). ``tol`` is not used: with ``tol=None`` the limit alone ends a fit. A bias is not
    penalised, but its steps are a hundred times smaller on sparse data.
    """

    name = "sgd"
    title = "stochastic gradient descent (scikit-learn's SGDClassifier)"
    package, module = "scikit-learn", "sklearn"
    tightest = 0.0

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from sklearn.linear_model import SGDClassifier

        model = SGDClassifier(loss="hinge", alpha=lam, fit_intercept=bias, max_iter=limit, tol=None, random_state=0)
        model.fit(X, y)
        return Fitted(np.ravel(model.coef_), n_iter=int(model.n_iter_))
