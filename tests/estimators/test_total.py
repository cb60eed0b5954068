"""Several one-vs-rest problems as one: the certificate, the history and the status of their sum."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from svc_data import make_data

from pragam import Certificate, History, LinearSVC, Status
from pragam.estimators.total import total_certificate, total_history, worst_status

FINITE = st.floats(-1e300, 1e300)


def certificate(primal: float, dual: float = 0.0, exact: bool = True, rigorous: bool = True) -> Certificate:
    return Certificate(primal, dual, np.array([primal]), exact, rigorous)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=2, max_size=30))
def test_sums_are_bounds_as_real_numbers(pairs):
    total = total_certificate([certificate(*pair) for pair in pairs])
    if np.isfinite(total.primal):
        assert Fraction(total.primal) >= sum(Fraction(primal) for primal, _ in pairs)
    if np.isfinite(total.dual):
        assert Fraction(total.dual) <= sum(Fraction(dual) for _, dual in pairs)


@given(st.lists(st.floats(0, 1e3), min_size=2, max_size=30))
def test_sums_are_tight(values):
    total = total_certificate([certificate(value, value) for value in values])
    real = np.finfo(np.float64)
    assert total.gap <= 8 * len(values) * (real.eps * sum(values) + real.tiny)


def test_a_missing_bound_is_missing_in_the_sum():
    total = total_certificate([certificate(1.0, -np.inf), certificate(np.inf, 0.5)])
    assert (total.primal, total.dual) == (np.inf, -np.inf)


def test_the_sum_is_a_theorem_if_all_are_and_one_is_itself():
    one, relaxed, loose = certificate(1.0), certificate(2.0, exact=False), certificate(3.0, rigorous=False)
    both = total_certificate([one, one])
    assert both.exact and both.rigorous
    assert not total_certificate([one, relaxed, one]).exact
    assert not total_certificate([one, one, loose]).rigorous
    assert total_certificate([one, loose, relaxed]).biases.tolist() == [1.0, 3.0, 2.0]
    assert total_certificate([one]) is one


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
    proofs = [certificate(6.0, 4.0), certificate(12.0, 10.0)]
    total = total_history([first, second], [0.0, 1.0], proofs)
    assert total.seconds.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert total.iteration.tolist() == [0, 0, 2, 5]
    assert total.passes.tolist() == [1.0, 3.0, 7.0, 14.0]
    assert total.primal == pytest.approx([24, 24, 22, 18], rel=1e-15)
    assert total.dual == pytest.approx([1, 1, 5, 14], rel=1e-15)
    assert total.gap == pytest.approx([23, 23, 17, 4], rel=1e-15)


def test_a_problem_that_was_never_begun_counts_with_its_certificate():
    proofs = [certificate(6.0, 4.0), certificate(12.0, 10.0)]
    total = total_history([history((0, 1.0, 0.0, 6.0, 4.0)), history()], [0.0, 0.0], proofs)
    assert (total.primal[-1], total.dual[-1]) == pytest.approx((18, 14), rel=1e-15)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_an_estimator_has_one_proof_whatever_its_classes(n_classes, n_jobs):
    X, y, weights, C = make_data(1, n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LinearSVC(C, solver="newton", n_jobs=n_jobs).fit(X, y, weights)
    n_problems = 1 if n_classes == 2 else n_classes
    assert len(model.certificates_) == len(model.histories_) == len(model.statuses_) == n_problems
    assert isinstance(model.certificate_, Certificate) and model.certificate_.relative_gap <= 1e-4
    assert model.certificate_ == total_certificate(model.certificates_)
    assert model.status_ is Status.CONVERGED
    past = model.history_
    assert isinstance(past, History) and len(past) > 1
    assert past.iteration[-1] == sum(part.iteration[-1] for part in model.histories_)
    assert past.passes[-1] == pytest.approx(sum(part.passes[-1] for part in model.histories_))
    assert (np.diff(past.primal) <= 0).all() and (np.diff(past.dual) >= 0).all() and (np.diff(past.seconds) >= 0).all()
    proof = model.certificate_
    assert (past.primal[-1], past.dual[-1], past.gap[-1]) == (proof.primal, proof.dual, proof.gap)


def test_there_is_no_history_before_the_fit():
    assert not hasattr(LinearSVC(), "history_")
