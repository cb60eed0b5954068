"""The semismooth Newton method: its linear systems, its stages, and hard data that coordinate ascent crawls on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.operators import ScaledRows
from pragam.solvers import newton_system
from pragam.solvers.newton_system import NewtonSystem


@pytest.fixture(params=["dense", "csr"])
def operator(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 20)) * (rng.random((50, 20)) < 0.4)
    return ScaledRows(sparse.csr_array(X) if request.param == "csr" else X, rng.choice([-1.0, 1.0], 50))


def reference(operator, lam, factor, weights, rhs):
    A = np.stack([operator.matvec(e) for e in np.eye(20)], axis=1)
    return np.linalg.solve(lam * np.eye(20) + factor * (A.T * weights) @ A, rhs)


@pytest.mark.parametrize(("n_rows", "limit"), [(5, 3000), (40, 3000), (40, 0)], ids=["woodbury", "cholesky", "cg"])
def test_all_three_ways_solve_the_same_system(operator, n_rows, limit, monkeypatch):
    monkeypatch.setattr(newton_system, "LARGEST_MATRIX", limit)
    monkeypatch.setattr(newton_system, "_CG_TOL", 1e-12)
    rng = np.random.default_rng(1)
    system = NewtonSystem(operator, 0.3)
    for _ in range(6):  # the same object: weights that come, change and go
        weights = np.zeros(50)
        weights[rng.choice(50, n_rows, replace=False)] = rng.random(n_rows)
        system.reweigh(weights)
        right = rng.standard_normal((2, 20))
        for x, rhs in zip(system.solve(2.5, *right), right, strict=True):
            assert np.allclose(x, reference(operator, 0.3, 2.5, weights, rhs), rtol=1e-8, atol=1e-9)


def test_without_rows_the_system_is_the_regulariser(operator):
    system = NewtonSystem(operator, 0.5)
    assert np.array_equal(system.solve(1.0, np.ones(20))[0], np.full(20, 2.0))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2, 1e3])
@pytest.mark.parametrize("kind", ["gaussian", "offset", "separable", "wide", "badly scaled", "duplicated"])
def test_hard_data_are_certified_to_nine_digits(kind, lam, bias):
    rng = np.random.default_rng(0)
    n, d = (30, 80) if kind == "wide" else (200, 10)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)
    if kind == "offset":
        X += 100
    elif kind == "separable":
        X[:, 0] += 5 * y
    elif kind == "badly scaled":
        X *= np.logspace(-4, 4, d)
    elif kind == "duplicated":
        X, y = np.repeat(X[:40], 5, axis=0), np.repeat(y[:40], 5)
    result = pragam.solve(pragam.hinge(X, y, lam, bias=bias), "newton", tol=1e-9, max_iter=3000)
    assert result.converged, (result.status, result.certificate)
