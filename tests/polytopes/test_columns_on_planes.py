"""Labels on the planes of their biases: projection and support by an interior-point method, and huge numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from clarabel_qp import pairs_rows, project, simplices_rows, solve_qp
from pragam.polytopes import Simplices
from pragam.polytopes.columns_on_planes import ColumnsOnPlanes
from pragam.polytopes.product import Product
from risk_zoo import RISKS

CASES = [(name, seed) for name in ("multiclass", "multilabel") for seed in range(6)]


@pytest.fixture(params=CASES, ids=str)
def drawn(request):
    """(generator, domain, its constraints as rows)."""
    name, seed = request.param
    rng = np.random.default_rng([seed, *map(ord, name)])
    problem = RISKS[name](rng, True, weighted=seed % 2 == 1).problem
    Q, B = problem.Q, problem.B
    G, h, E, f = simplices_rows(Q.totals, Q.K) if name == "multiclass" else pairs_rows(Q.totals, Q.wrong)
    planes = np.array([np.where(B.group == k, B.sigma, 0.0) for k in range(problem.n_biases)])
    planes = planes[:-1]  # the last one follows from the others: a redundant equality hinders the referee
    return rng, problem.domain, (G, h, np.vstack([E, planes]), np.r_[f, problem.levels[:-1]])


def test_the_projection_is_that_of_an_interior_point_method(drawn):
    rng, domain, rows = drawn
    for size in (0.01, 0.1, 1.0):
        v = size * rng.standard_normal(domain.size)
        p = domain.project(v)
        assert domain.violation(p) <= 1e-12
        np.testing.assert_allclose(p, project(v, *rows), atol=1e-6)


def test_the_support_is_that_of_an_interior_point_method(drawn):
    rng, domain, (G, h, E, f) = drawn
    for _ in range(3):
        s = rng.standard_normal(domain.size)
        value = -solve_qp(sparse.csc_matrix((domain.size, domain.size)), -s, G, h, E, f).value
        assert domain.support(s) == pytest.approx(value, rel=1e-8, abs=1e-9)
        vertex = domain.maximise_linear(s)
        assert domain.violation(vertex) <= 1e-9 and s @ vertex == pytest.approx(value, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("size", [1e10, 1e150, 1e307])
def test_huge_numbers_have_a_feasible_point_and_finite_multipliers(drawn, size):
    rng, domain, _ = drawn
    v = size * rng.standard_normal(domain.size).clip(-5, 5)
    with np.errstate(over="ignore"):
        assert domain.violation(domain.project(v)) <= 1e-6
        assert np.isfinite(domain.multipliers(v)).all() and np.isfinite(domain.multipliers(v, 1.0)).all()


def test_a_point_that_is_nearly_on_the_planes_ends_on_them():
    """The same number may be added to all multipliers. Rounding asks for that, and must not lead the steps astray."""
    rng = np.random.default_rng(0)
    n, K = 1500, 10
    Q = Simplices(np.full(n, 1 / n), K)
    origin = np.eye(K)[rng.integers(0, K, n)].ravel() / n
    cut = ColumnsOnPlanes(Q, origin, np.zeros(K))
    alpha = cut.project(origin + rng.standard_normal(Q.size) / n)
    for size in (1e-9, 1e-11, 1e-13):
        near = Q.project(alpha + size / n * np.exp(5 * rng.standard_normal(Q.size)))
        assert cut.violation(cut.project(near)) <= 2e-15


def test_a_product_of_nothing_is_a_set():
    """A working set may be empty."""
    Q = Product([], [], [None, None])
    nothing = Q.repair(np.zeros(0))
    assert nothing.feasible and len(nothing.point) == len(nothing.rows) == len(nothing.slack) == 0
    assert Q.violation(np.zeros(0)) == 0.0 and Q.support(np.zeros(0)) == 0.0
