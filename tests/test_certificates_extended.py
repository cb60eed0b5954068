"""Every certificate of a hard instance, confirmed in more digits: none is false."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard

import pragam
from extended_precision import WIDER, Hinge, MaxAffine, exact, longdouble

TOL = 1e-9
LAMS = (1e-10, 1e-7, 1e-4, 1.0, 1e3)
#: pragam's bound leaves it far from 1e-9 on hard data; what it certifies within a budget must be true all the same.
SOLVERS = {"auto": None, "newton": None, "dcd": 500, "pragam": 50}


def _noisy(rng, n, d):
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + rng.standard_normal(n) > 0, 1.0, -1.0)


def scaled_columns(rng):
    X, y = _noisy(rng, 60, 8)
    return X * np.logspace(-4, 4, 8), y


def correlated_columns(rng):
    X, y = _noisy(rng, 60, 8)
    return X + 30 * rng.standard_normal((60, 1)), y


def far_from_zero(rng):
    X, y = _noisy(rng, 60, 4)
    return X + 1e4, y


def separable(rng):
    X, y = _noisy(rng, 60, 6)
    return X + 4 * np.outer(y, np.eye(6)[0]), y


def wide(rng):
    return _noisy(rng, 15, 40)


def duplicated(rng):
    X, y = _noisy(rng, 10, 4)
    rows = np.r_[0:10, rng.integers(0, 10, 40)]
    return X[rows], y[rows]


KINDS = {f.__name__: f for f in (scaled_columns, correlated_columns, far_from_zero, separable, wide, duplicated)}
needs_longdouble = pytest.mark.skipif(not WIDER, reason="longdouble has no more digits than float64 here")


def confirm(reference, result, bias):
    """Both values are right to the bound derived in extended_precision; alpha is in Q; so the gap is true."""
    w, alpha, certificate = result.w, result.alpha, result.certificate
    above = reference.primal_error(w, certificate.bias)
    below = reference.dual_error(alpha)
    primal, dual = reference.primal(w, certificate.bias), reference.dual(alpha)
    assert abs(float(primal - certificate.primal)) <= above
    assert abs(float(dual - certificate.dual)) <= below
    assert reference.off_box(alpha) == 0
    if bias:
        # J(w*, b*) >= D(alpha) - |b*| |<y, alpha>|, and b* is a kink: |b*| <= 1 + max |x_i| |w*|.
        sizes, _, lam, _ = reference.floats
        length = np.linalg.norm(w) + np.sqrt(2 * (certificate.gap + above + below) / lam)
        below += float(reference.off_plane(alpha)) * (1 + np.linalg.norm(sizes, axis=1).max() * length)
    true = float(primal - dual)
    assert true <= certificate.gap + above + below
    if result.converged:
        assert true <= TOL * abs(certificate.primal) + above + below


def instance(kind, seed=0):
    return KINDS[kind](np.random.default_rng([seed, *map(ord, kind)]))


@needs_longdouble
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_hinges(kind, solver, bias):
    """lam from 1e-10 to 1e3, which is C R^2 from 1e-4 to 1e16 here; the two that should get everywhere do."""
    X, y = instance(kind)
    for lam in LAMS:
        result = pragam.solve(pragam.hinge(X, y, lam=lam, bias=bias), solver, tol=TOL, max_iter=SOLVERS[solver])
        confirm(Hinge(X, y, lam, np.full(len(y), 1 / len(y)), longdouble), result, bias)
        assert result.converged or solver in ("dcd", "pragam")


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", ["auto", "newton", "dcd"])
def test_separable_data_at_a_tiny_lam_exactly(solver, bias):
    """J is 1e-9 and less here, losses of rounding show in it, and a float64 value could be false by half of it."""
    for seed in range(4):
        for kind in ("separable", "wide"):
            X, y = instance(kind, seed)
            X, y = X[:15], y[:15]
            for lam in (1e-14, 1e-10, 1e-8):
                result = pragam.solve(pragam.hinge(X, y, lam=lam, bias=bias), solver, tol=TOL, max_iter=1000)
                reference = Hinge(X, y, lam, np.full(15, 1 / 15), exact)
                primal, dual = reference.primal(result.w, result.bias), reference.dual(result.alpha)
                true = float((primal - dual) / primal)
                assert true <= result.certificate.relative_gap + 1e-11


@needs_longdouble
@pytest.mark.parametrize("bias", [False, True])
def test_weights_and_screened_paths(bias):
    """Certificates of points that were lifted from a problem without most of its rows."""
    X, y = _noisy(np.random.default_rng(1), 300, 4)
    weight = np.random.default_rng(2).exponential(size=300)
    result, screened = None, 0
    for lam in np.geomspace(1.0, 1e-3, 60):
        result = pragam.solve(pragam.hinge(X, y, lam=lam, bias=bias, sample_weight=weight), tol=TOL, start=result)
        screened += result.n_screened
        confirm(Hinge(X, y, lam, weight / 300, longdouble), result, bias)
    assert screened > 0


@needs_longdouble
@pytest.mark.parametrize("solver", ["auto", "pragam", "qp-bmrm"])
@pytest.mark.parametrize("d", [16, 64])
def test_the_lower_bound_instance(d, solver):
    """The columns of a Hadamard matrix, orthonormal, and with every other row set to zero: of half the rank."""
    for lam in (1e-4, 1e-2, 1.0):
        for rows in (np.ones(d), np.arange(d) % 2.0):
            A, b = rows[:, None] * hadamard(d) / np.sqrt(d), np.full(d, 1 / (2 * lam * d)) + 1.0
            result = pragam.solve(pragam.max_affine(A, b, lam), solver, tol=TOL, max_iter=300)
            reference, certificate = MaxAffine(A, b, lam, longdouble), result.certificate
            primal, dual = reference.primal(result.w), reference.dual(result.alpha)
            above, below = reference.primal_error(result.w), reference.dual_error(result.alpha)
            assert abs(float(primal - certificate.primal)) <= above
            assert abs(float(dual - certificate.dual)) <= below
            assert result.alpha.min() >= 0
            below += abs(float(longdouble(result.alpha).sum() - 1)) * abs(certificate.primal) * 2
            assert float(primal - dual) <= certificate.gap + above + below
