"""The linear system of a Newton step: every way of solving it gives the same answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam.operators import ScaledRows
from pragam.operators.planes import Planes
from pragam.solvers.newton import system as system_module
from pragam.solvers.newton.system import Centre, NewtonSystem


@pytest.fixture(params=["dense", "csr"])
def operator(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 20)) * (rng.random((50, 20)) < 0.4)
    return ScaledRows(sparse.csr_array(X) if request.param == "csr" else X, rng.choice([-1.0, 1.0], 50))


def no_planes(n):
    return Centre(Planes.none(n), np.zeros((0, 20)), np.zeros(0))


def centre_of(operator, B, tau, weights):
    """The weighted mean of the rows of each plane."""
    columns = [np.where(B.group == k, B.sigma, 0.0) for k in range(B.shape[1])]
    totals = np.array([tau * float(weights @ sigma**2) for sigma in columns])
    means = np.array([operator.rmatvec(tau * weights * sigma) for sigma in columns]).reshape(-1, 20)
    return Centre(B, means / totals[:, None], totals)


def reference(operator, lam, tau, weights, rhs, centre):
    A = np.stack([operator.matvec(e) for e in np.eye(20)], axis=1)
    A -= np.stack([centre.B.matvec(column) for column in centre.means.T], axis=1)
    return np.linalg.solve(lam * np.eye(20) + tau * (A.T * weights) @ A, rhs)


@pytest.mark.parametrize("planes", [0, 1, 3])
@pytest.mark.parametrize(("n_rows", "limit"), [(5, 3000), (40, 3000), (40, 0)], ids=["woodbury", "cholesky", "cg"])
def test_all_three_ways_solve_the_same_system(operator, n_rows, limit, planes, monkeypatch):
    monkeypatch.setattr(system_module, "LARGEST_MATRIX", limit)
    monkeypatch.setattr(system_module, "_CG_TOL", 1e-12)
    rng = np.random.default_rng(1)
    system = NewtonSystem(operator, 0.3)
    for _ in range(6):  # the same object: weights that come, change and go
        weights = np.zeros(50)
        weights[rng.choice(50, n_rows, replace=False)] = rng.random(n_rows)
        system.weights = weights
        rhs, group = rng.standard_normal(20), np.argsort(np.argsort(weights)) % max(planes, 1)  # each has rows
        centre = centre_of(operator, Planes(rng.standard_normal(50), group, planes), 2.5, weights)
        x = system.solve(2.5, rhs, centre)
        assert np.allclose(x, reference(operator, 0.3, 2.5, weights, rhs, centre), rtol=1e-8, atol=1e-9)


def test_without_rows_the_system_is_the_regulariser(operator):
    system = NewtonSystem(operator, 0.5)
    assert np.array_equal(system.solve(1.0, np.ones(20), no_planes(50)), np.full(20, 2.0))


def test_rows_may_be_exchanged_under_the_hessian(operator):
    rng = np.random.default_rng(3)
    system, weights, rows = NewtonSystem(operator, 0.3), rng.random(50), None
    for n_rows in (50, 30, 25, 50, 40):
        new = None if n_rows == 50 else np.sort(rng.choice(50, n_rows, replace=False))
        system.exchange_rows(operator, rows, new, operator if new is None else operator.take(new))
        rows = new
        system.weights = weights[slice(None) if rows is None else rows]
        everywhere = np.zeros(50)
        everywhere[slice(None) if rows is None else rows] = system.weights
        expected = reference(operator, 0.3, 2.0, everywhere, np.ones(20), no_planes(50))
        assert np.allclose(system.solve(2.0, np.ones(20), no_planes(n_rows)), expected, rtol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_sample_of_the_rows_preconditions_conjugate_gradients(kind):
    """Columns of very different sizes: conjugate gradients alone take hundreds of iterations."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 60)) * np.logspace(-2, 2, 60)
    A = ScaledRows(kind(X), np.ones(4000))
    weights, rhs = rng.random(4000), rng.standard_normal(60)
    rows = np.arange(4000)
    system = NewtonSystem(A, 1e-3)
    system.weights = weights
    none = Centre(Planes.none(4000), np.zeros((0, 60)), np.zeros(0))
    x = system._preconditioned_cg(1.0, rows, rhs, none)
    residual = 1e-3 * x + X.T @ (weights * (X @ x)) - rhs
    assert np.linalg.norm(residual) <= system_module._CG_TOL * np.linalg.norm(rhs)
    iterations = (system.rows_read - 250) / 8000  # a sample of one row in sixteen, then two products an iteration
    assert iterations <= system_module._MOST
