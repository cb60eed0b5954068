"""Where the optimum of a small problem is, in rationals, and pairs as near to it as asked: judges of bounds."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import pragam
from exact_judge import exact_biases
from polytopes.strategies import exact


def exact_place(problem):
    """(w*, the ends of all best b_k); of a problem without biases no ends."""
    w, ends = exact_biases(problem)
    assert len(ends) == problem.n_biases
    return w, ends


def rows_of(X):
    """Exactly the numbers of a storage, of small dyadic numbers or of one entry each."""
    return [exact(row) for row in (np.eye(X.shape[0])[i] @ dense_of(X) for i in range(X.shape[0]))]


def dense_of(X):
    kind, arrays = X.rows()
    return np.asarray(arrays[0], float) if kind == "dense" else sparse.csr_array(arrays, shape=X.shape).toarray()


def near(problem, w, nearness, member, anywhere, noise):
    """(w, alpha), 2^-nearness from the optimum, or anywhere."""
    if nearness is None:
        return anywhere, member
    alpha = problem.domain.project(pragam.solve(problem, tol=1e-12, max_iter=200, max_seconds=5).alpha)
    t = 2.0**-nearness if nearness else 0.0
    return w * (1 + t * noise), problem.domain.project((1 - t) * alpha + t * member)
