"""The sweeps of coordinate ascent equal their NumPy twin, on every storage and for every kind of problem."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.coordinate.records import ALPHA, CURVATURE, LOWER, SLOPE, UPPER, Batch, C, Visits

from .ascent import KINDS, arrays_of, copies, problem, sweep_arguments
from .storages import LAM, STORAGES, N, csr, dense, single

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def assert_equal(ours, theirs, rtol=1e-9, atol=1e-11):
    """In all that the records hold."""
    for mine, his in zip(arrays_of(ours), arrays_of(theirs), strict=True):
        assert np.allclose(mine, his, rtol=rtol, atol=atol, equal_nan=True)


@compiled
def test_sweep_equals_its_twin(storage, kind):
    name, arrays = storage
    for seed in range(12):
        ours, theirs = (copies(sweep_arguments(seed, kind)) for _ in range(2))
        got = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *ours)
        wanted = getattr(twins, f"dcd_sweep_{name}")(*arrays(seed), *theirs)
        assert got[0] == wanted[0]
        assert got[1:] == pytest.approx(wanted[1:], rel=1e-9, abs=1e-11)
        assert_equal(ours, theirs)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_w_in_single_precision_makes_no_difference_beyond_its_rounding(dtype, index, kind):
    for seed in range(12):
        arrays = csr(dtype, index, seed)
        for sweep in (_kernels.get("dcd_sweep_csr"), twins.dcd_sweep_csr):
            single, double = (copies(sweep_arguments(seed, kind)) for _ in range(2))
            single = single._replace(w=single.w.astype(np.float32))
            got, wanted = sweep(*arrays, *single), sweep(*arrays, *double)
            assert got[0] == wanted[0]
            assert got[1:] == pytest.approx(wanted[1:], rel=1e-4, abs=1e-5)
            assert_equal(single, double, rtol=1e-5, atol=1e-5)


@compiled
@pytest.mark.parametrize("index", [np.uint16, np.uint32])
def test_a_sweep_over_rows_in_single_precision_equals_its_twin(kind, index):
    """To the rounding of sums over a row, which the twin has in double precision."""
    for seed in range(12):
        arguments = sweep_arguments(seed, kind)
        arguments = arguments._replace(w=arguments.w.astype(np.float32))
        ours, theirs = copies(arguments), copies(arguments)
        got = _kernels.get("dcd_sweep_single")(*single(seed, index), *ours)
        wanted = twins.dcd_sweep_single(*single(seed, index), *theirs)
        assert got[0] == wanted[0] and got[4:6] == wanted[4:6] and got[7:] == wanted[7:]
        assert got[1:4] == pytest.approx(wanted[1:4], rel=1e-4, abs=1e-5)
        assert_equal(ours, theirs, rtol=1e-5, atol=1e-5)


@compiled
def test_rows_in_single_precision_that_are_not_padded_are_refused():
    indices, data, indptr = single()
    arguments = sweep_arguments(0, KINDS["plain"])
    arguments = arguments._replace(w=arguments.w.astype(np.float32))
    indptr = indptr.copy()
    indptr[-1] -= 1
    with pytest.raises(ValueError, match="padded"):
        _kernels.get("dcd_sweep_single")(indices, data, indptr, *arguments)


@compiled
@pytest.mark.parametrize("entries, rows, goal", [(10**6, N, 1e-9), (60, N, 1e-9), (10**6, N, 1e-2), (10**6, 40, 1e-9)])
def test_several_sweeps_in_a_call_equal_their_twin(storage, kind, entries, rows, goal):
    """Few active rows: as many sweeps as make up so many rows, unless the entries or the gap end them."""
    name, arrays = storage
    several = 0
    for seed in range(12):
        arguments = sweep_arguments(seed, kind)
        arguments = arguments._replace(
            visits=arguments.visits._replace(n_active=5), batch=Batch(3.0, 7.0, goal, entries, rows)
        )
        ours, theirs = copies(arguments), copies(arguments)
        got = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *ours)
        wanted = getattr(twins, f"dcd_sweep_{name}")(*arrays(seed), *theirs)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-11)
        stay, gap, *_, met, last = got
        assert met < rows + 5 and last <= 5
        assert_equal(ours, theirs)
        several += met > last
        assert entries < 10**6 or met >= rows or stay == 0 or gap <= goal
    assert several > 0


def test_a_sweep_keeps_its_invariants_and_climbs(storage, kind):
    """alpha in the box, w = w(alpha), residuals and moment, and the function rises by the gain."""
    name, arrays = storage
    for seed in range(12):
        arguments = copies(sweep_arguments(seed, kind))
        (table, *_), planes, _, w, visits, _ = arguments
        F = problem(seed, kind)[2]
        rows = set(visits.active.tolist())
        before = F.value(arguments, table[:, ALPHA])
        stay, _, gain, _, _, free, *_ = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *arguments)
        alpha, lower, upper = table[:, ALPHA], table[:, LOWER], table[:, UPPER]
        assert free == np.count_nonzero(((alpha > lower) & (alpha < upper))[sorted(rows)])
        assert gain >= 0
        assert F.value(arguments, alpha) - before == pytest.approx(gain, rel=1e-9, abs=1e-11)
        assert np.all((alpha >= lower) & (alpha <= upper))
        assert np.allclose(w, F.w(alpha), atol=1e-10)
        assert np.allclose(planes.running, F.running(alpha), atol=1e-10)
        assert set(visits.active[:stay].tolist()) <= rows and np.all(np.diff(visits.active[:stay]) > 0)


def test_the_step_along_one_variable_ends_at_its_maximum(storage, kind):
    """One active variable: its slope there is 0, or it is at the bound that the slope points to."""
    name, arrays = storage
    for seed in range(N):
        arguments = copies(sweep_arguments(seed, kind))
        i = seed
        arguments = arguments._replace(visits=Visits(np.array([i]), 1, np.inf, 1, 0))
        _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *arguments)
        _, _, lower, upper, q, _, alpha, slope = arguments.variables.table[i]
        exact = problem(seed, kind)[2].slopes(arguments, arguments.variables.table[:, ALPHA])[i]
        assert slope == pytest.approx(exact, abs=1e-9)
        held = (exact <= 0 and alpha == lower) or (exact >= 0 and alpha == upper)
        assert held or abs(exact) <= 1e-10 * max(q, 1.0)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.joint])
def test_a_joint_step_ends_at_the_maximum_over_all_variables_of_a_row(storage, name):
    """Slope 0, or at the bound that the slope points to, for each of them at once. Some are between, others turn."""
    kind, (stored, arrays) = KINDS[name], storage
    free = 0
    for seed in range(12):
        arguments = copies(sweep_arguments(seed, kind))
        number = arguments.variables.number
        together = np.flatnonzero(number == number[3 * (seed % 7)])
        arguments = arguments._replace(visits=Visits(together, len(together), np.inf, 1, 0))
        F, table = problem(seed, kind)[2], arguments.variables.table
        before = F.value(arguments, table[:, ALPHA])
        gain = _kernels.get(f"dcd_sweep_{stored}")(*arrays(seed), *arguments)[2]
        alpha, lower, upper = (table[together, column] for column in (ALPHA, LOWER, UPPER))
        exact = F.slopes(arguments, table[:, ALPHA])[together]
        assert table[together, SLOPE] == pytest.approx(exact, abs=1e-9)
        held = ((exact <= 0) & (alpha == lower)) | ((exact >= 0) & (alpha == upper))
        assert np.all(held | (np.abs(exact) <= 1e-9))
        assert F.value(arguments, table[:, ALPHA]) - before == pytest.approx(gain, rel=1e-9, abs=1e-11)
        free += np.count_nonzero((alpha > lower) & (alpha < upper))
    assert free > 0


def test_the_gap_is_what_the_losses_and_their_conjugates_say(storage, kind):
    """Sum over i of max over the box of t z_i - kappa_i/2 t^2, less its value at alpha_i, z_i the score of row i.

    One variable is met in each call, so that all the others are where they were.
    """
    name, arrays = storage
    for seed in range(N):
        arguments = copies(sweep_arguments(seed, kind))
        table, kappa = arguments.variables.table, arguments.variables.kappa
        i = seed
        s = problem(seed, kind)[2].slopes(arguments, table[:, ALPHA])[i]
        alpha, lower, upper = table[i, ALPHA], table[i, LOWER], table[i, UPPER]
        curvature = 0.0 if kappa is None else kappa[i]
        score = s + curvature * alpha
        highest = min(upper, 1e3)
        trials = np.linspace(lower, highest, 20_001)
        if curvature > 0:
            trials = np.r_[trials, np.clip(score / curvature, lower, upper)]
        best = np.max(trials * score - curvature * trials**2 / 2)
        arguments = arguments._replace(visits=Visits(np.array([i]), 1, np.inf, 1, 0))
        gap = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *arguments)[1]
        assert gap == pytest.approx(best - (alpha * score - curvature * alpha**2 / 2), rel=1e-9, abs=1e-11)


def test_only_rows_held_far_from_turning_leave(storage, kind):
    """s^2 > reach q at the bound that s points to; and their slope is forgotten, for it will be out of date."""
    name, arrays = storage
    left, reach = 0, 0.1 / LAM
    for seed in range(12):
        arguments = sweep_arguments(seed, kind)
        arguments = copies(arguments._replace(visits=arguments.visits._replace(reach=reach)))
        table, active = arguments.variables.table, arguments.visits.active
        held, rows = copies(arguments), active.copy()
        stay = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *arguments)[0]
        gone = np.setdiff1d(rows, active[:stay])
        left += gone.size
        assert np.all(np.isnan(table[gone, SLOPE])) and not np.isnan(table[active[:stay], SLOPE]).any()
        assert np.all((table[gone, ALPHA] == table[gone, LOWER]) | (table[gone, ALPHA] == table[gone, UPPER]))
        # a sweep in which nothing moves, as the boxes have no width: the slopes are those of one point
        still = held.variables.table
        still[:, LOWER] = still[:, UPPER] = still[:, ALPHA]
        stay = _kernels.get(f"dcd_sweep_{name}")(*arrays(seed), *held)[0]
        s, q = problem(seed, kind)[2].slopes(held, still[:, ALPHA]), still[:, CURVATURE]
        staying = held.visits.active[:stay]
        assert not np.isin(np.flatnonzero(s**2 > reach * q * (1 + 1e-9)), staying).any()
        assert np.isin(np.intersect1d(np.flatnonzero(s**2 < reach * q * (1 - 1e-9)), rows), staying).all()
    assert left > 0


def test_the_drift_is_the_mean_square_change_of_slopes_between_visits(storage, kind):
    """Boxes without width: nothing moves, so the second sweep sees no change, and the first what was put in."""
    name, arrays = storage
    arguments = copies(sweep_arguments(1, kind))
    table = arguments.variables.table
    table[:, LOWER] = table[:, UPPER] = table[:, ALPHA]
    table[:, SLOPE] = np.nan

    def drift2():
        return _kernels.get(f"dcd_sweep_{name}")(*arrays(1), *arguments)[3]

    assert drift2() == np.inf  # nothing to compare with
    assert drift2() == pytest.approx(0.0, abs=1e-25)
    table[:, SLOPE] += np.sqrt(table[:, CURVATURE])
    assert drift2() == pytest.approx(1.0, rel=1e-9)


def test_every_row_is_met_once(storage):
    """Also with more rows than a block: a row at the end of its box moves as soon as it is met."""
    name, arrays = storage
    for kind in (KINDS["plain"], KINDS["shared"]):
        arguments = copies(sweep_arguments(1, kind))
        table = arguments.variables.table
        arguments.w[:] = 0
        table[:, C], table[:, LOWER], table[:, UPPER], table[:, ALPHA] = 1.0, 0.0, 1e-9, 0.0
        turns = _kernels.get(f"dcd_sweep_{name}")(*arrays(1), *arguments)[4]
        assert turns == N and np.all(table[:, ALPHA] == 1e-9)


def shortened(record, field):
    return record._replace(**{field: getattr(record, field)[:-1].copy()})


@compiled
@pytest.mark.parametrize("name", ["csr", "dense"])
@pytest.mark.parametrize(
    "record, field",
    [("variables", "table"), ("variables", "number"), ("variables", "kappa"), ("planes", "terms"), ("planes", "group"),
     ("planes", "running"), ("planes", "multiplier")],
)  # fmt: skip
def test_sweep_refuses_wrong_lengths(name, record, field):
    arrays = csr(np.float64, np.int32) if name == "csr" else (dense(np.float64, "C"),)
    arguments = sweep_arguments(0, KINDS["all"])
    arguments = arguments._replace(**{record: shortened(getattr(arguments, record), field)})
    with pytest.raises(ValueError, match="must have"):
        _kernels.get(f"dcd_sweep_{name}")(*arrays, *arguments)


@compiled
@pytest.mark.parametrize("name", ["csr", "dense"])
def test_sweep_refuses_a_table_that_does_not_fit_the_data(name):
    arrays = csr(np.float64, np.int32) if name == "csr" else (dense(np.float64, "C"),)
    arguments = sweep_arguments(0, KINDS["plain"])
    arguments = arguments._replace(variables=shortened(arguments.variables, "table"))
    with pytest.raises(ValueError, match="must have"):
        _kernels.get(f"dcd_sweep_{name}")(*arrays, *arguments)


@compiled
@pytest.mark.parametrize("n_active", [-1, N + 1])
def test_sweep_refuses_a_wrong_number_of_rows(n_active):
    arguments = sweep_arguments(0, KINDS["plain"])
    arguments = arguments._replace(visits=arguments.visits._replace(n_active=n_active))
    with pytest.raises(ValueError, match="n_active"):
        _kernels.get("dcd_sweep_dense")(dense(np.float64, "C"), *arguments)


@compiled
def test_no_array_is_converted_behind_the_back():
    """A float32 w, where the kernel is for double precision alone, would be a copy, and the update lost."""
    arguments = sweep_arguments(0, KINDS["plane"])
    narrow = arguments.planes._replace(running=arguments.planes.running.astype(np.float32))
    for wrong in (arguments._replace(w=arguments.w.astype(np.float32)), arguments._replace(planes=narrow)):
        with pytest.raises(TypeError):
            _kernels.get("dcd_sweep_dense")(dense(np.float64, "C"), *wrong)


@compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sixteen_bit_indices_change_nothing(dtype, kind):
    """As a compact copy has them: to the last bit."""
    sweep = _kernels.get("dcd_sweep_csr")
    for seed in range(6):
        data, indices, indptr = csr(dtype, np.int32, seed)
        wide, narrow = (copies(sweep_arguments(seed, kind)) for _ in range(2))
        assert sweep(data, indices, indptr, *wide) == sweep(data, indices.astype(np.uint16), indptr, *narrow)
        assert_equal(wide, narrow, rtol=0, atol=0)


@compiled
def test_one_plane_is_a_case_of_several(storage):
    """A group of zeros says the same as no group, to the last bit."""
    name, arrays = storage
    for seed in range(6):
        one, several = (copies(sweep_arguments(seed, KINDS["plane"])) for _ in range(2))
        several = several._replace(planes=several.planes._replace(group=np.zeros(N, np.int64)))
        sweep = _kernels.get(f"dcd_sweep_{name}")
        assert sweep(*arrays(seed), *one) == sweep(*arrays(seed), *several)
        assert np.array_equal(one.variables.table, several.variables.table, equal_nan=True)
        assert np.array_equal(one.planes.running, several.planes.running) and np.array_equal(one.w, several.w)
