"""Several classes: which problems they make; and the two scalings of an objective."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.risks import Hinge, OneVsRest
from pragam.risks.one_vs_rest import positives
from pragam.risks.scaling import c_of, lam_of
from pragam.samples import Rows


def test_two_classes_are_one_problem_and_more_are_one_each():
    X = np.random.default_rng(0).standard_normal((12, 2))
    for n_classes in (2, 3, 4):
        y = np.arange(12) % n_classes
        problems = OneVsRest(each=Hinge(lam=0.1)).pose(Rows.of(X, y), np.arange(n_classes))
        expected = [1] if n_classes == 2 else list(range(n_classes))
        assert positives(list(range(n_classes))) == expected
        for k, problem in zip(expected, problems, strict=True):
            assert np.array_equal(problem.domain.sigma, np.where(y == k, 1.0, -1.0))


@pytest.mark.parametrize("n", [1, 7, 10**6])
@pytest.mark.parametrize("C", [1e-9, 0.3, 1, 1e9])
def test_c_and_lam_are_each_other(C, n):
    lam = lam_of(C, n)
    assert lam == 1 / (n * C) and c_of(lam, n) == pytest.approx(C, rel=1e-15)


@pytest.mark.parametrize("C", [0, -1.0, float("nan"), 1e-315, 1e308, float("inf")])
def test_a_c_without_a_lam_is_refused(C):
    with pytest.raises(ValueError, match=r"^C .*positive"):
        lam_of(C, 20)
