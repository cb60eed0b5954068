"""Solvers by name: what is refused, and what is offered instead."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pragam
from pragam import solvers
from pragam.structured import chain_hinge
from zoo import hinge_case


def offered(message):
    """The names in quotes that follow "one of"."""
    return re.findall(r"'([\w-]+)'", message.split("one of", 1)[1].split(", not ")[0])


def test_names_are_sorted():
    assert solvers.names() == sorted(solvers.names())


def test_an_unknown_name_is_answered_with_those_that_fit():
    rng = np.random.default_rng(0)
    sequences = chain_hinge(rng.standard_normal((9, 2)), np.arange(9) % 2, [4, 5])
    for problem in (hinge_case("plain", True, 0).problem, sequences):
        with pytest.raises(ValueError, match=r"^solver must be one of") as caught:
            pragam.solve(problem, "sgd")
        names = offered(str(caught.value))
        assert names == sorted(names) and "auto" in names
        for name in solvers.names():
            if name in names:
                assert pragam.solve(problem, name, max_iter=1).n_iter <= 1
            else:
                with pytest.raises(ValueError, match="does not fit"):
                    pragam.solve(problem, name)


def test_without_a_problem_all_names_are_offered_in_order():
    with pytest.raises(ValueError, match="solver must be one of") as caught:
        solvers.by_name("sgd")
    assert offered(str(caught.value)) == solvers.names()


def test_what_a_solver_is_for_is_said_in_words():
    with pytest.raises(ValueError, match=r"it is for sequences \(chain_hinge\).*What fits is one of 'auto'"):
        pragam.solve(hinge_case("plain", True, 0).problem, "flow-ascent")
