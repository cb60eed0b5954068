"""The compiled passes equal their twins."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins

pytestmark = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
SIZES = [0, 1, 2, 63, 64, 65, 1023, 1025, 5000]


def both(name, *arguments):
    return _kernels.get(name)(*arguments), getattr(twins, name)(*arguments)


def columns(n: int, seed: int, constant: bool):
    """(m, lower, upper, sigma, d) with ties, zero widths, infinite bounds and zero sigma, or constant."""
    rng = np.random.default_rng([n, seed])
    m = np.round(rng.standard_normal(n), 1)
    if constant:
        return m, np.array([-0.5]), np.array([0.7]), np.array([-1.0]), np.array([1.0])
    lower = rng.choice([-np.inf, -1.0, 0.0, 0.2], n)
    upper = np.where(lower > -1, lower, 0.0) + rng.choice([0.0, 0.5, 1.0, np.inf], n)
    return m, lower, upper, rng.choice([-1.0, 0.0, 1.0, 0.3], n), rng.choice([0.5, 1.0, 2.0], n)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("t", [-0.4, 0.0, 1e-3, 7.0])
def test_passes(n, constant, t):
    data = columns(n, 0, constant)
    for every in (1, 3):
        np.testing.assert_allclose(*both("box_plane_sums", *data, t, every), rtol=1e-13, atol=1e-13 * n)
    outs = np.empty(n), np.empty(n)
    sums = _kernels.get("box_plane_point")(*data, t, outs[0]), twins.box_plane_point(*data, t, outs[1])
    np.testing.assert_allclose(*sums, rtol=1e-13, atol=1e-13 * n)
    np.testing.assert_array_equal(*outs)
    for forward in (True, False):
        for after in (t, np.inf, -np.inf):
            ours, theirs = both("box_plane_kink", *data, after, forward)
            assert ours == theirs


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("constant", [False, True])
def test_range_and_support(n, constant):
    s, lower, upper, sigma, _ = columns(n, 1, constant)
    np.testing.assert_allclose(*both("box_plane_range", lower, upper, sigma, n), rtol=1e-13, atol=1e-13 * n)
    mixed = np.where(np.arange(s.size) % 3, 0.5, 0.0)
    for b, kappa in ((0.0, np.zeros(1)), (0.3, np.zeros(1)), (0.3, np.full(1, 0.5)), (0.3, mixed)):
        np.testing.assert_allclose(*both("box_plane_support", s, lower, upper, sigma, b, kappa), rtol=1e-13)


@pytest.mark.parametrize(
    "bad",
    [
        (2.0, 1.0, 1.0),
        (np.nan, 1.0, 1.0),
        (0.0, np.nan, 1.0),
        (0.0, 1.0, np.nan),
        (0.0, 1.0, np.inf),
        (np.inf, np.inf, 1.0),
        (-np.inf, -np.inf, 1.0),
    ],
)
def test_range_sees_invalid_rows(bad):
    lower, upper, sigma = np.zeros(100), np.ones(100), np.ones(100)
    lower[70], upper[70], sigma[70] = bad
    ours, theirs = both("box_plane_range", lower, upper, sigma, 100)
    assert ours[-1] is theirs[-1] is False


@pytest.mark.parametrize("n", SIZES)
def test_bias(n):
    for seed in range(5):
        rng = np.random.default_rng([n, seed, 2])
        s, lower, upper, sigma, _ = columns(n, seed, constant=False)
        finite = np.where(np.isfinite(lower), lower, -2.0), np.where(np.isfinite(upper), upper, 3.0)
        low, high, *_ = twins.box_plane_range(*finite, sigma, n)
        for z in (low, high, 0.5 * (low + high), rng.uniform(low, high) if low < high else low):
            for box in (finite, (lower, upper)):
                ours, theirs = both("box_plane_bias", s, *box, sigma, z)
                assert ours == theirs, f"seed {seed}"


def test_columns_of_a_wrong_length_are_refused():
    with pytest.raises(ValueError, match="length 1"):
        _kernels.get("box_plane_sums")(np.zeros(3), np.zeros(2), np.ones(1), np.ones(1), np.ones(1), 0.0, 1)


@pytest.mark.parametrize("order", ["random", "sorted", "tied", "misleading"])
def test_bias_of_many_rows(order):
    n = 40_000
    rng = np.random.default_rng(4)
    s = {
        "random": rng.standard_normal(n),
        "sorted": np.sort(rng.standard_normal(n)),
        "tied": np.round(rng.standard_normal(n)),
        "misleading": np.where(np.arange(n) % (n // 1024) == 0, 5.0 + rng.random(n), rng.standard_normal(n)),
    }[order]
    lower, upper, sigma = np.zeros(n), rng.integers(1, 4, n) / 4, rng.choice([-1.0, 1.0], n)
    low, high, *_ = twins.box_plane_range(lower, upper, sigma, n)
    for share in (0.0, 1e-3, 0.3, 0.5, 0.999, 1.0):
        z = round((1 - share) * low + share * high)
        ours, theirs = both("box_plane_bias", s, lower, upper, sigma, z)
        assert ours == theirs
