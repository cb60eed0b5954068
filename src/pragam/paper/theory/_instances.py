"""Small seeded problems on which the statements are measured, and their exact constants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.linalg import hadamard

from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.risks import hinge, max_affine, multiclass_hinge


def hinges(bias: bool, lams: tuple[float, ...] = (1e-1, 1e-2, 1e-3)) -> Iterator[Problem]:
    """Binary hinge problems: dense and sparse, more rows than columns and fewer, for each lam."""
    for seed, (n, d) in enumerate([(60, 5), (80, 30), (25, 60)]):
        X, y = _two_classes(np.random.default_rng(seed), n, d)
        for lam in lams:
            yield hinge(X, y, lam=lam, bias=bias)
            yield hinge(sparse.csr_array(X * (np.abs(X) > 0.8)), y, lam=lam, bias=bias)


def other_risks(lams: tuple[float, ...] = (1e-1, 1e-3)) -> Iterator[Problem]:
    """Multiclass hinges and maxima of affine functions."""
    rng = np.random.default_rng(10)
    for lam in lams:
        yield multiclass_hinge(rng.standard_normal((50, 8)), rng.integers(4, size=50), lam=lam)
        yield max_affine(rng.standard_normal((12, 30)), rng.random(30), lam=lam)


def weighted_hinges(lams: tuple[float, ...] = (1e-1, 1e-3)) -> Iterator[Problem]:
    """Hinges with bias and integer sample weights, some of them 0."""
    rng = np.random.default_rng(20)
    X, y = _two_classes(rng, 50, 8)
    for lam in lams:
        yield hinge(X, y, lam=lam, bias=True, sample_weight=rng.integers(0, 4, 50))


def hadamard_problem(d: int, lam: float) -> Problem:
    """The corrected instance of the lower bound; see hadamard_lower_bound."""
    return max_affine(hadamard(d) / np.sqrt(d), np.full(d, 1 / (2 * lam * d)), lam=lam)


def matrix(problem: Problem) -> Vector:
    """A as a dense array."""
    return np.stack([problem.A.matvec(e) for e in np.eye(problem.n_weights)], axis=1)


def lipschitz(problem: Problem) -> float:
    """The Lipschitz constant sigma_max(A)^2 / lam of grad D, from the singular values."""
    return float(np.linalg.norm(matrix(problem), 2)) ** 2 / problem.lam


def subgradient_bound(problem: Problem) -> float:
    """G: no subgradient A' alpha of the risk is longer than max over Q of sum alpha_i |a_i| (alpha >= 0)."""
    return problem.domain.support(problem.A.row_norms())


def _two_classes(rng: np.random.Generator, n: int, d: int) -> tuple[Vector, Vector]:
    """Two overlapping Gaussian clouds, of unequal size."""
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    return rng.standard_normal((n, d)) + 0.5 * y[:, None] * rng.random(d), y
