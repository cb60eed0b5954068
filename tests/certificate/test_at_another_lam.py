"""The bounds of a point at another lam: those of a fresh judgement, to the bit, without another product."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.certificate import Lower, Upper, certificate_of
from risk_zoo import CASES, RISKS, SLOW


def points(problem, rng):
    return rng.standard_normal(problem.n_weights), problem.domain.sample(rng)


@pytest.mark.parametrize(("name", "bias"), [case for case in CASES if case not in SLOW], ids=str)
def test_bounds_at_another_lam_are_those_of_a_fresh_judgement(name, bias):
    rng = np.random.default_rng(5)
    problem = RISKS[name](rng, bias, weighted=True).problem
    w, alpha = points(problem, rng)
    upper, lower = Upper(problem, w), Lower(problem, alpha)
    certificate_of(problem, upper, lower)
    for lam in (problem.lam / 2, 3e-7, 1e4):
        other = problem.at(lam)
        moved, fresh = (upper.at(other), lower.at(other)), (Upper(other, w), Lower(other, alpha))
        for one, same in zip(moved, fresh, strict=True):
            for level in one.levels:
                assert str(getattr(one, level)) == str(getattr(same, level)), level
        assert certificate_of(other, *moved) == certificate_of(other, *fresh)


def test_no_product_is_made_again(monkeypatch):
    problem = RISKS["hinge"](np.random.default_rng(0), True, weighted=False).problem
    w, alpha = points(problem, np.random.default_rng(1))
    upper, lower = Upper(problem, w), Lower(problem, alpha)
    for bound in (upper, lower):
        assert all(getattr(bound, level) for level in bound.levels)
    for product in ("matvec", "rmatvec", "sharp_matvec", "sharp_rmatvec", "running_rmatvec", "bounded_rmatvec"):
        monkeypatch.setattr(type(problem.A), product, None)
    other = problem.at(problem.lam / 7)
    certificate_of(other, upper.at(other), lower.at(other))
