"""A proven range: true of every exact model at any lam, without a hole, and honest about what it has not proven."""

from __future__ import annotations

import os
import re
import signal
from fractions import Fraction
from itertools import pairwise
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold

import pragam
from pragam import risks
from pragam.driver.jobs import Settings
from pragam.driver.result import Status
from pragam.samples import Rows
from pragam.selection import ProvenRange, prove_range, tune
from pragam.selection.proven import remark
from pragam.selection.proven.goal import Goal
from pragam.selection.proven.shown import at_least
from selection.small_counts import exact_counts, noisy

RANGE = (2.0**-12, 1.0)


def lean(seed, n=260, d=5, noise=1.5):
    """Rows on either side of a plane, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + noise * rng.standard_normal(n) > 0, 1, 0), rng


def duplicated(seed):
    X, y, rng = lean(seed, 80)
    again = rng.integers(0, 80, 260)
    return X[again], np.where(rng.random(260) < 0.1, 1 - y[again], y[again])


def whole_numbers(seed):
    X, y, _ = lean(seed)
    return np.rint(X), y


def with_empty_rows(seed):
    X, y, rng = lean(seed)
    X[rng.random(260) < 0.15] = 0.0
    return X, y


def separable(seed):
    X, y, _ = lean(seed, noise=0.0)
    return X + 0.3 * np.where(y == 1, 1, -1)[:, None] * X[:1], y


def imbalanced(seed):
    X, y, _ = lean(seed, 900)
    keep = np.flatnonzero((y == 0) | (np.arange(900) % 12 == 0))
    return X[keep], y[keep]


ZOO = {
    "noisy": lambda seed: lean(seed)[:2], "duplicated": duplicated, "whole numbers": whole_numbers,
    "empty rows": with_empty_rows, "separable": separable, "imbalanced": imbalanced,
}  # fmt: skip


def has_no_hole(found, low, high):
    lo, hi = found.cells.lo, found.cells.hi
    return lo[0] == low and hi[-1] == high and (hi[:-1] == lo[1:]).all() and (lo < hi).all()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ZOO)
def test_the_count_of_the_exact_model_is_within_the_bounds_at_any_lam(name, bias):
    """Against single lams solved to the limit, whose own counts are proven by another certificate."""
    X, y = ZOO[name](1)
    more = {"bias": bias, "class_weight": "balanced" if name == "imbalanced" else None}
    found = tune(X, y, RANGE, prove=0.02, max_seconds=60, **more)
    assert has_no_hole(found, *RANGE)
    lams = 2.0 ** np.random.default_rng(0).uniform(-12, 0, 40)
    single = tune(X, y, lams, exact=True, **more)
    m = single.n_validation
    for lam, (fewest, most) in zip(lams, single.bounds, strict=True):
        lower, upper = found.bounds(lam)
        assert lower <= most / m and fewest / m <= upper, (name, lam)
        assert found.error - found.proven <= most / m + 1e-15


@pytest.mark.parametrize("bias", [True, False])
def test_rational_optima_are_within_the_bounds(bias):
    """Whole numbers: ties, equal rows of both labels, rows of zeros, several best biases."""
    for seed in range(4):
        X, y, V, t = noisy(seed)
        found = tune(X, y, (0.005, 1.0), validation=(V, t), bias=bias, prove=0.0)
        for lam in 2.0 ** np.random.default_rng(seed).uniform(np.log2(0.005), 0, 6):
            lower, upper = found.bounds(lam)
            for count in exact_counts(X, y, V, t, lam, bias):
                assert lower * len(t) <= count + 1e-9 and count <= upper * len(t) + 1e-9, (seed, lam)


def test_rows_may_have_weights():
    X, y, rng = lean(2)
    weights = rng.integers(0, 4, len(y)).astype(float)
    rows, held = Rows(pragam.operators.check_data(X[:200]), y[:200], weights[:200]), (X[200:], y[200:])
    risk = risks.OneVsRest(each=risks.Hinge())
    found = prove_range(risk, rows, RANGE, 0.02, validation=Rows.of(*held))
    for lam in 2.0 ** np.random.default_rng(0).uniform(-12, 0, 12):
        model = pragam.LinearSVC(C=1 / (200 * lam), tol=1e-12).fit(X[:200], y[:200], weights[:200])
        lower, upper = found.bounds(lam)
        assert lower <= np.mean(model.predict(held[0]) != held[1]) <= upper


def test_nothing_at_all_is_better_and_a_fine_grid_agrees():
    X, y, _ = lean(3, 400)
    found = tune(X, y, RANGE, prove=0)
    fine = tune(X, y, np.geomspace(*RANGE, 300), tol=1e-10)
    assert found.is_proven and bool(found) and found.proven == 0 == len(found.open.lo)
    assert found.error * found.n_rows <= fine.wrong.min()
    assert (found.cells.lower >= found.error).all() and has_no_hole(found, *RANGE)
    loose = tune(X, y, RANGE, prove=0.05)
    assert loose.is_proven and 0 <= loose.proven <= 0.05 and loose.n_solves < found.n_solves
    assert "fewer than" in loose.remark and "open" not in loose.remark


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_folds_are_proven_together(store):
    X, y, _ = lean(4)
    found = tune(store(X), y, RANGE, cv=3, prove=0.01, seed=1)
    assert found.is_proven and found.n_rows == len(y) and len(found.folds) == 3 and len(found.results) == 3
    for lam in 2.0 ** np.random.default_rng(0).uniform(-12, 0, 8):
        single = tune(store(X), y, [lam], cv=3, exact=True, seed=1)
        lower, upper = found.bounds(lam)
        (fewest, most) = single.bounds[0]
        assert lower <= most / len(y) and fewest / len(y) <= upper


def test_folds_may_be_given_and_a_grid_takes_them_too():
    X, y, _ = lean(4)
    pairs = [(np.arange(130), np.arange(130, 260)), (np.arange(130, 260), np.arange(130))]
    found = tune(X, y, RANGE, cv=pairs, prove=0.02)
    grid = tune(X, y, found.points.lam[:3], cv=pairs, tol=1e-9)
    assert found.n_rows == 260 and len(grid.folds) == 2
    np.testing.assert_array_equal(grid.wrong, np.round(found.points.error[:3] * 260))


def test_the_standard_error_is_that_of_the_best():
    X, y, _ = lean(5, 500)
    found = tune(X, y, RANGE, prove="se")
    p = found.error
    assert found.asked == found.standard_error == pytest.approx(np.sqrt(p * (1 - p) / found.n_rows))
    assert found.is_proven and found.proven <= found.asked and "standard error" in found.remark


def test_exact_compares_what_exact_models_have():
    X, y, _ = lean(6)
    found = tune(X, y, RANGE, prove=0.0, exact=True)
    lower, upper = found.bounds(found.lam)
    assert found.is_proven and lower == found.error <= upper <= np.nextafter(lower, 1)  # one count, rounded outward


@pytest.mark.parametrize("scoring", ["absolute", "pinball", None])
def test_losses_of_numbers(scoring):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    y = X @ rng.standard_normal(4) + rng.standard_normal(150)
    risk = risks.Quantile(q=0.3) if scoring != "absolute" else risks.EpsilonInsensitive(epsilon=0.2)
    found = tune(X[:100], y[:100], RANGE, validation=(X[100:], y[100:]), risk=risk, scoring=scoring, prove=0.03)
    assert found.is_proven and has_no_hole(found, *RANGE)
    for lam in 2.0 ** rng.uniform(-12, 0, 15):
        result = pragam.solve(risk.at(lam).pose(Rows.of(X[:100], y[:100]), np.empty(0))[0], tol=1e-12)
        r = y[100:] - X[100:] @ result.w - result.bias
        loss = np.abs(r) if scoring == "absolute" else np.maximum(0.3 * r, -0.7 * r)
        lower, upper = found.bounds(lam)
        assert lower - 1e-6 <= loss.mean() <= upper + 1e-6  # w is known to the root of the gap
        assert loss.mean() >= found.error - 0.03 - 1e-6


def test_the_hinge_itself():
    X, y, rng = lean(7)
    found = tune(X[:200], y[:200], RANGE, validation=(X[200:], y[200:]), scoring="hinge", prove=0.02)
    for lam in 2.0 ** rng.uniform(-12, 0, 10):
        result = pragam.solve(pragam.hinge(X[:200], y[:200], lam), tol=1e-12)
        sign = np.where(y[200:] == 1, 1, -1)
        loss = np.maximum(0, 1 - sign * (X[200:] @ result.w + result.bias)).mean()
        lower, upper = found.bounds(lam)
        assert found.is_proven and lower - 1e-6 <= loss <= upper + 1e-6


def test_the_best_is_a_model_that_was_computed():
    X, y, _ = lean(8)
    found = tune(X[:200], y[:200], RANGE, validation=(X[200:], y[200:]), prove=0.05)
    result = found.results[0]
    wrong = np.mean((X[200:] @ result.w + result.bias > 0) != (y[200:] == 1))
    assert found.error == wrong and found.lam in found.points.lam
    w, alpha = found.starts(200)[0]
    assert pragam.certify(pragam.hinge(X[:200], y[:200], found.lam), w, alpha).relative_gap < 1e-8
    assert found.to_json()["n_solves"] == found.n_solves and "ProvenRange" in repr(found)


# What ends it ---------------------------------------------------------------------------------------------------------


def is_true_and_whole(found, low=RANGE[0], high=RANGE[1]):
    """Whatever was proven holds, of the whole range."""
    assert isinstance(found, ProvenRange) and has_no_hole(found, low, high)
    assert found.proven >= 0 and found.error - found.proven <= found.cells.lower.min() + 1e-15
    X, y, _ = lean(9)
    for lam, (fewest, most) in zip((lams := [1.0, 0.1, 0.001]), tune(X, y, lams, exact=True).bounds, strict=True):
        lower, upper = found.bounds(lam)
        assert lower * found.n_rows <= most and fewest <= upper * found.n_rows


def test_no_time_at_all_still_gives_a_true_answer():
    X, y, _ = lean(9)
    found = tune(X, y, RANGE, prove=0, max_seconds=0.0)
    is_true_and_whole(found)
    assert not found.is_proven and found.status is Status.MAX_SECONDS and "the time ended" in found.remark
    assert len(found.open.lo) and found.proven > 0


@pytest.mark.parametrize("after", [1, 4, 15])
def test_a_callback_ends_it_and_what_is_proven_only_grows(after):
    X, y, _ = lean(9)
    seen = []

    def look(progress):
        seen.append(progress)
        return len(seen) == after

    found = tune(X, y, RANGE, prove=0, callback=look)
    is_true_and_whole(found)
    assert len(seen) == after and found.status is Status.STOPPED and "asked to stop" in found.remark
    lower = [each.best - each.proven for each in seen]
    assert all(a <= b + 1e-12 for a, b in pairwise(lower))
    assert [each.best for each in seen] == sorted((each.best for each in seen), reverse=True)


@pytest.mark.parametrize("after", [1, 9])
def test_control_c_ends_it(after):
    X, y, _ = lean(9)
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == after:
            os.kill(os.getpid(), signal.SIGINT)

    found = tune(X, y, RANGE, prove=0, callback=interrupt)
    is_true_and_whole(found)
    assert found.status is Status.INTERRUPTED and len(seen) <= after + 1 and "interrupted" in found.remark


def test_ties_at_every_lam_stay_open_and_are_never_called_proven():
    """The rows to validate on have x = (0, 1), and w* = (w, 0): their score is 0 at every lam."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]] * 4), np.array([1, 0] * 4)
    V, t = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]]), np.array([1, 1, 1])
    found = tune(X, y, (0.01, 1.0), validation=(V, t), bias=False, prove=0)
    assert found.bounds(0.1)[0] == 0
    assert found.is_proven is (found.error == 0)
    if not found:
        assert len(found.open.lo) and "open" in found.remark


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ("lams must be", {"lams": [0.1]}),
        ("lams must be", {"lams": 0.1}),
        ("lams must be", {"lams": (1.0, 0.1)}),
        ("lams must be", {"lams": (0.0, 0.1)}),
        ("prove must be", {"prove": -0.1}),
        ("prove must be", {"prove": "all"}),
        ("scoring must be", {"scoring": "f1"}),
        ("scoring must be a name", {"scoring": lambda model, held: 0.0}),
        ("is for numbers", {"scoring": "absolute"}),
        ("prove must be above 0 for a loss", {"scoring": "hinge", "prove": 0}),
        ("prove is for models with one score", {"y": np.arange(260) % 3}),
        ("prove is for models with one score", {"risk": risks.MulticlassHinge()}),
        ("cv leaves out rows of X", {"cv": 3, "validation": (np.eye(5), [0, 1, 0, 1, 1])}),
        ("cv must be", {"cv": [1, 2]}),
        ("cv must be a whole number > 0", {"cv": 0}),
        ("cv must be a whole number > 0", {"cv": 2.5}),
        ("cv has no folds", {"cv": []}),
        (r"of a splitter give list\(cv.split\(X, y\)\)", {"cv": KFold(3)}),
        ("lams must be", {"lams": None}),
        ("lams must be", {"lams": np.array(1.0)}),
        ("lams must be", {"lams": "ab"}),
        ('prove must be "se" or', {"prove": "SE"}),
        ("max_seconds must be", {"max_seconds": "a"}),
        ("max_seconds must be", {"max_seconds": -1}),
        ("callback must be callable", {"callback": 3}),
        ("risk must be one of", {"risk": "hinge"}),
        (r"validation must be \(X, y\)", {"validation": "abc"}),
        (r"validation must be \(X, y\)", {"validation": (np.eye(5), [0, 1, 0, 1, 1], 1)}),
        ("validation: X has no rows", {"validation": (np.empty((0, 5)), [])}),
        ("validation: y", {"validation": (np.eye(5), [0, 1, 0, 1])}),
        ("validation: y", {"validation": (np.eye(5), [0, 1, 0, 1, 7])}),
    ],
)
def test_what_cannot_be_proven_is_refused(message, change):
    X, y, _ = lean(0)
    with pytest.raises(ValueError, match=message):
        tune(**{"X": X, "y": y, "lams": RANGE, "prove": 0.1, **change})


def test_a_lam_outside_has_no_bounds():
    X, y, _ = lean(0)
    found = tune(X, y, RANGE, prove=0.2)
    for lam in (2.0, None, "a", [0.5]):
        with pytest.raises(ValueError, match="lam must be between"):
            found.bounds(lam)


def test_two_lams_without_prove_are_a_grid():
    X, y, _ = lean(0)
    assert tune(X, y, RANGE).lam.tolist() == list(RANGE)
    with pytest.raises(ValueError, match="scoring of a grid"):
        tune(X, y, RANGE, scoring="errors")


def test_data_in_blocks_are_refused(tmp_path):
    X, y, _ = lean(0)
    packed = pragam.pack([(X, y)], tmp_path / "p")
    with pytest.raises(ValueError, match="prove needs X in memory"):
        prove_range(risks.OneVsRest(each=risks.Hinge()), Rows.of(packed), RANGE, 0.1, Settings())


def test_nothing_is_known_of_infinite_bounds():
    goal = Goal(0.1, 10, True)
    assert goal.proven(0) == inf and not goal.passes(0)
    goal.note(3, 3)
    assert goal.passes(2) and not goal.passes(1) and goal.proven(1) == pytest.approx(0.2)


def test_what_is_shown_holds_of_the_floats_in_exact_arithmetic():
    """error - proven is no more than the least share, of all counts of up to 40 rows; and is all that was asked for."""
    for m, best in [(size, best) for size in range(1, 41) for best in range(size + 1)]:
        for lower in range(best + 1):
            goal = Goal((best - lower) / m, m, True)
            goal.note(best, best)
            error, proven = goal.least_mean(best), goal.proven(lower)
            assert Fraction(error) - Fraction(proven) <= Fraction(lower, m) <= Fraction(goal.greatest_mean(lower))
            assert proven <= goal.eps or not goal.passes(lower)


def test_the_shares_of_cells_hold_in_exact_arithmetic():
    X, y, V, t = noisy(3)
    found = tune(X, y, (0.005, 1.0), validation=(V[:11], t[:11]), prove=0.2)
    m = Fraction(len(t[:11]))
    for lower, upper in zip(found.cells.lower.tolist(), found.cells.upper.tolist(), strict=True):
        assert Fraction(lower) <= round(lower * m) / m and round(upper * m) / m <= Fraction(upper)
        assert Fraction(found.error) - Fraction(found.proven) <= round(lower * m) / m


def test_numbers_at_the_ends_of_float64():
    """No eps is too large, and losses whose squares are no float64 have a standard error."""
    X, y, rng = lean(3, 60)
    assert tune(X, y, RANGE, prove=1e308).is_proven
    t = X @ rng.standard_normal(5) + rng.standard_normal(60)
    risk, rows = risks.EpsilonInsensitive(), {"validation": (X[40:], t[40:])}
    few = tune(X[:40], t[:40], RANGE, risk=risk, prove="se", **rows)
    assert 0 < few.standard_error < inf
    goal = Goal("se", 20, False)
    losses = np.abs(t[40:])
    goal.note(float(1e200 * losses.sum()), pragam.numerics.rounding.norm(1e200 * losses))
    assert goal.error == pytest.approx(1e200 * np.std(losses) / np.sqrt(20))
    huge = tune(
        X[:40], 1e200 * t[:40], RANGE, risk=risk, prove="se", validation=(X[40:], 1e200 * t[40:]), max_seconds=1
    )
    assert 0 < huge.standard_error < inf and has_no_hole(huge, *RANGE)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("scale", "lams"), [(1e150, (1e-300, 1e300)), (1.0, (1e-308, 1e308))])
def test_scores_of_any_size_are_no_warning(scale, lams):
    X, y, _ = lean(2, 60)
    assert has_no_hole(tune(scale * X, y, lams, prove=0.05, max_seconds=1), *lams)


@pytest.mark.filterwarnings("error")
def test_losses_beyond_float64_prove_nothing():
    X, y, _ = lean(2, 60)
    t = np.where(y, 1.7e308, -1.7e308)
    found = tune(X, t, RANGE, risk=risks.EpsilonInsensitive(), prove="se", max_seconds=1)
    assert not found.is_proven and found.proven == inf and (found.cells.lower < inf).all()


def test_most_is_proven_long_before_the_end():
    """Whenever it ends, the whole range has been looked at."""
    X, y, _ = lean(9, 600)
    seen = []
    whole = tune(X, y, RANGE, prove=0, callback=lambda step: seen.append(step) and False)
    assert whole.is_proven and whole.passed == 1 and "in octaves" not in whole.remark
    late = seen[len(seen) // 2]
    assert late.proven < 0.5 * late.best
    half = tune(X, y, RANGE, prove=0, callback=lambda step: step.n_points == late.n_points)
    assert half.proven <= late.proven and 0 < half.passed < 1
    assert f"{at_least(100 * half.passed, 3)} % of the range" in half.remark
    left = np.log2(half.open.hi / half.open.lo).sum() / np.log2(RANGE[1] / RANGE[0])
    assert half.to_json()["passed"] == half.passed == pytest.approx(1 - left)


def test_what_is_said_of_few_and_of_none():
    X, y = np.array([[1.0], [-1.0]] * 10), np.array([1, 0] * 10)
    none = tune(X, y, RANGE, validation=(X[:1], y[:1]), prove=0)
    assert "has 0 wrong predictions of 1, and none" in none.remark and "fewer than 0" not in none.remark
    one = tune(X, y, RANGE, validation=(X, np.r_[0, y[1:]]), prove=0)
    assert "fewer than 1 wrong prediction of 20; the best" in one.remark
    loss = tune(X, y, (0.01, 0.1), validation=(X, np.r_[0, y[1:]]), prove=0.5, scoring="hinge")
    assert f"{loss.error:.6g} to {loss.error:.6g}" not in loss.remark


def test_the_loss_of_the_exact_model_is_said_outward():
    rng = np.random.default_rng(0)
    for number in rng.random(50).tolist():
        low, high = number, number + 1e-5 * rng.random()
        found = SimpleNamespace(measure="absolute", lam=1.0, error=2.0, bounds=lambda _, ends=(low, high): ends)
        least, most = re.fullmatch(r"The exact model there has (\S+) to (\S+)\.", remark._own(found)).groups()
        assert float(least) <= low <= high <= float(most)


def test_nearly_all_of_a_range_is_not_said_to_be_all():
    found = SimpleNamespace(measure="errors", asked=0.0, passed=1 - 1e-9, status=Status.MAX_SECONDS)
    assert "99.9 % of the range" in remark._lacking(found)


def test_sparse_rows_that_are_centred_have_no_rows_to_look_at():
    """Without a bias rows of zeros are asked for; centred ones are none, and the scores are those of dense rows."""
    X, y, _ = lean(0)
    X[X < 0.3] = 0.0
    X[:20] = 0.0
    held = {"validation": (X[:100], y[:100])}
    dense = pragam.tune(X[100:], y[100:], RANGE, bias=False, standardize=True, prove=0.02, **held)
    held = {"validation": (sparse.csr_matrix(X[:100]), y[:100])}
    found = pragam.tune(
        sparse.csr_matrix(X[100:]), y[100:], RANGE, bias=False, standardize=True, prove=0.02, max_seconds=10, **held
    )
    for lam in np.geomspace(*RANGE, 40):
        (low, high), (least, most) = found.bounds(lam), dense.bounds(lam)
        assert low <= most and least <= high


def test_folds_of_one_class_predict_it():
    """Every best intercept is beyond 1 in size there, so every row of the other class is wrong at any lam."""
    X, y, _ = lean(2, 60)
    each = [np.flatnonzero(y == label) for label in (0, 1)]
    found = tune(X, y, RANGE, cv=[(each[0], each[1]), (each[1], each[0])], prove=0)
    assert found.is_proven and found.error == 1 == found.cells.lower.min()
