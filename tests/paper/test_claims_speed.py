"""The claims on speed and on the course of J, on made experiments of known answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from claim_runs import DATA, SPEEDS, answer, geometric, of_speed

from made import OPTIMUM, made, made_run
from pragam.paper import claims
from pragam.paper.claims.results import (
    bmrm_linear,
    fluctuation,
    liblinear_ahead,
    pegasos_diverges,
    pragam_by_iterations,
    pragam_by_time,
    qp_bmrm_fast,
    slow_rivals,
)

BY_ITERATIONS = pragam_by_iterations.CLAIMS
LIBLINEAR_ITERATIONS, LIBLINEAR_TIME = liblinear_ahead.CLAIMS
(QP_FAST,) = qp_bmrm_fast.CLAIMS
SLOW_FIRST, COMPETITIVE = pragam_by_time.CLAIMS
PEGASOS_SLOW, LS_LONG, PEGASOS_LONG = slow_rivals.CLAIMS


@pytest.mark.parametrize(
    ("claim", "changed", "expected"),
    [
        (BY_ITERATIONS[0], {}, "confirmed"),
        (BY_ITERATIONS[0], {"ls_bmrm": 5}, "refuted"),
        (BY_ITERATIONS[0], {"pragam": 5000, "ls_bmrm": 5001}, "undecided"),  # both over budget everywhere
        (BY_ITERATIONS[0], {"ls_bmrm": 5000}, "confirmed"),  # the budget of the slower one decides nothing else
        (BY_ITERATIONS[1], {}, "confirmed"),
        (BY_ITERATIONS[1], {"pragam": 10.3, "pegasos_n": 10.3}, "refuted"),  # a tie is not faster
        (LIBLINEAR_ITERATIONS, {}, "confirmed"),
        (LIBLINEAR_ITERATIONS, {"liblinear": 2}, "refuted"),
        (LIBLINEAR_ITERATIONS, {"pegasos_1": 2, "pragam": 20, "qp_bmrm": 20}, "confirmed"),  # of another unit
        (LIBLINEAR_TIME, {"pegasos_1": 2, "pragam": 20, "qp_bmrm": 20}, "refuted"),  # counts by time only
        (LIBLINEAR_TIME, {"qp_bmrm": 20, "pragam": 20}, "confirmed"),
        (QP_FAST, {}, "confirmed"),
        (QP_FAST, {"qp_bmrm": 20}, "refuted"),
        (QP_FAST, {"qp_bmrm": 20, "ls_bmrm": 21, "pragam": 30}, "confirmed"),
        (SLOW_FIRST, {}, "refuted"),
        (SLOW_FIRST, {"pragam": 60}, "confirmed"),
        (COMPETITIVE, {}, "confirmed"),
        (COMPETITIVE, {"pragam": 30}, "refuted"),
        (PEGASOS_SLOW, {}, "confirmed"),
        (PEGASOS_SLOW, {"pegasos_1": 90}, "refuted"),
        (LS_LONG, {}, "confirmed"),
        (LS_LONG, {"ls_bmrm": 25}, "refuted"),
        (PEGASOS_LONG, {}, "confirmed"),
        (PEGASOS_LONG, {"pegasos_1": 20}, "refuted"),
    ],
)
def test_speed(claim, changed, expected):
    assert answer(claim, of_speed(**{**SPEEDS, **changed})) == expected


SPEED_CLAIMS = [*BY_ITERATIONS, *liblinear_ahead.CLAIMS, QP_FAST, SLOW_FIRST, COMPETITIVE, *slow_rivals.CLAIMS]


@pytest.mark.parametrize("claim", SPEED_CLAIMS, ids=lambda claim: claim.sentence)
def test_speed_is_undecided_without_runs_or_with_too_small_a_budget_or_without_a_reference(claim):
    runs = of_speed(**SPEEDS)
    assert answer(claim, [made_run(DATA, "dcd")]) == "undecided"
    assert answer(claim, of_speed(count=1, **dict.fromkeys(SPEEDS, 50))) == "undecided"
    rough = made(runs)
    rough = replace(
        rough, references={key: replace(r, dual=0.0, relative_gap=1.0) for key, r in rough.references.items()}
    )
    assert claim.judge(rough, DATA).answer == "undecided"
    assert claim.judge(replace(rough, references={}), DATA).answer == "undecided"


def test_time_is_undecided_within_the_spread_of_the_repeats():
    """The repeats of a made run differ by up to 10 %."""
    assert answer(LS_LONG, of_speed(pragam=10, ls_bmrm=31)) == "undecided"
    assert answer(LS_LONG, of_speed(pragam=10, ls_bmrm=34)) == "confirmed"
    assert answer(PEGASOS_SLOW, of_speed(pragam=9.9, pegasos_1=105)) == "confirmed"  # iterations have no spread


def test_a_time_measured_once_may_be_off():
    once = [replace(run, seconds=run.seconds[:1]) for run in of_speed(pragam=10, ls_bmrm=34)]
    assert answer(LS_LONG, once) == "undecided"
    once = [replace(run, seconds=run.seconds[:1]) for run in of_speed(pragam=10, ls_bmrm=50)]
    assert answer(LS_LONG, once) == "confirmed"


def test_a_missing_rival_can_refute_but_not_confirm():
    runs = of_speed(pragam=10, ls_bmrm=40, qp_bmrm=8)
    assert answer(QP_FAST, runs) == "undecided"  # pegasos-n might be ahead
    assert answer(QP_FAST, of_speed(pragam=10, ls_bmrm=40, qp_bmrm=20)) == "refuted"


def test_a_run_on_another_problem_does_not_count():
    runs = of_speed(**{**SPEEDS, "qp_bmrm": 20})
    assert answer(LIBLINEAR_ITERATIONS, runs) == "confirmed"
    biased = [replace(run, problem="hinge with a bias") if run.solver == "liblinear" else run for run in runs]
    assert answer(LIBLINEAR_ITERATIONS, biased) == "undecided"


def test_pegasos_diverges():
    n, _ = pegasos_diverges.CLAIMS
    assert answer(n, [made_run(DATA, "pegasos-n", lambda t: 10 + 0 * t)]) == "confirmed"
    assert answer(n, [made_run(DATA, "pegasos-n", lambda t: 100 / t)]) == "refuted"
    falling = made_run(DATA, "pegasos-n", lambda t: 100 / t)
    assert answer(n, [replace(falling, iterate=np.full(200, 50.0))]) == "undecided"
    assert answer(n, [replace(falling, iterate=np.full(200, 50.0), primal=np.full(200, np.nan))]) == "confirmed"
    assert answer(n, [made_run(DATA, "dcd")]) == "undecided"
    named = {
        v.data
        for v in claims.verdicts(made([made_run("a9a", "pegasos-n"), made_run("w8a", "pegasos-n")]))
        if "diverges" in v.claim
    }
    assert named == {"a9a"}


def test_fluctuation():
    claim = fluctuation.CLAIMS[2]
    assert answer(claim, [made_run(DATA, "ls-bmrm")]) == "refuted"
    assert answer(claim, [made_run(DATA, "ls-bmrm", lambda t: np.where(t % 7, 1 / t, 30 / t))]) == "confirmed"
    only_at_first = lambda t: np.where((t % 7 > 0) | (t > 50), 1 / t, 30 / t)  # noqa: E731
    assert answer(claim, [made_run(DATA, "ls-bmrm", only_at_first)]) == "refuted"
    assert answer(claim, [made_run(DATA, "ls-bmrm", count=5)]) == "undecided"
    assert answer(claim, [made_run(DATA, "ls-bmrm", lambda t: 0 * t)]) == "undecided"  # at the optimum all along
    mean = made_run(DATA, "pegasos-n")
    raw = replace(mean, iterate=OPTIMUM * (1 + np.where(mean.iteration % 7, 1, 30) / mean.iteration))
    assert answer(fluctuation.CLAIMS[0], [mean]) == "refuted"
    assert answer(fluctuation.CLAIMS[0], [raw]) == "confirmed"  # the answer does not, the iterate does


def test_bmrm_looks_linear():
    claim = bmrm_linear.CLAIMS[0]
    assert answer(claim, [made_run(DATA, "qp-bmrm", geometric(20))]) == "confirmed"
    assert answer(claim, [made_run(DATA, "qp-bmrm", lambda t: 1 / t, count=3000)]) == "refuted"
    assert (
        answer(claim, [made_run(DATA, "qp-bmrm", lambda t: 1 / t)]) == "undecided"
    )  # 1.3 powers of 10 after the start
    stairs = made_run(DATA, "qp-bmrm", lambda t: np.where(t < 100, 1.0, np.where(t < 190, 1e-2, 1e-5)))
    finding = claim.judge(made([stairs]), DATA)
    assert finding.answer == "undecided" and "R^2" in finding.numbers  # neither curve fits, the line less badly
    assert answer(claim, [made_run(DATA, "qp-bmrm", lambda t: 1 / t, count=20)]) == "undecided"  # too short
    assert answer(claim, [made_run(DATA, "dcd")]) == "undecided"
    assert bmrm_linear.straight_line(np.arange(4.0), 3 - 2 * np.arange(4.0)) == pytest.approx((-2, 1))
