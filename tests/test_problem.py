"""The problem as an object: another lam, what it refuses, and how it prints."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

import pragam
from pragam.problem import Problem
from risk_zoo import CASES, RISKS


def drawn(name, bias):
    return RISKS[name](np.random.default_rng(0), bias, weighted=True).problem


CACHED = [name for name, value in vars(Problem).items() if isinstance(value, cached_property)]


@pytest.mark.parametrize(("name", "bias"), CASES, ids=str)
def test_another_lam_is_the_same_problem_with_that_lam(name, bias):
    """What is cached is shared, and no cached property depends on lam."""
    problem = drawn(name, bias)
    known = {each: getattr(problem, each) for each in CACHED}
    other, fresh = problem.at(0.5), replace(problem, lam=0.5)
    assert other.lam == 0.5 and problem.lam != 0.5
    w = np.random.default_rng(1).standard_normal(problem.n_weights)
    assert other.primal(w) == fresh.primal(w) and other.dual(other.start()) == fresh.dual(fresh.start())
    for each, value in known.items():
        assert getattr(other, each) is value
        if isinstance(value, np.ndarray):
            assert np.array_equal(getattr(fresh, each), value)


@pytest.mark.parametrize("lam", [0.0, -1.0, np.nan, np.inf, "a", None])
def test_another_lam_is_checked(lam):
    with pytest.raises(ValueError, match="lam must"):
        drawn("hinge", True).at(lam)


@pytest.mark.parametrize("A", [np.eye(3), [[1.0]], None])
def test_a_matrix_is_no_operator(A):
    plain = pragam.hinge(np.eye(3), [1, -1, 1], 0.1, bias=False)
    with pytest.raises(ValueError, match=r"^A must be an Operator, such as pragam\.operators\.ScaledRows, not"):
        pragam.Problem(A, plain.c, plain.Q, 0.1)


@pytest.mark.parametrize(("name", "bias"), CASES, ids=str)
def test_a_problem_prints_in_one_line(name, bias):
    text = repr(drawn(name, bias))
    assert len(text) < 120 and "\n" not in text and "array" not in text


def test_what_a_problem_prints():
    problem = pragam.hinge(np.eye(3), [1, -1, 1], 0.1)
    assert repr(problem) == "<Problem: 3 weights, 1 bias, 3 dual variables in Box, lam = 0.1>"
