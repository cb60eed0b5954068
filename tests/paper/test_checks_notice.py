"""The newest statements fail if the solver does not do what they say."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import theory
from pragam.polytopes import Simplices
from pragam.solvers.bundle import ls_bmrm
from pragam.solvers.bundle.cuts import Cut


def failing(name):
    return {check.name.split(".")[1] for check in theory.run([name]) if not check.holds}


@pytest.mark.parametrize("name", ["ls_bmrm_gauss_southwell", "subgradient_lower_bound"])
def test_nothing_fails_undisturbed(name):
    assert failing(name) == set()


def test_a_shorter_step_is_no_exact_line_search(monkeypatch):
    exact = ls_bmrm._on_segment

    def halfway(problem, old, new):
        best = exact(problem, old, new)
        return Cut(*((x + y) / 2 for x, y in zip(old, best, strict=True)))

    monkeypatch.setattr(ls_bmrm, "_on_segment", halfway)
    assert failing("ls_bmrm_gauss_southwell") >= {"coordinate_ascent", "frank_wolfe", "line_search"}


def test_an_oracle_that_returns_the_mean_of_ties_is_noticed(monkeypatch):
    def mean_of_ties(self, s):
        ties = s >= s.max() - 1e-12
        return ties / ties.sum()

    monkeypatch.setattr(Simplices, "maximise_linear", mean_of_ties)
    assert "oracle" in failing("subgradient_lower_bound")


def test_a_pegasos_that_leaves_the_span_is_noticed(monkeypatch):
    from pragam.solvers.pegasos.pegasos_n import PegasosN

    step = PegasosN.step

    def disturbed(self, problem, state):
        state = step(self, problem, state)
        state.w = state.w + 1e-3 * np.abs(state.w).max() * np.arange(len(state.w))
        return state

    monkeypatch.setattr(PegasosN, "step", disturbed)
    assert "span" in failing("subgradient_lower_bound")
