"""Solvers that lie to the storage about data in blocks: what is certified is true all the same, judged exactly.

What a certificate rests on is made by the storage. So a solver can claim what it likes: that alpha was another one,
that rows in memory are others, that a task has answered something else. It pays with a reading, or its turn ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import pragam
from block_problems import box_risks, data, in_blocks
from exact_judge import exact_dual, exact_primal
from pragam.operators import storage
from pragam.solvers import BlockNewton, Windows, WorkingSet
from pragam.solvers.block_newton import rounds, tasks

RISKS = box_risks(0.05, 1.0)


def judged(solver, name, bias):
    """The result on blocks, whose bounds must be those of the problem in memory, as real numbers."""
    X, score = data(120, 3)
    here = RISKS[name](X, score, bias=bias)
    found = pragam.solve(RISKS[name](in_blocks(X, 6), score, bias=bias), solver, tol=1e-4, max_iter=6)
    proof = found.certificate
    assert proof.rigorous and exact_primal(here, found.w, found.biases) <= proof.primal
    assert proof.dual <= exact_dual(here, found.alpha)
    return found


@dataclass(frozen=True)
class OtherWeights(WorkingSet):
    """It says afterwards that it has read at other weights, and in place."""

    def step(self, problem, state):
        state = super().step(problem, state)
        state.read_at = state.read_at[0] * 0.9, state.read_at[1]
        return state


@dataclass(frozen=True)
class OtherAlpha(WorkingSet):
    """The rows that it does not hold have another alpha than it has told the reading."""

    def step(self, problem, state):
        state = super().step(problem, state)
        state.alpha = problem.domain.repair(problem.domain.onto_face(0.5 * state.alpha)).point
        return state


@dataclass(frozen=True)
class OtherRows(WorkingSet):
    """It writes into the rows that it holds, of which a certificate wants the product."""

    def _solve(self, problem, state, held, stands_for):
        held.A.storage.rows()[1][0][...] = 0.0
        super()._solve(problem, state, held, stands_for)


@dataclass(frozen=True)
class OtherRowNumbers(WorkingSet):
    """It says that it has other rows than it has."""

    def _solve(self, problem, state, held, stands_for):
        held.rows[...] = held.rows[::-1].copy()
        super()._solve(problem, state, held, stands_for)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["hinge", "tube"])
@pytest.mark.parametrize("solver", [WorkingSet, OtherWeights, OtherAlpha, Windows, BlockNewton])
def test_what_is_proposed_may_be_anything(solver, name, bias):
    judged(solver(), name, bias)


@pytest.mark.parametrize("solver", [OtherRows, OtherRowNumbers])
def test_rows_that_are_held_are_nobodys_to_change(solver):
    found = judged(solver(), "hinge", True)
    assert found.status is pragam.Status.FAILED and "read-only" in found.reason


def other_coefficients(place, storages, w, point, own):
    seen, coefficients = tasks.look(place, storages, w, point, own)
    return seen, coefficients * 0.5


def in_place(place, storages, w, point, own):
    """The answer is changed once it was given."""
    seen, coefficients = other_coefficients(place, storages, w, point, own)
    given.append(coefficients)
    return seen, coefficients


given = []


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube"])
def test_tasks_that_answer_for_another_alpha_prove_nothing_false(name, bias, monkeypatch):
    monkeypatch.setattr(rounds, "look", other_coefficients)
    judged(BlockNewton(), name, bias)


def test_answers_that_are_changed_once_they_were_given_prove_nothing_false(monkeypatch):
    honest = storage.rounds.Round.recall

    def recall(self, coefficients):
        for answer in given:
            answer *= 2.0
        given.clear()
        return honest(self, coefficients)

    monkeypatch.setattr(rounds, "look", in_place)
    monkeypatch.setattr(storage.rounds.Round, "recall", recall)
    judged(BlockNewton(), "hinge", True)
