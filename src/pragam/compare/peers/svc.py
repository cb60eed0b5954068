"""LIBSVM with a linear kernel, as scikit-learn's SVC. An iteration moves two dual variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare.peers.base import Fitted, Peer
from pragam.compare.problems import BIASED
from pragam.numerics.vector import Vector


class Svc(Peer):
    """Sequential minimal optimisation. Its bias is not penalised, and there is always one."""

    name = "svc"
    title = "LIBSVM (scikit-learn's SVC, linear kernel)"
    package, module = "scikit-learn", "sklearn"
    problem = BIASED
    tightest = 1e-15

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from sklearn.svm import SVC

        if not bias:
            raise ValueError("SVC always has a bias")
        model = SVC(kernel="linear", C=1 / (lam * len(y)), max_iter=limit, tol=tol, cache_size=1000).fit(X, y)
        w = model.coef_ if isinstance(model.coef_, np.ndarray) else model.coef_.toarray()
        return Fitted(np.ravel(w), float(model.intercept_[0]), int(model.n_iter_[0]), len(model.support_))
