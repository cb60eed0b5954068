"""Blocked Newton: the optimum of the whole for all risks of boxes, few rounds, and tasks that have no state."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

import pragam
from block_problems import Sent, box_risks, data, in_blocks
from pragam.engines import InTurn
from pragam.operators import check_data
from pragam.solvers.block_newton import BlockNewton, tasks
from pragam.solvers.block_newton.posed import Thin
from pragam.solvers.block_newton.state import posed_on_blocks
from pragam.solvers.newton.box_form import box_form

RISKS = box_risks(1e-3, 1.0)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", RISKS)
def test_it_certifies_the_optimum_of_the_whole(name, store, bias, standardize):
    X, score = data()
    here = RISKS[name](store(X), score, bias=bias, standardize=standardize)
    there = RISKS[name](in_blocks(store(X)), score, bias=bias, standardize=standardize)
    if standardize and not bias and store is sparse.csr_array:
        with pytest.raises(ValueError, match=r"needs A\.take"):
            pragam.solve(there, "block-newton")
        return
    found = pragam.solve(there, "block-newton", tol=1e-6)
    exact = pragam.solve(here, tol=1e-9).certificate
    assert found.converged and found.certificate.rigorous
    assert found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal
    assert pragam.certify(there, found.w, found.alpha).relative_gap <= 1e-6
    assert pragam.certify(here, found.w, found.alpha).relative_gap <= 1.01e-6


@pytest.mark.parametrize("thresholds", ["all", "immediate"])
def test_levels_too(thresholds):
    X, score = data()
    y = np.digitize(score, [-1, 0, 2])
    here = pragam.ordinal_hinge(X, y, 1e-3, thresholds)
    found = pragam.solve(pragam.ordinal_hinge(in_blocks(X), y, 1e-3, thresholds), "block-newton", tol=1e-5)
    exact = pragam.solve(here, tol=1e-9).certificate
    assert found.converged and exact.dual <= found.certificate.primal and found.certificate.dual <= exact.primal


@pytest.mark.parametrize("name", ["hinge", "squared hinge"])
def test_rounds_are_few_and_certificates_cost_none(name):
    X, score = data(20_000)
    B = in_blocks(X, 50)
    problem = RISKS[name](B, score)
    _ = B.row_norms2, B.counts
    for tol, most in ((1e-3, 12), (1e-6, 30)):
        before = B.readings
        found = pragam.solve(problem, "block-newton", tol=tol)
        assert found.converged
        own = found.history.passes[-1]
        sharper = 0.0 if found.certificate.relative_gap > 1e-9 else 1.0  # below, rounding is looked at in more digits
        assert own <= most + 0.06 and abs(B.readings - before - own) <= sharper + 1e-3


def test_columns_that_are_not_scaled_do_not_make_it_dear():
    """Newton's steps do not depend on the size of columns, so what it should cost does not grow with it for ever."""
    X, score = data(4000)
    costs = [BlockNewton().cost(RISKS["hinge"](in_blocks(size * X), score), 1e-3).passes for size in (1.0, 1e3, 1e6)]
    assert costs[0] < costs[1] == costs[2] < 10 * costs[0]


def test_equal_calls_give_equal_answers():
    X, score = data()
    first, second = (pragam.solve(RISKS["tube"](in_blocks(X), score), "block-newton", tol=1e-5) for _ in range(2))
    np.testing.assert_array_equal(first.w, second.w)
    np.testing.assert_array_equal(first.alpha, second.alpha)


class Forgetful(InTurn):
    """Nothing that a task kept is there at the next round: each is sent anew, as to another process."""

    def map(self, task, blocks, common, own=None):
        return super().map(task, pickle.loads(pickle.dumps(blocks)), common, own)


def test_a_process_that_has_seen_nothing_finds_the_same_to_the_bit():
    X, score = data()
    usual, strange = in_blocks(X), in_blocks(X)
    strange.engine, strange.blocks = Forgetful(), [Sent(check_data(X[a:b])) for a, b in pairwise(strange.ends)]
    first, second = (pragam.solve(RISKS["hinge"](B, score), "block-newton", tol=1e-8) for B in (usual, strange))
    assert first.converged and first.n_iter > 3
    np.testing.assert_array_equal(first.w, second.w)
    np.testing.assert_array_equal(first.alpha, second.alpha)


def test_the_derivative_at_every_step_is_that_of_the_stages_problem():
    """By a difference of  lam/2 |w|^2 + sum of max alpha s - kappa alpha^2/2 - (alpha - a)^2/(2 tau_i)."""
    X, score = data(300)
    problem = RISKS["smoothed hinge"](in_blocks(X, 6), score)
    form = box_form(problem)
    posed = posed_on_blocks(problem, form, 20.0)
    rng = np.random.default_rng(1)
    w, dw, b, db = rng.standard_normal(5), rng.standard_normal(5), np.array([0.3]), np.array([-1.0])
    entry = tasks.Entry(w + 1, b, 0.0)
    point = tasks.Point(b, 0.7, 0.0, 0.5, (entry, tasks.Entry(w - 1, b, 2.0)))
    steps = np.array([0.1, 1.0, 3.0])
    found = sum(problem.A.each_block(tasks.slopes_ahead, tasks.Ahead(w, point, dw, db, steps), posed.places))
    centre = np.concatenate([kept.content.beside.centre for kept in (*posed.places.away, *posed.places.here)])
    boxes = form.boxes._replace(base=centre)

    def psi(t):
        s = problem.A.matvec(w + t * dw) + form.c + problem.B.matvec(b + t * db)
        beta = tasks.follow(boxes, s, point.tau)
        inner = beta * s - 0.5 * boxes.bend * beta**2 - (beta - centre) ** 2 / (2 * point.tau)
        return float(form.ends.anchor @ s + boxes.size @ inner)

    h = 1e-5
    np.testing.assert_allclose(found, [(psi(t + h) - psi(t - h)) / (2 * h) for t in steps], rtol=1e-6)


@pytest.mark.parametrize(
    "vector",
    [np.ones(5), np.array([1.0, -1.0, 1.0]), np.array([0.5, 2.0]), np.zeros(0), np.array([-0.0, 0.0, -0.0]),
     np.array([np.inf, 1.0]), np.array([200.0, -1.0]), np.full(3, np.inf)],
)  # fmt: skip
def test_a_thin_vector_is_the_same_to_the_bit(vector):
    thin = pickle.loads(pickle.dumps(Thin.of(vector)))
    back = thin.cut(slice(0, len(vector)))
    np.testing.assert_array_equal(back.view(np.int64), vector.view(np.int64))


def test_a_start_is_taken_and_nothing_is_sampled():
    X, score = data()
    problem = RISKS["hinge"](in_blocks(X), score)
    first = pragam.solve(problem, "block-newton", tol=1e-4)
    again = pragam.solve(problem, "block-newton", tol=1e-4, start=first)
    assert again.converged and again.n_iter <= 1


def test_many_columns_are_refused_and_data_without_blocks():
    rng = np.random.default_rng(0)
    X, y = sparse.random_array((50, 4000), density=0.01, rng=rng, format="csr"), rng.choice([-1, 1], 50)
    with pytest.raises(ValueError, match="needs at most 3,000 columns, and there are 4,000"):
        pragam.solve(pragam.hinge(in_blocks(X, 5), y, 1e-3), "block-newton")
    with pytest.raises(ValueError, match=r"needs A\.each_block, which ScaledRows does not have"):
        pragam.solve(pragam.hinge(X, y), "block-newton")


def test_separable_and_tiny_data_end_with_a_gap():
    X = np.array([[1.0], [-1.0], [2.0], [-3.0]])
    found = pragam.solve(pragam.hinge(in_blocks(X, 2), np.sign(X[:, 0]), 1e-2), "block-newton", tol=1e-6, max_iter=60)
    assert found.certificate.rigorous and found.converged
