"""The certificate of a sum of problems is a theorem about the sum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pragam import Certificate
from pragam.certificate.totals import total_certificate

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
