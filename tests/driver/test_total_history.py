"""Several problems as one: how their sum ended, and its history."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import Certificate, History, Status
from pragam.driver.totals import total_history, worst_status


@pytest.mark.parametrize("seed", range(5))
def test_the_worst_status_counts(seed):
    rng = np.random.default_rng(seed)
    statuses = rng.permutation([Status.CONVERGED] * 3 + [Status.STALLED, Status.ROUNDING])
    assert worst_status(statuses.tolist()) is Status.STALLED
    assert worst_status([*statuses, Status.INTERRUPTED]) is Status.INTERRUPTED
    assert worst_status([Status.FAILED, *statuses, Status.INTERRUPTED]) is Status.FAILED
    assert all(worst_status([status]) is status for status in Status)


def history(*rows: tuple[int, float, float, float, float]) -> History:
    return History.from_rows([(*row, row[3] - row[4]) for row in rows])


def test_the_history_by_hand():
    """Two solves that overlap: iterations and passes add up, and bounds hold until better ones come."""
    first = history((0, 1.0, 0.0, 8.0, 0.0), (2, 5.0, 2.0, 6.0, 4.0))
    second = history((0, 2.0, 0.0, 16.0, 1.0), (3, 9.0, 4.0, 12.0, 10.0))
    proofs = [Certificate(6.0, 4.0), Certificate(12.0, 10.0)]
    total = total_history([first, second], [0.0, 1.0], proofs)
    assert total.seconds.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert total.iteration.tolist() == [0, 0, 2, 5]
    assert total.passes.tolist() == [1.0, 3.0, 7.0, 14.0]
    assert total.primal == pytest.approx([24, 24, 22, 18], rel=1e-15)
    assert total.dual == pytest.approx([1, 1, 5, 14], rel=1e-15)
    assert total.gap == pytest.approx([23, 23, 17, 4], rel=1e-15)


def test_a_problem_that_was_never_begun_counts_with_its_certificate():
    proofs = [Certificate(6.0, 4.0), Certificate(12.0, 10.0)]
    total = total_history([history((0, 1.0, 0.0, 6.0, 4.0)), history()], [0.0, 0.0], proofs)
    assert (total.primal[-1], total.dual[-1]) == pytest.approx((18, 14), rel=1e-15)
