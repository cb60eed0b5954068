"""ReHLine (Dai and Qiu, NeurIPS 2023): coordinate descent for piecewise linear-quadratic losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare.peers.base import Fitted, Peer
from pragam.numerics.vector import Vector


class Rehline(Peer):
    """An iteration is a pass over the examples. It has no bias here."""

    name = "rehline"
    title = "ReHLine"
    package, module = "rehline", "rehline"
    tightest = 1e-15

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from rehline import plqERM_Ridge

        model = plqERM_Ridge({"name": "svm"}, C=1 / (lam * len(y)), tol=tol, max_iter=limit).fit(X, y)
        return Fitted(np.ravel(model.coef_), n_iter=int(model.n_iter_))
