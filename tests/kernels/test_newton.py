"""The kernels of the semismooth Newton method equal their NumPy twins, and do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

N, D = 40, 19
BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


def csr(seed, dtype, index, shuffled):
    """A CSR matrix, nearly dense or not; shuffled: entries of a row in any order, some indices twice."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((N, D), density=(0.2, 0.6)[seed % 2], rng=rng, format="csr")
    data, indices, indptr = X.data.astype(dtype), X.indices.astype(index), X.indptr.astype(np.int64)
    if shuffled:
        for i in range(N):
            part = slice(indptr[i], indptr[i + 1])
            indices[part] = rng.integers(0, D, indptr[i + 1] - indptr[i])
    dense = np.zeros((N, D))
    np.add.at(dense, (np.repeat(np.arange(N), np.diff(indptr)), indices), data)
    return (data, indices, indptr), dense


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_sum_of_outer_products(get, dtype, index, shuffled):
    for seed in range(5):
        rng = np.random.default_rng([seed, 1])
        arrays, dense = csr(seed, dtype, index, shuffled)
        rows = rng.choice(N, 12, replace=False).astype(np.int64)
        weights = rng.standard_normal(12)
        before = np.triu(rng.standard_normal((D, D)))
        gram = before.copy()
        get("csr_gram_add")(*arrays, rows, weights, D, gram.reshape(-1))
        expected = before + np.triu((dense[rows].T * weights) @ dense[rows])
        assert np.allclose(np.triu(gram), expected, rtol=1e-12, atol=1e-12)


@compiled
@pytest.mark.parametrize("d", [40, 200])
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_sum_of_outer_products_is_the_same_on_any_number_of_threads(shuffled, d):
    rng = np.random.default_rng(0)
    n, length = 8000, 30  # 3.6 million pairs: enough for three threads
    columns = rng.permuted(np.tile(np.arange(d), (n, 1)), axis=1)[:, :length]
    if not shuffled:
        columns.sort(axis=1)
    arrays = rng.standard_normal(n * length), columns.astype(np.int32).ravel(), np.arange(n + 1) * length
    grams = [np.zeros(d * d) for _ in range(4)]
    for gram, threads in zip(grams, (1, 2, 3, 7), strict=True):
        _kernels.get("csr_gram_add")(*arrays, np.arange(n), np.linspace(1, 2, n), d, gram, threads)
        assert np.array_equal(gram, grams[0])


@compiled
def test_rows_out_of_range_are_refused():
    arrays, _ = csr(0, np.float64, np.int32, False)
    for row in (-1, N):
        with pytest.raises(ValueError, match="out of range"):
            _kernels.get("csr_gram_add")(*arrays, np.array([row]), np.ones(1), D, np.zeros(D * D))


def rows_in_boxes(seed):
    """s, ds, base, width and factor of rows of which many are near an end of their boxes, some of them of width 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 15, 16, 17, 3000]))
    width = rng.integers(0, 3, n) / n
    base = np.clip(rng.uniform(-0.5, 1.5, n), 0, 1)
    return rng.standard_normal(n), rng.standard_normal(n), base, width, float(10 ** rng.uniform(-1, 3)), rng


def search_arguments(seed):
    """A descent direction of lam/2 |w|^2 + sum_i max over [0, 1] of width_i (b s_i - (b - base_i)^2 / (2 factor))."""
    s, ds, base, width, factor, rng = rows_in_boxes(seed)
    at_zero = np.clip(base + factor * s, 0, 1) @ (width * ds)
    linear = -at_zero - float(rng.exponential())  # so that the slope at 0 is negative
    return s, ds, base, width, factor, linear, float(rng.exponential() * 1e-3), 1e-12, 60


def slope(t, s, ds, base, width, factor, linear, quadratic, *_):
    return linear + quadratic * t + np.clip(base + factor * (s + t * ds), 0, 1) @ (width * ds)


@pytest.mark.parametrize("get", BOTH)
def test_the_line_search_finds_the_root_of_the_slope(get):
    for seed in range(60):
        arguments = search_arguments(seed)
        t = get("box_line_search")(*arguments)
        around = [slope(t * (1 + e), *arguments) for e in (-1e-9, 1e-9)]
        assert around[0] <= 1e-12 and around[1] >= -1e-12, seed


@pytest.mark.parametrize("get", BOTH)
def test_a_root_once_found_is_not_left_again(get):
    """Rounding may put the last Newton step outside the bracket: bisection must not begin anew from its far end."""
    for seed in range(300):
        *arguments, _ = search_arguments(seed)
        found = [get("box_line_search")(*arguments, evaluations) for evaluations in (60, 20, 21)]
        assert found == pytest.approx([found[0]] * 3, rel=1e-9), seed


@compiled
@pytest.mark.parametrize("tol", [1e-12, 1e-3])
def test_the_line_search_equals_its_twin(tol):
    for seed in range(60):
        *arguments, _, evaluations = search_arguments(seed)
        arguments = (*arguments, tol, evaluations)
        assert _kernels.get("box_line_search")(*arguments) == pytest.approx(twins.box_line_search(*arguments), rel=1e-9)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("blur", [0.0, 0.02, 1.0])
def test_weights_are_the_widths_inside_and_fade_outside(get, blur):
    for seed in range(20):
        s, _, base, width, factor, _ = rows_in_boxes(seed)
        out = np.full_like(s, np.nan)
        get("box_weights")(s, base, width, factor, blur, out)
        u = base + factor * s
        distance = np.maximum(-u, u - 1)
        assert np.array_equal(out[distance < 0], width[distance < 0])
        assert not out[distance > 2 * blur].any()
        near = (distance >= 0) & (distance < 2 * blur)
        assert np.allclose(out[near], width[near] / (1 + 4 * (distance[near] / max(blur, 1e-300)) ** 2))


@pytest.mark.parametrize("get", BOTH)
def test_a_move_tells_the_change_of_alpha_and_the_sums(get):
    for seed in range(20):
        s, ds, base, width, factor, rng = rows_in_boxes(seed)
        c, sigma, old = rng.standard_normal((3, len(s)))
        beta, slopes, change = old.copy(), s.copy(), np.full_like(s, np.nan)
        sums = get("box_move")(0.7, slopes, ds, base, width, c, sigma, factor, beta, change)
        assert np.allclose(slopes, s + 0.7 * ds)
        assert np.allclose(beta, np.clip(base + factor * slopes, 0, 1))
        assert np.allclose(change, width * (beta - old))
        filled = width * beta
        expected = (
            width @ (beta - base) ** 2,
            width @ np.maximum(slopes, 0),
            c @ filled,
            sigma @ filled,
            (change != 0).sum(),
        )
        assert np.allclose(sums, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("get", BOTH)
def test_a_selection_keeps_what_is_near_and_fixes_the_rest_at_its_end(get):
    for seed in range(20):
        s, _, base, width, factor, rng = rows_in_boxes(seed)
        lower = rng.standard_normal(len(s))
        kept = rng.random(len(s)) < 0.1
        beta, near, fixed = np.empty_like(s), kept.astype(np.uint8), np.empty_like(s)
        get("box_select")(s, base, factor, 3.0, lower, lower + width, beta, near, fixed)
        u = base + factor * s
        assert np.array_equal(beta, np.clip(u, 0, 1))
        assert np.array_equal(near != 0, kept | (np.abs(u - 0.5) < 3.5))
        assert np.array_equal(fixed, np.where((near == 0) & (u > 0), lower + width, lower))


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_copied_in_the_order_asked_for(get, dtype, index):
    (data, indices, indptr), dense = csr(0, dtype, index, True)
    rows = np.array([3, 3, 0, N - 1])
    ends = np.concatenate([[0], np.cumsum(np.diff(indptr)[rows])])
    copy = np.empty(ends[-1], dtype), np.empty(ends[-1], index)
    get("csr_take")(data, indices, indptr, rows, *copy, ends)
    part = np.zeros((len(rows), D))
    np.add.at(part, (np.repeat(np.arange(len(rows)), np.diff(ends)), copy[1]), copy[0])
    assert np.array_equal(part, dense[rows])


@compiled
def test_a_copy_of_rows_out_of_range_is_refused():
    (data, indices, indptr), _ = csr(0, np.float64, np.int32, False)
    for row in (-1, N):
        with pytest.raises(ValueError, match="csr_take"):
            _kernels.get("csr_take")(
                data, indices, indptr, np.array([row]), np.empty(3), np.empty(3, np.int32), np.array([0, 3])
            )


@compiled
def test_arrays_of_unequal_length_are_refused():
    arguments = list(search_arguments(3))
    arguments[2] = arguments[2][:-1].copy()
    with pytest.raises(ValueError, match="box_line_search"):
        _kernels.get("box_line_search")(*arguments)
