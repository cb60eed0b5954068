"""What a certificate says of the optimum holds for the exact one, by rational arithmetic where that is possible."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import pragam
from exact_judge import exact_biases
from posed import posed
from pragam.certificate.optimum import Neighbourhood, bias_intervals, neighbourhood, radius, scores_near
from pragam.operators import ScaledRows, check_data
from pragam.polytopes import Box
from zoo import HINGE, hinge_case


def noisy(seed, n=60, d=5, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d) + offset
    return X, np.where(X[:, 0] - offset + 0.5 * rng.standard_normal(n) > 0, 1, -1), 10.0 ** rng.uniform(-4, 0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-4, 1e-8])
def test_the_optimum_is_where_rough_certificates_say(bias, tol):
    for seed in range(15):
        X, y, lam = noisy(seed, offset=10.0 * (seed % 3))
        problem = pragam.hinge(X, y, lam, bias=bias)
        rough, fine = (pragam.solve(problem, s, tol=t) for s, t in (("newton", tol), ("auto", 1e-12)))
        near, known = (neighbourhood(problem, r.w, r.certificate) for r in (rough, fine))
        assert np.linalg.norm(rough.w - fine.w) <= near.radius + known.radius
        # Both intervals hold every optimal bias, so they meet.
        assert near.low <= known.high and known.low <= near.high
        storage = check_data(X)
        wide, narrow = (n.decisions(storage, r.w) for n, r in ((near, rough), (known, fine)))
        assert (wide[..., 0] <= narrow[..., 1]).all() and (narrow[..., 0] <= wide[..., 1]).all()


@pytest.mark.parametrize("variant", HINGE)
def test_bounds_of_finer_proofs_lie_closer(variant):
    case = hinge_case(variant, True, 0)
    widths = []
    for tol in (1e-2, 1e-5, 1e-8):
        result = pragam.solve(case.problem, "newton", tol=tol)
        near = neighbourhood(case.problem, result.w, result.certificate)
        widths.append(near.high - near.low)
        assert near.low <= result.bias <= near.high
    assert widths[2] <= widths[0]


def test_two_points_have_a_known_optimum():
    """x = 3 and x = 1 with labels +1 and -1: w* = 1, b* = -2 if lam is small; any b in an interval if w = 0 is best."""
    X, y = np.array([[3.0], [1.0]]), np.array([1, -1])
    result = pragam.solve(pragam.hinge(X, y, lam=1e-3), tol=1e-3)
    near = neighbourhood(pragam.hinge(X, y, lam=1e-3), result.w, result.certificate)
    assert abs(result.w[0] - 1) <= near.radius and near.low <= -2 <= near.high
    bounds = near.decisions(check_data(X), result.w)[:, 0]
    assert (bounds[:, 0] <= [1, -1]).all() and (bounds[:, 1] >= [1, -1]).all()
    flat = pragam.hinge(X, y, lam=1e3)
    result = pragam.solve(flat, tol=1e-9)
    near = neighbourhood(flat, result.w, result.certificate)
    assert near.low <= -0.99 and near.high >= 0.99  # w* is all but 0, and every b in between costs the same


def test_one_class_leaves_the_bias_open_on_one_side():
    problem = pragam.hinge(np.eye(3), np.ones(3), lam=0.1)
    result = pragam.solve(problem, tol=1e-6)
    near = neighbourhood(problem, result.w, result.certificate)
    assert near.high == np.inf and near.low <= 1.0
    assert (near.decisions(check_data(np.eye(3)), result.w)[..., 1] == np.inf).all()


def test_without_a_proof_nothing_is_said():
    problem = pragam.hinge(np.eye(3), np.array([1, -1, 1]), lam=0.1)
    certificate = pragam.certify(problem, np.zeros(3))
    assert radius(certificate, 0.1) == np.inf
    assert bias_intervals(problem, np.zeros(3), certificate) == (-np.inf, np.inf)


SMALL = {
    "hinge": lambda X, y, lam, rng: pragam.hinge(X, y > 0, lam, sample_weight=rng.exponential(size=len(y))),
    "squared": lambda X, y, lam, rng: pragam.squared_hinge(X, y > 0, lam, sample_weight=rng.exponential(size=len(y))),
    "smoothed": lambda X, y, lam, rng: pragam.smoothed_hinge(X, y > 0, lam, gamma=float(rng.choice([0.05, 0.5, 2.0]))),
    "quantile": lambda X, y, lam, rng: pragam.quantile(X, y + rng.standard_normal(len(y)), lam, q=0.3),
    "ordinal, all": lambda X, y, lam, rng: pragam.ordinal_hinge(X, y, lam),
    "ordinal, immediate": lambda X, y, lam, rng: pragam.ordinal_hinge(X, y, lam, thresholds="immediate"),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_exact_optimum_is_where_certificates_say(name):
    """Weights and all best biases of each plane, in fractions, for rough and fine solutions."""
    finite = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.r_[0, 1, 2, rng.integers(0, 3, 4)]
        X = y[:, None] * rng.choice([0.3, 1.0]) + rng.standard_normal((7, 2))
        problem = SMALL[name](X, y, float(10 ** rng.uniform(-2, 0)), rng)
        w, biases = exact_biases(problem)
        assert len(biases) == problem.n_biases
        for tol in (0.3, 1e-3, 1e-9):
            result = pragam.solve(problem, tol=tol)
            near = neighbourhood(problem, result.w, result.certificate)
            off = sum((Fraction(a) - b) ** 2 for a, b in zip(result.w.tolist(), w, strict=True))
            assert off <= Fraction(near.radius) ** 2, (seed, tol)
            for low, high, (least, most) in zip(near.low.tolist(), near.high.tolist(), biases, strict=True):
                assert low <= least <= most <= high, (seed, tol)
                finite += tol == 1e-9 and high - low < 10 + 2 * float(most - least)
            bounds = near.decisions(check_data(X), result.w)
            assert bounds.shape == (7, problem.n_biases, 2)
            for row, ends in zip(X.tolist(), bounds.tolist(), strict=True):
                score = sum(Fraction(x) * v for x, v in zip(row, w, strict=True))
                for (low, high), (least, most) in zip(ends, biases, strict=True):
                    assert low <= score + least and score + most <= high, (seed, tol)
    assert finite >= 8


@pytest.mark.parametrize("squared", [True, False])
def test_intervals_of_smooth_risks_shrink_to_a_point(squared):
    X, y, _ = noisy(0)
    risk = pragam.squared_hinge if squared else pragam.smoothed_hinge
    problem = risk(X, y, 0.1)
    widths = []
    for tol in (1e-2, 1e-6, 1e-11):
        result = pragam.solve(problem, tol=tol)
        near = neighbourhood(problem, result.w, result.certificate)
        assert near.low[0] <= result.bias <= near.high[0]
        widths.append(float(near.high[0] - near.low[0]))
    assert widths[0] >= widths[1] >= widths[2] and widths[2] < 1e-3


def test_a_smooth_risk_of_one_class_is_open_on_one_side():
    problem = pragam.squared_hinge(np.eye(3), np.ones(3), lam=0.1)
    near = neighbourhood(problem, np.zeros(3), pragam.certify(problem, np.zeros(3), np.zeros(3), bias=2.0))
    assert near.high[0] == np.inf
    near = neighbourhood(problem, np.full(3, 1e-3), pragam.certify(problem, np.full(3, 1e-3), np.zeros(3)))
    assert near.high[0] == np.inf and near.low[0] <= 1.0


def test_biases_of_classes_can_all_be_moved():
    """So no certificate bounds one of them."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 3
    problem = pragam.multiclass_hinge(X, y, 0.1, bias=True)
    result = pragam.solve(problem, tol=1e-4, max_seconds=20)
    moved = problem.primal(result.w, result.biases + 5.0)
    assert moved == pytest.approx(problem.primal(result.w, result.biases), rel=1e-12)
    near = neighbourhood(problem, result.w, result.certificate)
    assert (near.low == -np.inf).all() and (near.high == np.inf).all() and len(near.low) == 3
    assert near.decisions(check_data(X), result.w).shape == (30, 3, 2)


def test_scores_of_a_point_are_within_their_room():
    """Without a radius the room is that of rounding alone, where the terms of a score all but cancel."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, w = rng.standard_normal((30, 6)), rng.standard_normal(6)
        X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
        exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in X.tolist()]
        problem = posed(ScaledRows(X, np.ones(30)), np.zeros(30), Box(np.zeros(30), np.ones(30)), 1.0)
        s, room = scores_near(problem, w, 0.0)
        ends = Neighbourhood(0.0, np.zeros(1), np.zeros(1)).decisions(check_data(X), w)[:, 0]
        assert (room <= 1e-14 * np.linalg.norm(X, axis=1) * np.linalg.norm(w)).all(), f"seed {seed}"
        for true, value, near, (low, high) in zip(exact, s.tolist(), room.tolist(), ends.tolist(), strict=True):
            assert abs(true - Fraction(value)) <= Fraction(near), f"seed {seed}"
            assert low <= true <= high, f"seed {seed}"


def test_boxes_of_both_signs():
    """Quantile regression: alpha in [(q - 1)/n, q/n], and the best bias of w = 0 is the quantile of the targets."""
    rng = np.random.default_rng(0)
    n, q = 200, 0.3
    X, t = 1e-3 * rng.standard_normal((n, 2)), rng.standard_normal(n)
    A = pragam.operators.ScaledRows(X, -np.ones(n))
    Q = pragam.polytopes.BoxPlane(np.full(n, (q - 1) / n), np.full(n, q / n), np.ones(n))
    problem = posed(A, t, Q, lam=10.0)
    result = pragam.solve(problem, tol=1e-9)
    near = neighbourhood(problem, result.w, result.certificate)
    assert near.low <= np.quantile(t, q) <= near.high
    assert near.high - near.low < 1.0
    without = neighbourhood(posed(A, t, Box(Q.lower, Q.upper), 10.0), result.w, result.certificate)
    assert (without.low, without.high) == (0.0, 0.0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_an_estimators_bounds_hold_for_a_finer_fit(n_classes, store):
    X, _, _ = noisy(3, n=90, d=4)
    y = np.digitize(X[:, 0], np.linspace(-2, 2, n_classes + 1)[1:-1])
    rough, fine = (pragam.LinearSVC(C=0.5, solver="newton", tol=tol) for tol in (1e-3, 1e-11))
    rough.fit(store(X), y)
    fine.fit(store(X), y)
    bounds, finer = rough.decision_bounds(store(X)), fine.decision_bounds(store(X))
    assert bounds.shape == ((90, 2) if n_classes == 2 else (90, 3, 2))
    values = rough.decision_function(store(X))
    assert (bounds[..., 0] <= values).all() and (values <= bounds[..., 1]).all()
    assert (bounds[..., 0] <= finer[..., 1]).all() and (finer[..., 0] <= bounds[..., 1]).all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rough)).decision_bounds(store(X)), bounds)
