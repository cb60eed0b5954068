"""Snap ML (Dünner et al., NeurIPS 2018): parallel coordinate descent in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pragam.compare.peers.base import Fitted, Peer
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads


class Snapml(Peer):
    """An iteration is a pass over the examples. It computes in float32, and its bias is penalised."""

    name = "snapml"
    title = "Snap ML"
    package, module = "snapml", "snapml"
    tightest = 1e-15

    def convert(self, X: Any, y: Vector) -> tuple[Any, Vector]:
        """It takes no sparse arrays, only matrices."""
        return (X if isinstance(X, np.ndarray) else sparse.csr_matrix(X)), y

    def fit(self, X: Any, y: Vector, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        from snapml import SupportVectorMachine

        model = SupportVectorMachine(
            loss="hinge", regularizer=lam * len(y), fit_intercept=bias, max_iter=limit, tol=tol, random_state=0,
            n_jobs=n_threads(),
        ).fit(X, y)  # fmt: skip
        return Fitted(np.ravel(model.coef_), n_iter=int(model.n_iter_))
