"""Where a row is said to be once it is left out, it is: judged in rational arithmetic against rational optima."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from scipy import sparse

import pragam
from exact_judge import exact_biases
from hostile import HOSTILE, hostile
from polytopes.strategies import exact, exact_dot
from pragam.certificate.left_out import Span, after_removal, has_margins, without_row
from pragam.certificate.region import region

LOSSES = {
    "hinge": pragam.hinge,
    "squared": pragam.squared_hinge,
    "smoothed": lambda *args, **more: pragam.smoothed_hinge(*args, gamma=0.25, **more),
}
ZERO = Fraction(0)


def exact_scores(problem, x, w, ends):
    """(least, most) of <x, w*> + b* in fractions."""
    score = exact_dot(x, w)
    least, most = ends[0] if problem.n_biases else (ZERO, ZERO)
    return least if least == -inf else score + least, most if most == inf else score + most


def is_inside(bounds, scores):
    (low, high), (least, most) = bounds.tolist(), scores
    is_above = low == -inf or (least > -inf and Fraction(low) <= least)
    return is_above and (high == inf or (most < inf and most <= Fraction(high)))


def moved(problem, rng, result, t):
    """A pair that no solver made, where t > 0."""
    alpha = problem.domain.project((1 - t) * result.alpha + t * problem.domain.sample(rng))
    return result.w * (1 + t * rng.standard_normal(len(result.w))), alpha


def said_of(problem, w, alpha):
    """Both bounds of all rows."""
    certificate = pragam.certify(problem, w, alpha)
    n, X = problem.A.shape[0], problem.A.storage
    ends = region(problem, w, alpha, certificate).decisions(X)[:, 0]
    return after_removal(problem, ends)[0], Span(problem, w, alpha, certificate).bounds(np.arange(n))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_false_bound_on_hostile_data(kind, bias, loss):
    """Of pairs near the optimum and far from it, in every storage: what they say of optima without a row is true."""
    said = 0
    for seed in range(3):
        X, y, lam, weights = hostile(kind, seed)
        rng = np.random.default_rng(100 + seed)
        store = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array][seed % 4]
        problem = LOSSES[loss](store(X), y, lam, bias=bias, sample_weight=weights)
        assert has_margins(problem)
        rows = rng.permutation(len(y))[:4]
        true = [exact_scores(problem, exact(X[i]), *exact_biases(without_row(problem, i))) for i in rows]
        for tol in (1e-1, 1e-4, 1e-9):
            result = pragam.solve(problem, tol=tol, max_seconds=5)
            for found in said_of(problem, *moved(problem, rng, result, float(rng.choice([0.0, 0.0, 1e-3, 0.1])))):
                for i, scores in zip(rows, true, strict=True):
                    assert is_inside(found[i], scores), (i, found[i], scores)
                said += int(np.isfinite(found[rows]).sum())
    assert said or kind == "one class"


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [True, False])
def test_no_margin_below_its_kink_rises_and_rows_beyond_change_nothing(bias, loss):
    """In fractions, of whole numbers: ties, equal rows, rows of zeros, several best biases."""
    felt, free = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = np.rint(2 * rng.standard_normal((8, 2))) / 2, np.where(rng.random(8) < 0.5, 1, -1)
        y[:2] = 1, -1
        problem = LOSSES[loss](X, y, 0.125, bias=bias)
        w, ends = exact_biases(problem)
        for i, sign in enumerate(y.tolist()):
            before = sorted(sign * score for score in exact_scores(problem, exact(X[i]), w, ends))
            after = exact_scores(problem, exact(X[i]), *exact_biases(without_row(problem, i)))
            after = sorted(sign * score for score in after)
            if before[0] < 1:
                assert after[1] <= before[0]
                felt += 1
            if before[0] > 1:
                assert before == after
                free += 1
    assert felt > 10 and free > 3


def test_a_problem_without_a_row_shares_all_but_its_box():
    problem = pragam.hinge(np.eye(4), [1, -1, 1, -1], 0.1)
    own = without_row(problem, 2)
    assert own.A is problem.A and own.Q.upper.tolist() == [0.25, 0.25, 0.0, 0.25] and problem.Q.upper[2] == 0.25


@pytest.mark.parametrize(
    "problem",
    [
        pragam.epsilon_insensitive(np.eye(3), [1.0, 2.0, 3.0], 0.1),
        pragam.quantile(np.eye(3), [1.0, 2.0, 3.0], 0.1),
        pragam.multiclass_hinge(np.eye(3), [0, 1, 2], 0.1),
        pragam.ordinal_hinge(np.eye(3), [0, 1, 2], 0.1),
    ],
)
def test_other_problems_have_no_margins(problem):
    assert not has_margins(problem)


def test_few_takers_and_none_prove_less_and_nothing_false():
    """Where the matrix of takers has room for few, or none, the bounds are wider."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    y = np.where(X[:, 0] + rng.standard_normal(60) > 0, 1, -1)
    problem = pragam.hinge(X, y, 0.01)
    result = pragam.solve(problem, tol=1e-12)
    widths = []
    for entries in (2**20, 9 * 4, 0):
        span = Span(problem, result.w, result.alpha, result.certificate, entries)
        low, high = span.bounds(np.arange(60)).T
        widths.append(np.where(np.isfinite(high - low), high - low, 1e9).mean())
        for i in range(0, 60, 7):
            own = without_row(problem, i)
            best = pragam.solve(own, tol=1e-13)
            ends = region(own, best.w, best.alpha, best.certificate).decisions(problem.A.storage)[i, 0]
            assert low[i] <= ends[1] and ends[0] <= high[i]
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("shape", [(300, 4), (60, 250)])
def test_one_row_alone_takes_no_map_of_all_columns(shape, loss, monkeypatch):
    """What a solve without a row asks at its end costs the row's own right-hand side in the smaller system, and says
    what the maps of all columns say, up to the rounding of near-singular systems."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    problem = LOSSES[loss](X, np.where(X[:, 0] + rng.standard_normal(len(X)) > 0, 1, -1), 0.02)
    result = pragam.solve(problem, tol=1e-12)
    kept = Span(problem, result.w, result.alpha, result.certificate).bounds(np.arange(30))
    solve, wide = np.linalg.solve, []
    monkeypatch.setattr(np.linalg, "solve", lambda A, b: (wide.append(b.size // len(b)), solve(A, b))[1])
    for i in range(30):
        once = Span(problem, result.w, result.alpha, result.certificate).bounds(np.array([i]), is_once=True)[0]
        assert np.allclose(once, kept[i], rtol=0, atol=1e-3)
    assert wide and max(wide) == 1


def test_where_no_row_is_inside_its_box_rows_next_to_their_kinks_take_over():
    """With a bias, a large lam and as many rows of one side as of the other."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = np.where(X[:, 0] + rng.standard_normal(400) > 0, 1, -1)
    y[np.flatnonzero(y == np.sign(y.sum()))[: abs(y.sum()) // 2]] *= -1
    problem = pragam.hinge(X, y, 2.0)
    result = pragam.solve(problem, tol=1e-12)
    alpha, top = result.alpha, problem.Q.upper
    assert np.count_nonzero((alpha > 0) & (alpha < top)) <= 2
    low, high = Span(problem, result.w, alpha, result.certificate).bounds(np.arange(400)).T
    assert np.isfinite(high - low).all() and ((low > 0) | (high < 0)).any()
    for i in range(0, 400, 50):
        best = pragam.solve(without_row(problem, i), tol=1e-13)
        place = region(without_row(problem, i), best.w, best.alpha, best.certificate)
        ends = place.decisions(problem.A.storage)[i, 0]
        assert low[i] <= ends[1] and ends[0] <= high[i]


def test_what_is_not_proven_bounds_nothing():
    problem = pragam.hinge(np.eye(4), [1, -1, 1, -1], 0.1)
    nothing = pragam.certify(problem, np.zeros(4))
    assert np.isinf(Span(problem, np.zeros(4), np.zeros(4), nothing).bounds(np.arange(4))).all()
