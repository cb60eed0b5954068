"""The kernels of the semismooth Newton method equal their NumPy twins, and do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.newton.records import Border, Boxes, Ends, Line, Sums

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


KINDS = ["plain", "curved", "mixed"]


def rows_in_boxes(seed, kind):
    """(rows, s, ds, tau, rng) of rows of which many are near an end of their boxes, and some cannot move.

    Curved rows may have an infinite side, on either end. Of mixed ones half have no curvature, and bounds.
    """
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, none = int(rng.choice([1, 15, 16, 17, 3000])), np.zeros(0)
    size = rng.integers(0, 3, n) / n
    base, tau = rng.uniform(-0.5, 1.5, n), float(10 ** rng.uniform(-1, 3))
    if kind == "plain":
        return Boxes(np.clip(base, 0, 1), size, none, none, none), *rng.standard_normal((2, n)), tau, rng
    low, high, bend = -rng.random(n), rng.random(n), rng.exponential(size=n)
    straight = rng.random(n) < (0.5 if kind == "mixed" else 0.0)
    bend[straight] = 0.0
    low[(rng.random(n) < 0.3) & ~straight], high[(rng.random(n) < 0.3) & ~straight] = -np.inf, np.inf
    low[size == 0] = high[size == 0] = bend[size == 0] = 0.0
    return Boxes(np.clip(base, low, high), size, low, high, bend), *rng.standard_normal((2, n)), tau, rng


def written_out(rows):
    """low, high and bend."""
    n = len(rows.size)
    return (rows.low, rows.high, rows.bend) if rows.low.size else (np.zeros(n), np.ones(n), np.zeros(n))


def position(rows, s, tau):
    return (rows.base + tau * s) / (1 + tau * written_out(rows)[2])


def beta_of(rows, s, tau):
    return np.clip(position(rows, s, tau), *written_out(rows)[:2])


def search_arguments(seed, kind, tol=1e-12, evaluations=60):
    """(rows, s, ds, tau, line) of a descent direction."""
    rows, s, ds, tau, rng = rows_in_boxes(seed, kind)
    at_zero = beta_of(rows, s, tau) @ (rows.size * ds)
    linear = -at_zero - float(rng.exponential())  # so that the slope at 0 is negative
    return rows, s, ds, tau, Line(linear, float(rng.exponential() * 1e-3), tol, evaluations)


@pytest.mark.parametrize("kind", KINDS)
def test_beta_maximises_a_row_with_its_proximal_term(kind):
    """The rule that the twins apply: no other beta of the box gives more."""
    for seed in range(20):
        rows, s, _, tau, rng = rows_in_boxes(seed, kind)
        low, high, bend = written_out(rows)

        def value(beta, base=rows.base, s=s, bend=bend, tau=tau):
            return beta * s - bend * beta**2 / 2 - (beta - base) ** 2 / (2 * tau)

        best = beta_of(rows, s, tau)
        for other in np.clip(best + rng.standard_normal((20, len(s))), low, high):
            assert (value(best) >= value(other) - 1e-12 * (1 + np.abs(value(other)))).all()


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
def test_the_line_search_finds_the_root_of_the_slope(get, kind):
    for seed in range(60):
        rows, s, ds, tau, line = arguments = search_arguments(seed, kind)
        t = get("box_line_search")(*arguments)

        def slope(t, rows=rows, s=s, ds=ds, tau=tau, line=line):
            return line.linear + line.quadratic * t + beta_of(rows, s + t * ds, tau) @ (rows.size * ds)

        around = [slope(t * (1 + e)) for e in (-1e-9, 1e-9)]
        assert around[0] <= 1e-12 and around[1] >= -1e-12, seed


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
def test_a_root_once_found_is_not_left_again(get, kind):
    """Rounding may put the last Newton step outside the bracket: bisection must not begin anew from its far end."""
    for seed in range(300):
        found = [
            get("box_line_search")(*search_arguments(seed, kind, evaluations=evaluations))
            for evaluations in (60, 40, 41)
        ]
        assert found == pytest.approx([found[0]] * 3, rel=1e-9), seed


@compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tol", [1e-12, 1e-3])
def test_the_line_search_equals_its_twin(tol, kind):
    for seed in range(60):
        arguments = search_arguments(seed, kind, tol)
        assert _kernels.get("box_line_search")(*arguments) == pytest.approx(twins.box_line_search(*arguments), rel=1e-9)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blur", [0.0, 0.02, 1.0])
def test_weights_are_the_derivatives_of_beta_inside_and_fade_outside(get, blur, kind):
    for seed in range(20):
        rows, s, _, tau, _ = rows_in_boxes(seed, kind)
        out = np.full_like(s, np.nan)
        get("box_weights")(rows, s, tau, blur, out)
        low, high, bend = written_out(rows)
        u, full = position(rows, s, tau), rows.size / (1 + tau * bend)
        distance = np.maximum(low - u, u - high)
        step = 1e-6 / tau
        inside = distance < -1e-5
        rate = (beta_of(rows, s + step, tau) - beta_of(rows, s - step, tau)) / (2 * step)
        assert np.allclose(tau * out[inside], (rows.size * rate)[inside], rtol=1e-4)
        assert not out[distance > 2 * blur].any()
        near = (distance >= 0) & (distance < 2 * blur)
        assert np.allclose(out[near], full[near] / (1 + 4 * (distance[near] / max(blur, 1e-300)) ** 2))


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
def test_slopes_at_several_steps_are_the_sums_at_each(get, kind):
    for seed in range(20):
        rows, s, ds, tau, _ = rows_in_boxes(seed, kind)
        steps, out = np.array([0.0, 0.3, 1.0, 7.0]), np.full(4, np.nan)
        get("box_slopes")(rows, s, ds, tau, steps, out)
        expected = [(rows.size * ds) @ beta_of(rows, s + t * ds, tau) for t in steps]
        assert np.allclose(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("planes", [0, 1, 4])
def test_a_move_tells_the_change_of_alpha_and_the_sums(get, planes, kind):
    for seed in range(20):
        rows, s, ds, tau, rng = rows_in_boxes(seed, kind)
        c, sigma, old = rng.standard_normal((3, len(s)))
        border = Border(sigma, rng.integers(0, max(planes, 1), len(s)))
        beta, slopes, change, totals = old.copy(), s.copy(), np.full_like(s, np.nan), np.full(planes, np.nan)
        sums = Sums(*get("box_move")(rows, border, c, 0.7, slopes, ds, tau, beta, change, totals))
        assert np.allclose(slopes, s + 0.7 * ds)
        assert np.allclose(beta, beta_of(rows, slopes, tau))
        assert np.allclose(change, rows.size * (beta - old))
        low, high, bend = written_out(rows)
        end = np.where(slopes > 0, high, low)
        best = np.clip(np.divide(slopes, bend, out=end, where=bend > 0), low, high)
        expected = Sums(
            proximal=rows.size @ (beta - rows.base) ** 2,
            risk=rows.size @ (best * slopes - bend * best**2 / 2),
            linear=rows.size @ (c * beta - bend * beta**2 / 2),
            moved=(change != 0).sum(),
        )
        assert np.allclose(sums, expected, rtol=1e-12, atol=1e-12)
        for k in range(planes):
            assert totals[k] == pytest.approx((sigma * rows.size * beta)[border.group == k].sum(), rel=1e-12, abs=1e-12)


@compiled
@pytest.mark.parametrize("kind", ["plain", "curved"])
@pytest.mark.parametrize("planes", [1, 4])
def test_loops_over_rows_give_the_same_bits_on_any_number_of_threads(kind, planes):
    n = 300_001  # each thread pays for 2^16 rows
    rng = np.random.default_rng(7)
    base, size, s, ds, c, sigma, old, bend = rng.random((8, n))
    bounds = (-bend, 1 + bend, bend) if kind == "curved" else (np.zeros(0),) * 3
    rows, border = Boxes(base, size / n, *bounds), Border(sigma, rng.integers(0, planes, n))
    line = Line(-float(rng.random()), 0.1, 1e-9, 60)

    def run(threads):
        weights, slopes, beta, change, fixed = np.empty(n), s - 0.5, old.copy(), np.empty(n), np.empty(n)
        totals, near, chosen = np.empty(planes), np.zeros(n, np.uint8), np.empty(n)
        _kernels.get("box_weights")(rows, slopes, 2.0, 0.3, weights, threads)
        _kernels.get("box_select")(rows, slopes, 2.0, 0.1, Ends(base, c, sigma), chosen, near, fixed, threads)
        t = _kernels.get("box_line_search")(rows, slopes, ds - 0.5, 2.0, line, threads)
        sums = _kernels.get("box_move")(rows, border, c, t, slopes, ds, 2.0, beta, change, totals, threads)
        derivatives = np.empty(3)
        _kernels.get("box_slopes")(rows, slopes, ds - 0.5, 2.0, np.array([0.1, 1.0, 2.0]), derivatives, threads)
        return np.concatenate([weights, chosen, near, fixed, slopes, beta, change, totals, [t], sums, derivatives])

    for threads in (2, 3, 4):
        assert np.array_equal(run(threads), run(1))


@compiled
def test_a_plane_that_is_not_there_is_refused():
    rows, s, ds, tau, _ = rows_in_boxes(3, "curved")
    border = Border(np.ones(len(s)), np.full(len(s), 2))
    with pytest.raises(ValueError, match="box_move"):
        _kernels.get("box_move")(rows, border, s, 0.0, s.copy(), ds, tau, s.copy(), s.copy(), np.zeros(2))


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
def test_a_selection_keeps_what_is_near_and_fixes_the_rest_at_its_end(get, kind):
    for seed in range(20):
        rows, s, _, tau, rng = rows_in_boxes(seed, kind)
        ends = Ends(*rng.standard_normal((3, len(s))))
        kept = rng.random(len(s)) < 0.1
        beta, near, fixed = np.empty_like(s), kept.astype(np.uint8), np.empty_like(s)
        get("box_select")(rows, s, tau, 3.0, ends, beta, near, fixed)
        u, (low, high, _) = position(rows, s, tau), written_out(rows)
        assert np.array_equal(beta, np.clip(u, low, high))
        assert np.array_equal(near != 0, kept | ((u > low - 3) & (u < high + 3)))
        bound = np.where(u <= low, ends.lower, ends.upper)
        assert np.array_equal(fixed, np.where(near != 0, ends.anchor, bound))


@compiled
def test_plain_rows_give_the_bits_of_rows_whose_bounds_are_written_out():
    """But for the division by 1 + tau 0, which changes nothing."""
    for seed in range(20):
        rows, s, ds, tau, rng = rows_in_boxes(seed, "plain")
        general = Boxes(rows.base, rows.size, *(np.ascontiguousarray(x) for x in written_out(rows)))
        c, old = rng.standard_normal((2, len(s)))
        border, results = Border(c, np.zeros(len(s), np.int64)), []
        for boxes in (rows, general):
            slopes, beta, change, totals, weights = (
                s.copy(),
                old.copy(),
                np.empty_like(s),
                np.zeros(1),
                np.empty_like(s),
            )
            sums = _kernels.get("box_move")(boxes, border, c, 0.3, slopes, ds, tau, beta, change, totals)
            _kernels.get("box_weights")(boxes, s, tau, 0.5, weights)
            results.append(np.concatenate([slopes, beta, change, totals, weights, sums[:1], sums[3:]]))
        assert np.array_equal(*results)


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
@pytest.mark.parametrize("name", Boxes._fields)
def test_arrays_of_unequal_length_are_refused(name):
    rows, *rest = search_arguments(3, "curved")
    wrong = rows._replace(**{name: np.zeros(len(rows.size) + 1)})
    with pytest.raises(ValueError, match="box_line_search"):
        _kernels.get("box_line_search")(wrong, *rest)
