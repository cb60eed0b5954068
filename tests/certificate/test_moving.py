"""Cells contain what they say: optima solved to 1e-12 at random lams, for every risk; and how tight cells are."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate.moving import Knot, Moving
from pragam.certificate.moving.end import radius2
from pragam.certificate.region import region
from pragam.operators import check_data

MARGINS = (pragam.hinge, pragam.squared_hinge, pragam.smoothed_hinge)
TUBES = (pragam.epsilon_insensitive, pragam.quantile)


def posed(build, seed, bias, weighted=False, n=200, d=5, lam=1e-2, store=np.asarray):
    """A problem with noise, duplicated rows and rows of zeros, and rows that matter."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:5], X[5:10] = 0.0, X[10]
    y = X @ rng.standard_normal(d) + 2 * rng.standard_normal(n)
    y = np.where(y > 0, 1.0, -1.0) if build in MARGINS else y
    weights = rng.exponential(size=n) * (rng.random(n) < 0.8) if weighted else None
    problem = build(store(X), y, lam, bias=bias, sample_weight=weights)
    return problem, check_data(np.vstack([rng.standard_normal((20, d)), X[:12]]))


def pair_at(moving, lam, tol=1e-9):
    problem = moving.problem.at(lam)
    result = pragam.solve(problem, tol=tol)
    return moving.pair(problem, result.w, result.alpha, result.certificate)


def bounds(cell):
    ends = cell.ends()
    return ends, cell.finer(np.arange(len(ends)), ends)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("build", MARGINS + TUBES, ids=lambda build: build.__name__)
def test_optima_at_any_lam_of_a_cell_are_inside(build, bias, weighted):
    problem, held = posed(build, 1, bias, weighted, store=sparse.csr_array if weighted else np.asarray)
    moving, rng = Moving(problem, held), np.random.default_rng(2)
    for tol, ratio in ((1e-3, 0.7), (1e-6, 0.9), (1e-10, 0.99)):
        first, last = pair_at(moving, problem.lam, tol), pair_at(moving, ratio * problem.lam, tol)
        middle = moving.between(first, last, float(np.sqrt(first.lam * last.lam)))
        for a, b in ((first, last), (middle, last), (first, middle), (middle, middle)):
            ends, finer = bounds(moving.cell(a, b))
            assert np.isfinite(finer).all()
            for lam in np.exp(rng.uniform(np.log(b.lam), np.log(a.lam), 3)).tolist():
                best = pragam.solve(problem.at(lam), tol=1e-12)
                scores = held.matvec(best.w) + (best.bias if bias else 0.0)
                room = 1e-6 * (1 + np.abs(scores))  # of an optimum known to 1e-12 of J
                for low, high in (ends.T, finer.T):
                    assert (low <= scores + room).all() and (scores - room <= high).all()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("build", MARGINS + TUBES, ids=lambda build: build.__name__)
def test_a_cell_of_one_lam_says_what_a_region_says(build, bias):
    """The same sphere, up to its rounding; intervals no wider than those of the region."""
    problem, held = posed(build, 3, bias)
    for tol in (1e-3, 1e-6):
        moving, result = Moving(problem, held), pragam.solve(problem, "dcd", tol=tol)
        pair = moving.pair(problem, result.w, result.alpha, result.certificate)
        cell, place = moving.cell(pair, pair), region(problem, result.w, result.alpha, result.certificate)
        assert cell.radius <= place.reach * (1 + 1e-3) + 1e-6
        ends, finer = bounds(cell)
        theirs = place.decisions(held)[:, 0]
        assert np.ptp(ends, axis=1).sum() <= 1.05 * np.ptp(theirs, axis=1).sum()
        combined = place.combined(held)
        if combined is not None:
            combined = np.minimum(np.ptp(combined[:, 0], axis=1), np.ptp(theirs, axis=1))
            assert np.ptp(finer, axis=1).sum() <= 1.3 * combined.sum()


@pytest.mark.parametrize("build", MARGINS + TUBES, ids=lambda build: build.__name__)
def test_cells_nest(build):
    """Half a cell says no less: its parabola is below that of the whole, whose chord is above R in the middle."""
    problem, held = posed(build, 4, True)
    moving = Moving(problem, held)
    first, last = pair_at(moving, problem.lam), pair_at(moving, 0.8 * problem.lam)
    middle = moving.between(first, last, 0.9 * problem.lam)
    whole = moving.cell(first, last)
    for a, b in ((first, middle), (middle, last), (middle, middle)):
        part = moving.cell(a, b)
        assert part.radius <= whole.radius * (1 + 1e-6)  # up to rounding, of what is a small difference
        inner, outer = part.ends(), whole.ends()
        assert np.median(np.ptp(inner, axis=1)) <= np.median(np.ptp(outer, axis=1)) * (1 + 1e-6)
        assert (inner[:, 0] <= outer[:, 1]).all() and (outer[:, 0] <= inner[:, 1]).all()


def test_between_two_kinks_of_the_path_a_knot_is_exact():
    """Where no row changes its part, w is linear in 1/lam and alpha in lam: a knot is as near the optimum as they."""
    problem, held = posed(pragam.hinge, 5, True, n=40)
    moving = Moving(problem, held)
    first, last = pair_at(moving, problem.lam, 1e-12), pair_at(moving, problem.lam * (1 - 1e-6), 1e-12)
    knot = moving.between(first, last, problem.lam * (1 - 5e-7))
    assert isinstance(knot, Knot)
    assert radius2(knot) <= 10 * max(radius2(first), radius2(last)) + 1e-13
    assert moving.cell(first, last).radius ** 2 <= 10 * max(radius2(first), radius2(last)) + 1e-13


def test_the_interval_shrinks_with_the_step_and_the_kinks_gain_the_most():
    """The radius is of first order in the step; combinations of kinks are of the order of rho, its square."""
    problem, held = posed(pragam.hinge, 6, True, n=2000, d=20, lam=1e-3)
    moving, widths = Moving(problem, held), []
    for step in (1e-1, 1e-3):
        cell = moving.cell(pair_at(moving, problem.lam, 1e-13), pair_at(moving, (1 - step) * problem.lam, 1e-13))
        ends, finer = bounds(cell)
        widths.append([np.median(np.ptp(found[:20], axis=1)) for found in (ends, finer)])
    assert widths[1][0] < 0.2 * widths[0][0] and widths[1][1] < 0.2 * widths[0][1]
    assert widths[1][1] < 0.5 * widths[1][0]


def test_no_product_is_made_between_two_pairs(monkeypatch):
    problem, held = posed(pragam.hinge, 7, True)
    moving = Moving(problem, held)
    first, last = pair_at(moving, problem.lam), pair_at(moving, 0.9 * problem.lam)
    bounds(moving.cell(first, last))
    for room, names in ((type(problem.A), ("matvec", "rmatvec", "bounded_rmatvec", "sharp_matvec")),
                        (type(held), ("matvec", "rmatvec", "twofold_matvec"))):  # fmt: skip
        for name in names:
            monkeypatch.setattr(room, name, None)
    knots = [moving.between(first, last, lam * problem.lam) for lam in (0.98, 0.95, 0.92)]
    for a, b in zip([first, *knots], [*knots, last], strict=True):
        assert np.isfinite(bounds(moving.cell(a, b))[1]).all()
        assert moving.cell(b, b).radius < inf


def test_what_pairs_forget_is_computed_again_to_the_bit():
    problem, held = posed(pragam.hinge, 8, True)
    moving = Moving(problem, held)
    pairs = [pair_at(moving, lam * problem.lam) for lam in np.linspace(1, 0.5, 24).tolist()]
    found = [bounds(moving.cell(*ends)) for ends in pairwise(pairs)]
    assert "held_scores" not in vars(pairs[0]) and "held_scores" in vars(pairs[-1])
    for ends, one in zip(pairwise(pairs), found, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, bounds(moving.cell(*ends)), strict=True))


def test_rows_of_zeros_have_the_score_0_without_a_bias():
    problem, held = posed(pragam.hinge, 9, False)
    moving = Moving(problem, held)
    cell = moving.cell(pair_at(moving, problem.lam), pair_at(moving, 0.5 * problem.lam))
    for found in bounds(cell):
        assert (found[20:25] == 0).all() and (np.ptp(found[:20], axis=1) > 0).all()
    tiny = check_data(np.vstack([np.full((1, 5), 5e-324), np.zeros((1, 5))]))
    assert Moving(problem, tiny)._known.zeros.tolist() == [1]
    assert Moving(problem, check_data(sparse.csr_array(tiny.rows()[1][0])))._known.zeros.tolist() == [1]


def test_a_level_leaves_out_only_what_it_may():
    """With a level, rows are tightened or left as they are; those known to be on one side of it are left."""
    problem, held = posed(pragam.hinge, 10, True, n=2000, d=20, lam=1e-3)
    moving, gained = Moving(problem, held), 0
    cell = moving.cell(pair_at(moving, problem.lam), pair_at(moving, 0.9 * problem.lam))
    ends, finer = bounds(cell)
    for level in np.quantile(ends, np.linspace(0.05, 0.95, 40)).tolist():
        found = cell.finer(np.arange(len(ends)), ends, level)
        same = (found == ends).all(axis=1)
        assert np.allclose(found[~same], finer[~same], rtol=1e-6, atol=1e-9)  # products of fewer rows round otherwise
        assert same[(ends[:, 0] > level) | (ends[:, 1] < level)].all()
        settled = [((each[:, 0] > level) | (each[:, 1] < level)).sum() for each in (ends, found, finer)]
        assert settled[0] <= settled[1] <= settled[2]
        gained += settled[1] - settled[0]
    assert gained > 0
    some = np.array([3, 1])
    assert cell.finer(some, ends[some]).shape == (2, 2) and cell.finer(some[:0], ends[:0]).shape == (0, 2)


def test_wide_sparse_rows_have_the_anchor_alone():
    rng = np.random.default_rng(11)
    X = sparse.random_array((60, 5000), density=0.01, rng=rng, format="csr")
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    problem = pragam.hinge(X, y, 1e-3)
    moving = Moving(problem, check_data(X))
    ends, finer = bounds(moving.cell(pair_at(moving, 1e-3, 1e-6), pair_at(moving, 9e-4, 1e-6)))
    assert np.isfinite(ends).all() and np.array_equal(ends, finer)


def test_what_has_no_cells_is_refused_in_a_sentence():
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((12, 2)), np.arange(12) % 3
    held = check_data(X)
    for problem, word in (
        (pragam.ordinal_hinge(X, y, 0.1), "several"),
        (pragam.multiclass_hinge(X, y, 0.1), "one score"),
    ):
        assert word in Moving.refusal(problem)
        with pytest.raises(ValueError, match=word):
            Moving(problem, held)
    problem = pragam.hinge(X, y > 0, 0.1)
    assert Moving.refusal(problem) is None
    moving = Moving(problem, held)
    with pytest.raises(ValueError, match="columns"):
        Moving(problem, check_data(X[:, :1]))
    first, last, other = (pair_at(moving, lam) for lam in (0.1, 0.05, 0.02))
    with pytest.raises(ValueError, match="between"):
        moving.between(first, last, 0.03)
    with pytest.raises(ValueError, match="same two pairs"):
        moving.cell(moving.between(first, last, 0.07), other)
    with pytest.raises(ValueError, match="different lams"):
        moving.cell(first, pair_at(moving, 0.1, 1e-3))
    with pytest.raises(ValueError, match="at another lam"):
        moving.pair(pragam.hinge(X, y > 0, 0.1), first.w, first.start[1], pragam.certify(problem, first.w))


def test_a_pair_without_a_proof_says_nothing():
    problem, held = posed(pragam.hinge, 13, True)
    moving = Moving(problem, held)
    first, last = pair_at(moving, problem.lam), pair_at(moving, 0.9 * problem.lam)
    forged = pragam.certify(problem, first.w, first.start[1])
    object.__setattr__(forged, "rigorous", False)
    no = moving.pair(problem, first.w, first.start[1], forged)
    for cell in (moving.cell(no, no), moving.cell(no, last)):
        assert cell.radius == inf and all((np.abs(found) == inf).all() for found in bounds(cell))


def test_a_solve_starts_from_a_knot():
    problem, held = posed(pragam.hinge, 14, True, n=2000)
    moving = Moving(problem, held)
    knot = moving.between(pair_at(moving, problem.lam), pair_at(moving, 0.98 * problem.lam), 0.99 * problem.lam)
    at = problem.at(knot.lam)
    w, alpha = knot.start
    assert 0 < pragam.certify(at, w, alpha).relative_gap < 1e-2
    assert pragam.solve(at, tol=1e-9, start=knot.start).status.name == "CONVERGED"


def test_a_cell_between_points_so_far_apart_that_squares_overflow():
    """|c_1 - c_2|^2 is no float64. The bend is below 0 then, and what is said stays true."""
    problem = pragam.hinge(np.array([[1e150], [-1e150], [5e149]]), np.array([1, -1, -1]), 1e300, bias=False)
    moving = Moving(problem, problem.A.storage)

    def pair(lam, w):
        at, alpha = problem.at(lam), np.zeros(3)
        return moving.pair(at, w, alpha, pragam.certify(at, w, alpha))

    for far in (1e150, 1e154, 1e160):
        cell = moving.cell(pair(1e300, np.zeros(1)), pair(5e299, np.array([far])))
        low, high = cell.ends().T
        assert (low <= 0).all() and (high >= 0).all()  # |w*| is below 1e-150 at both


@pytest.mark.parametrize("build", MARGINS, ids=lambda build: build.__name__)
def test_a_bias_that_is_known_on_one_side_alone(build):
    """All rows with a weight have one label: w* = 0, and every b >= 1 is best at every lam."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), np.repeat([1.0, -1.0], 15)
    problem = build(X, y, 1.0, sample_weight=(y > 0).astype(float))
    moving = Moving(problem, check_data(X))
    low, high = moving.cell(pair_at(moving, 1.0), pair_at(moving, 0.1)).ends().T
    assert (low > 0.999).all() and (low <= 1).all() and (high == inf).all()
    result = pragam.solve(problem, tol=1e-9)
    low, high = region(problem, result.w, result.alpha, result.certificate).decisions(check_data(X))[:, 0].T
    assert (low > 0.999).all() and (low <= 1).all() and (high == inf).all()
