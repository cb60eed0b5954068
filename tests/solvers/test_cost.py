"""What the solvers say that they will cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from block_problems import in_blocks
from pragam.solvers import by_name, names
from pragam.solvers.base import UNKNOWN
from pragam.solvers.choice import auto
from pragam.solvers.choice.sizes import sizes
from zoo import ZOO

SCALES = [1e-150, 1e-20, 1.0, 1e20, 1e150]


def hinge(scale=1.0, lam=1e-3, n=300, d=20, bias=True):
    rng = np.random.default_rng(1)
    X = scale * rng.standard_normal((n, d))
    return pragam.hinge(X, np.where(X[:, 0] + scale * rng.standard_normal(n) > 0, 1, -1), lam, bias=bias)


@pytest.mark.parametrize("case", ZOO)
@pytest.mark.parametrize("tol", [0.0, 1e-12, 1e-3, 1.0, 10.0])
def test_every_candidate_states_a_finite_cost_for_what_it_fits(case, tol):
    problem = ZOO[case](0).problem
    fitting = [solver for solver in auto.CANDIDATES if not solver.missing(problem)]
    assert fitting
    for solver in fitting:
        assert 0 < solver.cost(problem, tol).total < np.inf, solver.name


@pytest.mark.parametrize("scale", SCALES)
def test_a_cost_is_a_number_at_any_scale(scale):
    with np.errstate(all="ignore"):
        problem = hinge(scale)
        fitting = [solver for solver in auto.CANDIDATES if not solver.missing(problem)]
        assert {solver.name for solver in fitting} == {"newton-dense", "dcd", "newton", "proximal-newton", "qp-bmrm"}
        for solver in fitting:
            assert 0 < solver.cost(problem, 1e-6).total < np.inf, solver.name


@pytest.mark.parametrize("name", ["dcd", "newton", "qp-bmrm", "pragam"])
def test_accuracy_and_a_small_lam_cost_more(name):
    solver = by_name(name)
    passes = [[solver.cost(hinge(lam=lam), tol).passes for tol in (1e-2, 1e-4, 1e-8)] for lam in (1e-1, 1e-3, 1e-6)]
    assert (np.diff(passes, axis=0) > 0).all() and (np.diff(passes, axis=1) > 0).all()


def test_more_data_cost_more():
    for name in ("dcd", "newton", "newton-dense"):
        small, large = (by_name(name).cost(hinge(n=n, bias=False, lam=1 / n), 1e-3).total for n in (100, 1000))
        assert small < large


def test_a_solver_that_states_none_is_not_preferred():
    fitting = [name for name in names() if not by_name(name).missing(hinge(bias=False))]
    unstated = [name for name in fitting if by_name(name).cost(hinge(bias=False), 1e-3) == UNKNOWN]
    assert set(unstated) == {"auto", "ls-bmrm", "pegasos-n", "pegasos-1"} and np.inf == UNKNOWN.total


def test_a_cost_reads_the_data_once_for_all(monkeypatch):
    """With a bias the centre takes a product, which dcd and newton share; equal problems are not taken for the same."""
    problem, other = hinge(), hinge(scale=2.0)
    products, rmatvec = [], type(problem.A).rmatvec
    monkeypatch.setattr(type(problem.A), "rmatvec", lambda A, alpha: products.append(A) or rmatvec(A, alpha))
    for name in ("dcd", "newton"):
        by_name(name).cost(problem, 1e-3)
    assert products == [problem.A]
    assert sizes(other).hardness == pytest.approx(4 * sizes(problem).hardness)


def test_sizes_count_what_there_is():
    X = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    size = sizes(pragam.hinge(X, [1, -1, -1, -1], 0.5, bias=False))
    assert (size.n, size.d, size.entries, size.kind, size.rarer) == (4, 3, 7, "csr", 0.25)
    assert size.hardness == pytest.approx((1 / 4) / 0.5 * (5 + 9 + 3 + 1) / 4)


def test_short_blocks_cost_as_much_whoever_reads_them():
    """Rare binary columns in many small chunks: methods of hundreds of readings are not taken for cheap."""
    rng = np.random.default_rng(0)
    X = sparse.random(20_000, 100, 0.04, format="csr", random_state=0, dtype=np.float32)
    X.data[:] = 1.0
    y = np.where(X @ rng.standard_normal(100) > 1.5, 1, -1)
    few, many = (pragam.hinge(in_blocks(X, count), y, lam=1e-4, bias=True) for count in (1, 80))
    for name in ("windows", "block-newton", "merged-ascent", "qp-bmrm", "proximal-newton"):
        own = [by_name(name).cost(problem, 1e-3).on(problem).per_pass for problem in (few, many)]
        assert own[1] - own[0] == pytest.approx(many.A.latency - few.A.latency) and own[1] > own[0]
    assert by_name("auto").first(many, 1e-3)[0] == "windows"
