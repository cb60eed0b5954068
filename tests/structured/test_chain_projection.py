"""The nearest marginals of a chain: against an interior-point solver, by their optimality, and at the edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clarabel_qp import solve_qp
from pragam import _kernels
from pragam._kernels import twins
from pragam.structured import project_chain


def tables(T, K, scale=1.0, seed=0):
    return scale * np.random.default_rng(seed).standard_normal((T, K, K))


def residual(alpha):
    """How far the tables are from marginals."""
    flow = [np.abs(one.sum(axis=0) - two.sum(axis=1)).max() for one, two in pairwise(alpha)]
    return max([-min(alpha.min(), 0.0), np.abs(alpha.sum(axis=(1, 2)) - 1).max(), *flow])


def best_score(s):
    """max over labellings of the sum of s_t(y_t, y_{t+1})."""
    value = np.zeros(s.shape[-1])
    for table in s[::-1]:
        value = (table + value).max(axis=1)
    return value.max()


def excess(m, alpha, d=1.0):
    """How much the variational inequality <d^2 (m - alpha), v - alpha> <= 0 fails at the worst labelling v."""
    s = np.broadcast_to(np.asarray(d, float) ** 2, len(m))[:, None, None] * (m - alpha)
    return best_score(s) - float((s * alpha).sum())


def by_interior_point(m, d):
    """The projection as a quadratic program."""
    T, K = m.shape[:2]
    rows, right = [], []
    for t in range(T):
        row = np.zeros(m.shape)
        row[t] = 1
        rows.append(row.ravel())
        right.append(1.0)
    for t in range(T - 1):
        for j in range(K):
            row = np.zeros(m.shape)
            row[t, :, j] = 1
            row[t + 1, j, :] -= 1
            rows.append(row.ravel())
            right.append(0.0)
    weight = np.repeat(d**2, K * K)
    size = m.size
    # One normalisation follows from the others; the solver does not mind.
    found = solve_qp(
        np.diag(weight), -weight * m.ravel(), -np.eye(size), np.zeros(size), np.array(rows), np.array(right)
    )
    return found.x.reshape(m.shape)


@pytest.mark.parametrize("T, K, scale", [(1, 3, 1.0), (2, 2, 0.3), (3, 4, 1.0), (6, 3, 3.0), (4, 5, 0.1)])
@pytest.mark.parametrize("seed", range(4))
def test_both_methods_agree_with_an_interior_point_solver(T, K, scale, seed):
    m = tables(T, K, scale, seed)
    d = np.exp(0.4 * np.random.default_rng(seed + 100).standard_normal(T))
    newton, alternating = project_chain(m, d), project_chain(m, d, "alternating", tol=1e-10)
    size = max(1.0, np.abs(m).max())  # the solver's accuracy is relative to it
    assert np.abs(newton - by_interior_point(m, d)).max() <= 1e-8 * size
    assert np.abs(newton - alternating).max() <= 1e-8


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 12),
    st.integers(1, 7),
    st.sampled_from([0.0, 1e-3, 0.3, 1.0, 30.0, 1e4, 1e8]),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_projection_is_feasible_and_meets_the_variational_inequality(T, K, scale, seed, is_rounded):
    m = tables(T, K, scale, seed)
    m = np.round(m) if is_rounded else m  # ties
    alpha = project_chain(m)
    rounding = 1e-11 * max(1.0, scale)
    assert residual(alpha) <= rounding
    assert excess(m, alpha) <= 1e-9 * max(1.0, scale) ** 2 * T
    assert np.abs(project_chain(alpha) - alpha).max() <= 1e-9 * max(1.0, scale)


def test_projections_do_not_expand_distances():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, two = rng.standard_normal((2, 5, 4, 4))
        apart = np.linalg.norm(project_chain(one) - project_chain(two))
        assert apart <= np.linalg.norm(one - two) + 1e-10


def test_a_batch_of_any_lengths_and_labels_is_its_chains_one_by_one():
    shapes = [(3, 4), (1, 4), (7, 2), (3, 4), (2, 5)]
    chains = [tables(T, K, seed=b) for b, (T, K) in enumerate(shapes)] + [np.array([0.2, 0.9, -1.0])]
    weights = [np.linspace(0.5, 2, T) for T, _ in shapes] + [np.empty(0)]
    together = project_chain(chains, weights)
    alone = [project_chain(m, d) for m, d in zip(chains, weights, strict=True)]
    assert all(np.array_equal(one, two) for one, two in zip(together, alone, strict=True))
    assert np.allclose(together[-1], [0.15, 0.85, 0.0])


def test_a_large_chain_makes_no_other_less_accurate():
    small, large = tables(6, 5, 0.5), tables(6, 5, 1e7, seed=1)
    assert np.array_equal(project_chain([small, large])[0], project_chain(small))


def test_a_start_from_far_away_is_left_and_overwritten():
    m, far = tables(4, 3), np.full((5, 3), 1e200)
    far[1:3] = -1e200
    assert np.abs(project_chain(m, start=far) - project_chain(m)).max() <= 1e-10
    assert np.abs(far).max() < 1e3


def test_threads_change_no_bit(monkeypatch):
    chains = [tables(8, 12, seed=b) for b in range(150)]  # enough entries for more than one
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("PRAGAM_NUM_THREADS", threads)
        answers.append(np.concatenate([alpha.ravel() for alpha in project_chain(chains)]))
    assert np.array_equal(*answers)


def test_forbidden_edges_get_no_mass():
    m = tables(5, 4, seed=3)
    m[1, 2, :] = -np.inf  # label 2 of node 1 leads nowhere: neither do the edges into it
    m[3, :, 0] = -np.inf
    alpha = project_chain(m)
    assert residual(alpha) <= 1e-11 and not alpha[0, :, 2].any() and not alpha[4, 0].any()
    allowed = np.where(np.isfinite(m), m, -1e3)  # too low to be worth an edge
    assert np.abs(alpha - project_chain(allowed)).max() <= 1e-9
    assert np.array_equal(project_chain(np.array([-np.inf, 3.0])), [0.0, 1.0])


def test_the_potentials_of_one_projection_start_the_next():
    m, u = tables(10, 26, 0.5), np.zeros((11, 26))
    cold = project_chain(m, start=u)
    assert np.abs(cold - project_chain(m)).max() <= 1e-10 and u.any()
    near = m + 1e-3 * tables(10, 26, seed=1)
    steps = []
    for start in (u.copy(), np.zeros_like(u)):
        taken, alpha = np.zeros(1, np.int64), np.empty(m.size)
        _kernels.get("chain_project")(
            near.ravel(), np.ones(10), np.array([10]), 26, bool(start.any()), np.array([1e-11]), 500, start.ravel(),
            alpha, taken, np.empty(1),
        )  # fmt: skip
        steps.append(int(taken[0]))
    assert steps[0] < steps[1]
    assert np.abs(project_chain(near, start=u) - project_chain(near)).max() <= 1e-9


@pytest.mark.parametrize("T, K, scale", [(1, 3, 1.0), (4, 1, 2.0), (3, 5, 1.0), (6, 8, 0.2), (5, 4, 100.0)])
def test_the_kernel_is_its_twin(T, K, scale):
    m, weight = tables(T, K, scale).ravel(), np.linspace(0.5, 2, T)
    found = []
    for project in (_kernels.get("chain_project"), twins.chain_project):
        u, alpha, steps, left = np.zeros((T + 1) * K), np.empty(m.size), np.zeros(1, np.int64), np.empty(1)
        project(m, weight, np.array([T]), K, False, np.array([1e-12 * max(scale, 1)]), 200, u, alpha, steps, left, 1)
        found.append((alpha, int(steps[0]), float(left[0])))
    assert np.abs(found[0][0] - found[1][0]).max() <= 1e-11 * max(scale, 1)
    assert abs(found[0][1] - found[1][1]) <= 1 and max(found[0][2], found[1][2]) <= 1e-12 * max(scale, 1)


BAD = {
    "m[0] must have the shape": {"m": np.zeros((2, 3))},
    "m[1] must have the shape": {"m": [np.zeros((2, 3, 3)), np.zeros((2, 3, 4))]},
    "m[0] contains NaN": {"m": np.full((1, 2, 2), np.nan)},
    "m[1] contains NaN or +infinity": {"m": [np.zeros(2), np.array([1.0, np.inf])]},
    "m[0] forbids every labelling": {"m": np.full((2, 2, 2), -np.inf)},
    "m[1] cannot be projected in float64": {"m": [np.zeros((1, 2, 2)), 1e14 * np.ones((2, 2, 2))]},
    "m[0] cannot be projected in float64": {"m": np.zeros((2, 2, 2)), "weights": np.array([1e-8, 1e8])},
    "m must be an array or a sequence": {"m": 3.0},
    "weights has 1 entries for 2": {"m": [np.zeros(2), np.zeros(3)], "weights": [np.empty(0)]},
    "weights[0] must hold 2 positive": {"m": np.zeros((2, 2, 2)), "weights": np.array([1.0, 0.0])},
    "start[0] must be a writeable": {"m": np.zeros((2, 2, 2)), "start": np.zeros((2, 2))},
    "method must be one of": {"m": np.zeros((2, 2, 2)), "method": "median"},
    "tol must": {"m": np.zeros((2, 2, 2)), "tol": -1.0},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    with pytest.raises(ValueError) as refused:
        project_chain(**BAD[message])
    assert message in str(refused.value)


@pytest.mark.parametrize("factor", [0.3, 1.0, 1.7])
def test_a_warm_kernel_is_its_twin(factor):
    """Also where the tables have grown or shrunk since: the start is scaled first."""
    m, weight = tables(4, 5, 0.7, seed=5), np.linspace(0.5, 2, 4)
    start, found, scaled = np.zeros((5, 5)), [], []
    project_chain(m, np.sqrt(weight), start=start)
    near = factor * m + 1e-2 * tables(4, 5, seed=6)
    for project in (_kernels.get("chain_project"), twins.chain_project):
        for most, out in ((0, scaled), (200, found)):
            u, alpha, steps, left = start.ravel().copy(), np.empty(m.size), np.zeros(1, np.int64), np.empty(1)
            project(near.ravel(), weight, np.array([4]), 5, True, np.array([1e-12]), most, u, alpha, steps, left, 1)
            out.append((alpha, u, int(steps[0])))
    assert np.allclose(scaled[0][1], scaled[1][1], rtol=1e-12, atol=0)
    assert np.abs(found[0][0] - found[1][0]).max() <= 1e-11 and abs(found[0][2] - found[1][2]) <= 1
    assert np.abs(found[0][0] - project_chain(near, np.sqrt(weight)).ravel()).max() <= 1e-10
