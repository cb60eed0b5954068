"""When a run gets somewhere, as far as the measurements say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from claim_runs import DATA, geometric

from made import OPTIMUM, made, made_run
from pragam.paper.claims.spans import UNKNOWN, Span, arrival, earliest, fair_target, faster, reach, reached, sooner


def with_reference(experiment, **changes):
    return replace(experiment, references={key: replace(r, **changes) for key, r in experiment.references.items()})


def test_reached_exactly_once_by_iterations_and_between_the_repeats_by_time():
    experiment = made([made_run(DATA, "pragam", geometric(10.3))])
    assert reach(experiment, DATA, "pragam", 1e-2, "iterations") == Span(21, 21)
    seconds = reach(experiment, DATA, "pragam", 1e-2, "seconds")
    np.testing.assert_allclose(seconds, (0.021, 0.021 * 1.1))
    short = made([made_run(DATA, "pragam", geometric(100))])
    assert reach(short, DATA, "pragam", 1e-3, "iterations") == Span(200, np.inf)
    assert reach(experiment, DATA, "ls-bmrm", 1e-2, "iterations") == UNKNOWN


def test_a_rough_reference_widens_the_span_instead_of_hiding_it():
    rough = with_reference(made([made_run(DATA, "pragam", geometric(10))]), dual=OPTIMUM * 0.99, relative_gap=0.01)
    span = reach(rough, DATA, "pragam", 0.05, "iterations")
    assert span == Span(14, 14)  # 10^-1.4 = 0.0398 and 10^-1.4 + 0.01 are both below 0.05
    span = reach(rough, DATA, "pragam", 0.03, "iterations")
    assert span == Span(16, 17)  # 10^-1.6 = 0.0251 may be enough, 10^-1.7 + 0.01 = 0.02995 is
    assert reach(rough, DATA, "pragam", 0.009, "iterations") == Span(21, np.inf)


def test_the_longest_fit_of_a_peer_bounds_what_it_did_not_reach():
    run = made_run(DATA, "liblinear", geometric(100), is_peer=True)
    times = run.seconds.copy()
    times[:, -1] = 0.0
    span = reach(made([replace(run, seconds=times)]), DATA, "liblinear", 1e-6, "seconds")
    assert span == Span(times[0, -2], np.inf)


def test_the_target_is_a_standard_error_below_a_known_optimum():
    experiment = made([made_run(DATA, "pragam")])
    tolerance = np.sqrt(0.9 * 0.1 / 250)
    np.testing.assert_allclose(fair_target(experiment, DATA), (0.9 - tolerance, tolerance))
    assert np.isnan(fair_target(with_reference(experiment, relative_gap=1e-3), DATA)).all()
    assert np.isnan(fair_target(with_reference(experiment, accuracy=np.nan), DATA)).all()
    assert arrival(experiment, DATA, "pragam", np.nan, "iterations") == UNKNOWN


def test_comparisons():
    two, five, after_three = Span(2, 2), Span(5, 5), Span(3, np.inf)
    assert sooner(two, five) == "confirmed" and sooner(five, two) == "refuted" and sooner(two, two) == "refuted"
    assert sooner(two, after_three) == "confirmed" and sooner(after_three, two) == "refuted"
    assert sooner(five, after_three) == sooner(after_three, five) == sooner(UNKNOWN, five) == "undecided"
    assert sooner(two, five, 2.4) == "confirmed" and sooner(two, five, 2.5) == "refuted"
    assert earliest([two, five, after_three]) == two
    assert earliest([five, UNKNOWN]) == Span(0, 5)
    table = {0.1: {"a": two, "b": five}, 0.01: {"a": after_three, "b": after_three}}
    assert list(reached(table)) == [0.1]
    assert faster(table, "a", "b") == "confirmed"


def test_text():
    assert Span(1234, 1234).text("iterations") == "1,234"
    assert Span(200, np.inf).text("iterations") == "> 200"
    assert Span(0.1234, 0.15).text("seconds") == "0.123-0.15 s"
    assert UNKNOWN.text("seconds") == "unknown"
