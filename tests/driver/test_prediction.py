"""The next point of a path from the last two: exact on a straight part of the path, and never trusted elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pragam
from pragam.certificate import Lower, Upper
from pragam.driver.prediction import Prediction
from pragam.driver.record import Record
from risk_zoo import RISKS


def separated():
    """Two classes far apart: for all small lam the rows of the margin are the same, and w* does not change."""
    rng = np.random.default_rng(3)
    y = np.repeat([-1.0, 1.0], 20)
    X = rng.standard_normal((40, 5)) + 6 * y[:, None]
    return pragam.hinge(X, y)


def solved(problem, lams):
    prediction, record = Prediction(), None
    for lam in lams:
        result = pragam.solve(problem.at(lam), tol=1e-12)
        prediction.learn(lam, result)
        record = Record(problem.at(lam), 0.0)
        record.keep(result, record.judge_bounds(*_bounds(problem.at(lam), result)))
    return prediction, record


def _bounds(problem, result):
    return Upper(problem, result.w), Lower(problem, result.alpha)


@pytest.mark.parametrize(("lams", "lam"), [((1e-4, 4e-5), 1e-5), ((1e-3, 5e-4), 1e-4)])
def test_on_a_straight_part_the_prediction_is_the_optimum(lams, lam):
    problem = separated()
    prediction, record = solved(problem, lams)
    there = problem.at(lam)
    start = prediction.start(there, Record(there, 0.0, near=record))
    carried = Record(there, 0.0, near=record).certificate
    proof = pragam.certify(there, start.w, start.alpha)
    assert proof.relative_gap < 1e-6 < 0.1 < carried.relative_gap


def test_a_prediction_is_feasible_and_each_half_of_the_start_is_no_worse_than_the_last_pair():
    problem = RISKS["hinge"](np.random.default_rng(7), True, weighted=True).problem
    prediction, record = solved(problem, (2.0**-2, 2.0**-5))
    for lam in (2.0**-3, 2.0**-6, 2.0**-9, 2.0**-15):
        there = problem.at(lam)
        moved = Record(there, 0.0, near=record)
        prediction.pause = 0
        start = prediction.start(there, moved)
        assert there.domain.contains(start.alpha)
        rounding = 1e-12 * abs(moved.certificate.primal)
        assert there.primal(start.w) <= moved.certificate.primal + rounding
        assert there.dual(start.alpha) >= moved.certificate.dual - rounding


def test_after_losses_predictions_are_asked_for_ever_less_often():
    problem = separated()
    one, two = (pragam.solve(problem.at(lam), tol=1e-9) for lam in (1.0, 0.5))
    wrong = replace(two, w=-9 * two.w, alpha=problem.start())  # a line that leads away from the optimum
    prediction, asked = Prediction([(1.0, one), (0.5, wrong)]), []
    record = Record(problem.at(0.5), 0.0)
    record.keep(two, record.judge_bounds(*_bounds(problem.at(0.5), two)))
    for _ in range(12):
        before = prediction.losses
        prediction.start(problem.at(0.4), Record(problem.at(0.4), 0.0, near=record))
        asked.append(prediction.losses > before)
    assert np.flatnonzero(asked).tolist() == [0, 2, 6]
