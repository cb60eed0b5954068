"""The proximal Newton method where its matrices would be large."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import pragam
from pragam.solvers.proximal_newton import ProximalNewton


def test_few_rows_with_many_columns_make_no_large_matrix():
    """[A B] is small there, but not the Hessian: 29 GB for these 60,000 columns."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((30, 60_000), density=1e-3, rng=rng, format="csr")
    problem = pragam.hinge(X, np.where(rng.random(30) > 0.5, 1.0, -1.0), 1e-2, bias=False)
    state = ProximalNewton().init(problem, rng, None, 1e-6)
    assert state.matrix is None
    assert pragam.solve(problem, "proximal-newton", tol=1e-6).converged
