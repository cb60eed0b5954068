"""What is drawn, and what is said of what is not."""

from __future__ import annotations

import numpy as np
import pytest

from made import OPTIMUM, made, made_run
from pragam.compare import Run
from pragam.report.families import FAMILIES, curves, domain, endings, main_problem, notes, ticks, x_domain
from pragam.report.thinning import m4, marked, thinned
from report import experiments

ERROR, GAP, ACCURACY, SUPPORT = FAMILIES


def solvers(experiment, data, family):
    return [curve.solver for curve in curves(experiment, data, family)]


def test_another_problem_is_in_the_accuracy_only():
    experiment = experiments.small()
    assert "pragam-b" in solvers(experiment, "one", ACCURACY)
    for family in (ERROR, GAP, SUPPORT):
        assert "pragam-b" not in solvers(experiment, "one", family)
        assert any("hinge with a bias" in note and "pragam-b" in note for note in notes(experiment, "one", family))


def test_the_main_problem_is_the_one_without_a_bias():
    biased = made_run("a", "svc", problem="hinge with a bias")
    assert main_problem(made([biased, made_run("a", "dcd")]), "a") == "hinge"
    assert main_problem(made([biased]), "a") == "hinge with a bias"


def test_the_error_is_the_upper_end_and_an_interval_only_where_the_optimum_is_not_proved():
    experiment = experiments.not_proved()
    (curve, *_) = curves(experiment, "one", ERROR)
    run = experiment.run("one", curve.solver)
    assert np.allclose(curve.value, run.best - 0.99 * OPTIMUM) and np.allclose(curve.lower, run.best - OPTIMUM)
    assert any("1.0e-02" in note for note in notes(experiment, "one", ERROR))
    assert curves(experiments.small(), "one", ERROR)[0].lower is None


def test_nothing_that_was_tried_is_dropped_silently():
    experiment = experiments.small()
    assert any("snapml is not installed" in said for said in endings(experiment, "one"))
    assert any("The time budget ended: ls-bmrm." in said for said in endings(experiment, "two"))
    assert any("Certifies nothing itself: liblinear." in said for said in notes(experiment, "one", GAP))
    for family in FAMILIES:
        said = " ".join(notes(experiment, "one", family) + endings(experiment, "one"))
        missing = set(experiment.solvers) - {"ls-bmrm"} - set(solvers(experiment, "one", family))
        assert all(solver in said for solver in missing)


def test_the_first_steps_do_not_press_the_accuracy_into_a_line():
    run = made_run("a", "dcd", accuracy=lambda t: 0.95 - 0.9 / t**2)
    low, high = domain(ACCURACY, curves(made([run]), "a", ACCURACY))
    assert 0.83 < low < 0.86 and 0.95 < high < 0.96


def test_a_solver_that_ends_low_stays_in_the_picture():
    bad = made_run("a", "pegasos-n", accuracy=lambda t: np.full_like(t, 0.4))
    low, _ = domain(ACCURACY, curves(made([made_run("a", "dcd"), bad]), "a", ACCURACY))
    assert low < 0.4


def test_axes_hold_all_points_that_a_logarithm_has():
    shown = curves(experiments.at_zero(), "one", ERROR)
    low, high = x_domain(shown, "iterations")
    assert 0 < low < 1 and high > 4


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((1e-3, 1.5), [1e-3, 1e-2, 1e-1, 1]), ((2e-11, 1), [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1]), ((2, 9), [])],
)
def test_ticks(ends, expected):
    assert np.allclose(ticks(*ends), expected)


def test_thinning_keeps_first_last_lowest_and_highest():
    t = np.arange(1.0, 20_001)
    run = made_run("a", "dcd", count=20_000, accuracy=lambda t: 0.9 + 0.01 * np.sin(t) - (t == 7777))
    whole = curves(made([run]), "a", ACCURACY)[0]
    few = thinned(whole)
    assert len(few.value) <= 300 < len(whole.value) == len(t)
    assert {1, 7777, 20_000} <= set(few.iterations)
    assert few.value.max() == whole.value.max()
    keep = m4(np.log(t), whole.value, 10)
    for column in range(10):
        inside = np.minimum(np.log(t) // (np.log(t[-1]) / 10), 9) == column
        assert whole.value[inside & keep].min() == whole.value[inside].min()


def test_short_curves_are_not_thinned():
    whole = curves(made([made_run("a", "dcd", count=300)]), "a", ERROR)[0]
    assert thinned(whole) is whole


@pytest.mark.parametrize("values", [[], [0.0], [3.0], [0.0, 1.0, 1.0], [1.0, 2.0, 1.5, 4.0]])
def test_markers_are_points_of_the_curve(values):
    chosen = marked(np.array(values))
    assert all(values[k] > 0 for k in chosen) and (len(chosen) > 0) == any(value > 0 for value in values)


def test_a_run_without_points_has_no_curve():
    assert not curves(made([Run("a", "dcd", status="killed")]), "a", ERROR)
