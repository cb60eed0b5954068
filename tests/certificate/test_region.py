"""Where a region says that every optimum is, it is: judged in rational arithmetic against rational optima."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import pragam
from exact_judge import exact_optimum
from exact_place import exact_place, near, rows_of
from hostile import HOSTILE, hostile
from polytopes.strategies import boxes, exact, exact_dot, vectors
from pragam.certificate.anchors import anchors, mean_anchors
from pragam.certificate.distances import of_duals, of_rows
from pragam.certificate.kinks import has_kinks, kinks
from pragam.certificate.optimum import neighbourhood
from pragam.certificate.region import Region, region
from pragam.certificate.sphere import sphere
from pragam.operators import ScaledRows, check_data
from pragam.operators.storage import Standardized, WithConstant
from pragam.operators.storage.standardized import ColumnMap
from pragam.polytopes import BoxPlane
from problem_strategies import problems, problems_on_planes
from risk_zoo import RISKS

ZERO = Fraction(0)


def judged(problem, place: Region, w, biases, X):
    """Assert all that the region says; the number of finite statements."""
    centre = [exact(row) for row in place.centre]
    z = [a - b for a, b in zip(w, (x for row in centre for x in row), strict=True)]
    said = 0
    if place.reach < inf:
        assert exact_dot(z, z) <= Fraction(place.reach) ** 2
        said += 1
    ends = biases or [(ZERO, ZERO)]
    points = [exact(p) for p in place.anchor] or [[ZERO] * len(z)] * len(ends)
    for point, low, high, (least, most) in zip(points, place.low.tolist(), place.high.tolist(), ends, strict=True):
        off = exact_dot(point, z)
        assert low == -inf or (least > -inf and Fraction(low) <= least + off)
        assert high == inf or (most < inf and most + off <= Fraction(high))
        said += low > -inf and high < inf
    if len(place.kinks):
        for b in ends[0]:
            o = b + exact_dot(points[0], z)
            rows = [exact(row) for row in place.kinks]
            assert sum(abs(exact_dot(row, [*z, o, 1])) for row in rows) <= 1
        said += 1
    rows = rows_of(X)
    for found in (place.decisions(X), place.combined(X)):
        if found is None:
            continue
        assert found.shape == (len(rows), len(ends), 2)
        for row, intervals in zip(rows, found.tolist(), strict=True):
            score = exact_dot(row, w)
            for (low, high), (least, most) in zip(intervals, ends, strict=True):
                assert low == -inf or (least > -inf and Fraction(low) <= score + least)
                assert high == inf or (most < inf and score + most <= Fraction(high))
    return said


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(problems(boxes()), problems_on_planes()), st.sampled_from([0, 50, 30, 20, 10, 5, 3, 1, None]), st.data()
)
def test_all_that_a_region_says_is_true_of_the_rational_optimum(posed, nearness, data):
    problem, member, anywhere = posed
    w, biases = exact_place(problem)
    noise = data.draw(vectors(len(w)))
    v, alpha = near(problem, np.array(w, dtype=float), nearness, member, anywhere, noise)
    certificate = pragam.certify(problem, v, alpha)
    X = check_data(data.draw(vectors(3 * len(w))).reshape(3, -1) * 2.0 ** data.draw(st.integers(-3, 3)))
    judged(problem, region(problem, v, alpha, certificate), w, biases, X)


BOXED = [name for name in RISKS if not name.startswith("multi")]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", BOXED)
def test_every_risk_at_every_gap(name, bias):
    """Weights, duplicated rows, rows of zeros and ties; and something is said, with kinks, of near solutions."""
    if name.startswith("ordinal") and not bias:
        return
    finite, with_kinks = 0, 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        problem = RISKS[name](rng, bias, bool(seed % 2)).problem
        w, biases = exact_place(problem)
        d = len(w)
        X = np.vstack([rng.standard_normal((3, d)), np.zeros(d), 100 * rng.standard_normal((2, d)), np.ones(d)])
        for tol in (0.3, 1e-2, 1e-3, 1e-6, 1e-10):
            result = pragam.solve(problem, str(rng.choice(["auto", "newton"])), tol=tol)
            place = region(problem, result.w, result.alpha, result.certificate)
            finite += judged(problem, place, w, biases, check_data(X))
            with_kinks += len(place.kinks) > 0
    assert finite >= 8
    assert with_kinks or problem.n_biases > 1


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_false_bound_on_hostile_data(kind, bias):
    """Also of pairs that no solver made: w far from w(alpha), alpha from anywhere in Q."""
    said = 0
    for seed in range(8):
        X, y, lam, weights = hostile(kind, seed)
        rng = np.random.default_rng(100 + seed)
        store = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array][seed % 4]
        problem = pragam.hinge(store(X), y, lam, bias=bias, sample_weight=weights)
        w, biases = exact_place(problem)
        for tol in (1e-1, 1e-4, 1e-9):
            result = pragam.solve(problem, tol=tol, max_seconds=5)
            t = float(rng.choice([0.0, 0.0, 1e-3, 0.1]))
            alpha = problem.domain.project((1 - t) * result.alpha + t * problem.domain.sample(rng))
            v = result.w * (1 + t * rng.standard_normal(len(w)))
            certificate = pragam.certify(problem, v, alpha)
            place = region(problem, v, alpha, certificate)
            said += judged(problem, place, w, biases, check_data(store(X)))
    assert said >= 8 or kind == "one class"


def test_the_parts_hold_apart():
    """The kink inequality with its T, the means of kinks, the order of all rows, and distances, in fractions."""
    asked = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, d = 9, 2
        X, y = np.rint(4 * rng.standard_normal((n, d))) / 4, np.where(rng.random(n) < 0.5, 1, -1)
        y[:2] = 1, -1
        problem = [pragam.hinge, pragam.squared_hinge, pragam.smoothed_hinge][seed % 3](X, y, 0.125)
        w, biases = exact_place(problem)
        result = pragam.solve(problem, tol=[1e-1, 1e-3, 1e-7][seed % 3])
        ball = sphere(problem, result.w, result.alpha, result.certificate)
        known, z = kinks(problem, ball), [a - b for a, b in zip(w, exact(ball.centre), strict=True)]
        sigma = exact(problem.B.sigma)
        for b in biases[0]:
            scores = [
                c + s * b + exact_dot(a, w)
                for a, s, c in zip(
                    [exact(-t * x) for t, x in zip(y, X, strict=True)], sigma, exact(problem.c), strict=True
                )
            ]
            terms = (
                Fraction(m) * abs(scores[j] - Fraction(bent))
                for j, m, bent in zip(known.rows.tolist(), known.most.tolist(), known.bent.tolist(), strict=True)
            )
            assert sum(terms, ZERO) <= Fraction(known.total)
            for found in (mean_anchors(problem, ball), anchors(problem, ball)):
                o = b + exact_dot(exact(found[0].point), z)
                assert found[0].low <= o <= found[0].high
        p = rng.standard_normal(d)
        for x, s, a, far, apart in zip(
            X, y, problem.B.sigma, of_duals(problem, [p]), of_rows(check_data(X), p), strict=True
        ):
            own = [-int(s) * u - Fraction(a) * v for u, v in zip(exact(x), exact(p), strict=True)]
            query = [u - v for u, v in zip(exact(x), exact(p), strict=True)]
            for difference, bound in ((own, far), (query, apart)):
                assert exact_dot(difference, difference) <= Fraction(bound) ** 2
                assert bound <= np.linalg.norm(np.array(difference, float)) + 1e-6
        asked += len(known.rows) > 0
    assert asked > 20


@pytest.mark.parametrize("scale", [1e-170, 1e-120, 1.0, 1e120, 1e170])
def test_distances_at_any_scale_and_of_any_storage(scale):
    rng = np.random.default_rng(0)
    X, p = scale * rng.standard_normal((40, 5)), scale * rng.standard_normal(5)
    X[:3] = p * np.array([[1.0], [1 + 1e-9], [0.0]])
    mean, factor = scale * rng.standard_normal(5), np.abs(rng.standard_normal(5))
    stores = [check_data(X), check_data(sparse.csr_array(X))]
    if scale < 1e150:
        stores.append(WithConstant(check_data(X), 2 * scale))
    if scale == 1.0:
        stores += [Standardized(check_data(data), ColumnMap(factor, mean)) for data in (X, sparse.csr_array(X))]
        stores.append(Standardized(check_data(X.astype(np.float32)), ColumnMap(factor)))
    for store in stores:
        q = np.append(p, 2.5 * scale) if isinstance(store, WithConstant) else p
        own = np.array([store.rmatvec(e) for e in np.eye(40)])
        true = [exact_dot(v, v) for v in ([a - b for a, b in zip(exact(x), exact(q), strict=True)] for x in own)]
        for bound, square, x in zip(of_rows(store, q), true, own, strict=True):
            size = np.sqrt(float(square / Fraction(scale) ** 2)) * scale
            both = np.linalg.norm(x / scale) * scale + np.linalg.norm(q / scale) * scale
            assert size * (1 - 1e-12) <= bound <= (size + 1e-6 * both if 1e-150 < scale < 1e150 else 1.1 * both)


def test_a_problem_without_a_proof_has_no_region():
    problem = pragam.hinge(np.eye(3), np.array([1, -1, 1]), lam=0.1)
    place = region(problem, np.zeros(3), np.zeros(3), pragam.certify(problem, np.zeros(3)))
    assert place.reach == inf and (place.low, place.high) == (-inf, inf) and not len(place.kinks)
    assert (np.abs(place.decisions(check_data(np.eye(3)))) == inf).all()


def test_a_plane_inside_the_set_leaves_no_kinks():
    """One row alone cannot move on the plane, so its room in the box says nothing."""
    X, y = np.array([[1.0], [-1.0], [0.5]]), np.array([1.0, -1.0, 1.0])
    Q = BoxPlane(np.zeros(3), np.full(3, 1 / 3), y)
    problem = pragam.Problem(ScaledRows(X, -y), np.ones(3), Q, 0.1)
    assert not has_kinks(problem) and has_kinks(pragam.hinge(X, y, 0.1))
    result = pragam.solve(problem, tol=1e-3)
    place = region(problem, result.w, result.alpha, result.certificate)
    best = pragam.solve(pragam.hinge(X, y, 0.1), tol=1e-12)
    assert not len(place.kinks) and abs(place.centre[0, 0] - best.w[0]) <= place.reach


def test_classes_have_the_sphere_alone():
    """Biases of several classes can all be moved; without them the sphere is half as large as the ball around w."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 3
    for bias in (False, True):
        problem = pragam.multiclass_hinge(X, y, 0.1, bias=bias)
        assert not has_kinks(problem)
        result = pragam.solve(problem, tol=1e-3, max_seconds=20)
        place = region(problem, result.w, result.alpha, result.certificate, rows=3)
        ball = neighbourhood(problem, result.w, result.certificate)
        assert place.centre.shape == (3, 3) and place.reach <= ball.radius / np.sqrt(2) * (1 + 1e-9)
        assert np.isfinite(place.decisions(check_data(X))).all() == (not bias)


def test_a_tight_pair_tells_far_more_than_the_ball():
    """With as many kinks as directions the room is of the order of the gap, that of the ball of its root."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 4))
    y = np.where(X @ rng.standard_normal(4) + 2 * rng.standard_normal(400) > 0, 1, -1)
    problem, store, found = pragam.hinge(X, y, 1e-3), check_data(X), []
    for tol in (1e-3, 1e-5):
        result = pragam.solve(problem, "dcd", tol=tol)
        place = region(problem, result.w, result.alpha, result.certificate)
        ball = neighbourhood(problem, result.w, result.certificate).decisions(store, result.w)
        widths = [np.median(np.ptp(ends, axis=-1)) for ends in (ball, place.decisions(store), place.combined(store))]
        assert widths[1] < 0.5 * widths[0] and widths[2] < 0.3 * widths[1]
        found.append(widths)
    (ball, _, by_kinks), (smaller, _, by_fewer) = found
    assert smaller > 0.1 * ball and by_fewer < 0.04 * by_kinks  # the gap fell to a hundredth, its root to a tenth


def test_optima_by_brute_force_are_inside():
    """min J of the problem with the score of a row held at an end of its interval, or beyond, is no less than min J."""
    rng = np.random.default_rng(2)
    X, y = np.rint(2 * rng.standard_normal((8, 2))), np.array([1, -1] * 4)
    problem = pragam.hinge(X, y, 0.25)
    best = exact_optimum(problem)
    result = pragam.solve(problem, tol=1e-2)
    place = region(problem, result.w, result.alpha, result.certificate)
    ends = place.decisions(check_data(X))[:, 0]
    grid = [np.linspace(-3, 3, 25)] * 3
    points = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 3)
    values = 0.125 * (points[:, :2] ** 2).sum(axis=1)
    scores = points[:, :2] @ X.T + points[:, 2:]
    values += np.maximum(0, 1 - y * scores).mean(axis=1)
    near_best = scores[values <= float(best) + 1e-9]
    assert (ends[:, 0] <= near_best).all() and (near_best <= ends[:, 1]).all()


def test_squares_that_underflow_before_the_curvature_multiplies_them_are_counted():
    """kappa m^2 of the third row is of the size of the gap, and m^2 below float64."""
    weights, y = [0.0, 1.0, 1e-170, 1e-268], np.array([1, -1, 1, -1])
    problem = pragam.smoothed_hinge(np.zeros((4, 1)), y, 1.0, bias=True, sample_weight=weights)
    upper, w = problem.Q.upper, np.zeros(1)
    alpha = np.array([0.0, upper[2] / 2, upper[2] / 2, upper[3]])
    place = region(problem, w, alpha, pragam.certify(problem, w, alpha))
    low, high = place.decisions(problem.A.storage)[0, 0].tolist()
    _, ((least, most),) = exact_place(problem)
    assert Fraction(low) <= least and most <= Fraction(high)
