"""What an algorithm has still to do: by its cost, and by what it has shown."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.solvers.base import Cost
from pragam.solvers.choice.outlook import WARM, Outlook

COST = Cost(passes=20.0, steps=10.0, per_pass=2.0, per_step=1.0, start=5.0)


def followed(rate, passes, trust=1.0, tol=1e-6):
    """After these passes, in each of which the gap has fallen by the factor e^-rate."""
    outlook = Outlook(Cost(passes=50.0, steps=0.0, per_pass=1.0, trust=trust), tol)
    outlook.begin_turn(0.0)
    for k in range(1, passes + 1):
        outlook.note(float(k), float(np.exp(-rate * k)))
    return outlook


def test_work_is_counted():
    assert COST.total == 5 + 40 + 10
    outlook = Outlook(COST, 1e-3)
    assert outlook.used == 0 and outlook.left == COST.total == outlook.left_from(1.0)
    outlook.begin_turn(3.0)
    outlook.note(4.0, None)
    assert outlook.used == 5 + 2 * 4 + 1
    outlook.begin_turn(1.0)  # another turn: its passes are added
    outlook.note(2.0, None)
    assert outlook.used == 5 + 2 * 6 + 2 * 1


@pytest.mark.parametrize("rate", [0.05, 0.2, 1.0])
def test_a_steady_rate_that_is_trusted_is_extrapolated(rate):
    """The passes left are log(g / tol) / rate, whatever the cost says."""
    outlook = followed(rate, passes=12)
    left = (np.log(1e6) - 12 * rate) / rate
    assert outlook.left == pytest.approx(left, rel=1e-6)
    assert followed(rate, passes=12, trust=0.0).left == pytest.approx(38.0 if rate < 1 else outlook_cap(12), rel=1e-6)


def outlook_cap(passes):
    """sqrt(s) T where the gap has fallen by e^-1 a pass."""
    return 50 * np.sqrt(1 - passes / np.log(1e6))


def test_a_gap_that_stands_still_says_that_there_is_much_to_do():
    standing, falling = followed(1e-6, 40, trust=0.5), followed(0.3, 40, trust=0.5)
    assert standing.left > 10 * falling.left


def test_what_is_left_falls_with_the_gap_and_never_to_zero():
    lefts = [followed(0.5, passes, trust=0.5).left for passes in range(2, 27)]  # the tolerance is met after 27.6
    assert (np.diff(lefts) < 0).all()
    assert followed(0.5, 400, trust=0.5).left > 0


def test_a_good_point_saves_work_and_a_bad_one_does_not():
    outlook = Outlook(COST, 1e-6)
    assert outlook.left_from(1.0) == outlook.left_from(np.nextafter(WARM, 1)) == COST.total
    assert COST.total > outlook.left_from(0.1) > outlook.left_from(1e-5) > COST.start


def test_unknown_gaps_are_passed_over():
    outlook = Outlook(COST, 1e-6)
    outlook.begin_turn(0.0)
    for gap in (np.inf, None, np.nan, -1.0, 3.0):
        outlook.note(1.0, gap)
    assert outlook.gap == 1.0 and outlook.steps == 5 and np.isfinite(outlook.left)
