"""Sets that are products of blocks: a vertex of one block, some blocks alone, and how the prox point moves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pragam.polytopes import Box, BoxPlane

from .zoo import ZOO

PRODUCTS = [name for name, Q in ZOO.items() if hasattr(Q, "n_blocks") and not isinstance(Q, BoxPlane)]
SEEDS = range(8)


def scores(Q, seed):
    rng = np.random.default_rng(seed)
    s = 10.0 ** rng.uniform(-1, 1) * rng.standard_normal(Q.size)
    return np.round(s) if seed % 2 else s


@pytest.fixture(params=PRODUCTS)
def product(request):
    return ZOO[request.param]


def test_the_vertices_of_the_blocks_are_a_vertex(product):
    starts = product.starts
    assert len(starts) == product.n_blocks + 1 and starts[0] == 0 and starts[-1] == product.size
    for seed in SEEDS:
        s = scores(product, seed)
        if np.isinf(product.support(s)):
            continue
        blocks = [product.maximise_block(k, s[a:b]) for k, (a, b) in enumerate(pairwise(starts))]
        np.testing.assert_array_equal(np.concatenate([*blocks, []]), product.maximise_linear(s), err_msg=f"seed {seed}")


def test_some_blocks_are_a_set_of_their_own(product):
    """Projections of all blocks at once are those of each; a set that has grown is a scaled one."""
    rng, starts = np.random.default_rng(0), product.starts
    some = rng.permutation(product.n_blocks)[: product.n_blocks // 2 + 1]
    places = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in some] + [np.empty(0, int)]).astype(int)
    part = product.take(some)
    assert part.size == len(places) and part.n_blocks == len(some)
    for seed in SEEDS:
        v = scores(product, seed)
        np.testing.assert_array_equal(part.project(v[places]), product.project(v)[places])
        grown = product.take(some, growth=4.0)  # a power of two: nothing rounds
        np.testing.assert_array_equal(grown.project(4 * v[places]), 4 * part.project(v[places]))


@pytest.mark.parametrize("kappa", [0.25, 3.0])
def test_the_derivative_is_that_of_the_prox_point(product, kappa):
    """At points where the same entries stay positive and free on both sides of a small step."""
    n_tested = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        s, t = rng.standard_normal((2, product.size))
        step = 1e-6
        ends = [product.prox(s + side * step * t, kappa) for side in (-1, 1)]
        alpha = product.prox(s, kappa)
        if not all(np.array_equal(_face(product, alpha), _face(product, end)) for end in ends):
            continue
        n_tested += 1
        quotient = (ends[1] - ends[0]) / (2 * step)
        np.testing.assert_allclose(product.derivative(alpha, kappa, t), quotient, atol=1e-8, err_msg=f"seed {seed}")
    assert n_tested > 30


def _face(Q, alpha):
    """Which entries are at a bound, and which sums of blocks."""
    if isinstance(Q, Box):
        return np.stack([alpha <= Q.lower, alpha >= Q.upper])
    full = np.add.reduceat(alpha, Q.starts[:-1]) >= (2 if hasattr(Q, "wrong") else 1) * Q.totals * (1 - 1e-12)
    return np.concatenate([alpha > 0, full])


def test_the_derivative_is_symmetric_positive_and_at_most_one_over_kappa(product):
    """At any point of the set, kinks included: vertices, faces, and sums that are just full."""
    kappa = 0.5
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 1])
        for alpha in (
            product.sample(rng),
            product.prox(scores(product, seed), kappa),
            product.project(np.zeros(product.size)),
        ):
            jacobian = np.array([product.derivative(alpha, kappa, e) for e in np.eye(product.size)]).reshape(
                (product.size,) * 2
            )
            np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-14)
            values = np.linalg.eigvalsh(jacobian)
            assert np.all(values >= -1e-14) and np.all(values <= (1 + 1e-14) / kappa)


def test_a_box_has_a_curvature_for_each_coordinate():
    Q, kappa = Box([0.0, -1.0, 2.0, 0.0], [1.0, 1.0, 2.0, np.inf]), np.array([1.0, 4.0, 0.0, 2.0])
    t = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(Q.derivative(np.array([0.5, 0.5, 2.0, 9.0]), kappa, t), [1.0, 0.5, 0.0, 2.0])
    np.testing.assert_array_equal(Q.derivative(np.array([0.0, 1.0, 2.0, 0.0]), kappa, t), 0.0)
