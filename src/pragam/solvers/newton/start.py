r"""Where the Newton method's first stage starts, if not at a sample's solution (:mod:`pragam.solvers.newton.sample`).

*At a warm start*, if there is one.

*By sweeps* of coordinate ascent. The smaller C R^2 (:mod:`pragam.solvers.hardness`), and the rarer one of the classes,
the sooner do they find at which bound most rows end; Newton's method takes a dozen steps on all rows to send them
there. Sweeps that get nowhere leave a worse start than none. So the first is a trial: if its gap, the sum of the rows'
gaps as it met them, is nearly all of J, no other follows.

*In the middle* of the boxes, at w = 0, where nothing is known.

Sweeps are not tried where they did not pay: on problems of a few milliseconds, whose time is Python's own; at large
C R^2, where the trial would fail; on dense rows, where Newton's steps cost less; and with a bias, which sweeps are slow
to find.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem
from pragam.solvers.base import Start
from pragam.solvers.dcd import Dcd
from pragam.solvers.hardness import hardness

#: The first delta: with nothing known, at a warm start, after sweeps.
FIRST_DELTA, _WARM_DELTA, _SWEPT_DELTA = 4.0, 0.25, 1.0
#: Sweeps are tried if X has this many places and C R^2 is no larger than this. They go on if the first one leaves a gap
#: no larger than this, ...
_LEAST_PLACES, _HARDEST, _PROMISING = 3e5, 300.0, 0.93
#: ... to this gap, and for this many passes at most.
_SWEPT_TOL, _SWEPT_PASSES = 1e-2, 10.0


@dataclass
class Guess:
    """Where the first stage starts."""

    w: Vector
    bias: float | None  # None: the best for w
    centre: Vector  # in the units of beta
    delta: float
    passes: float
    factor: Vector | None = None  # of a sample's system, to precondition with


def at_start(problem: Problem, start: Start) -> Guess:
    return Guess(start.w.copy(), None, _positions(problem, start.alpha), _WARM_DELTA, 0.0)


def in_the_middle(problem: Problem) -> Guess:
    return Guess(np.zeros(problem.n_weights), None, np.full(problem.Q.size, 0.5), FIRST_DELTA, 0.0)


def by_sweeps(problem: Problem, rng: np.random.Generator) -> Guess:
    """After some sweeps of coordinate ascent; in the middle where they do not pay."""
    guess = in_the_middle(problem)
    if not _worth_a_trial(problem):
        return guess
    method = Dcd(momentum=False, face=False)
    state = method.step(problem, method.init(problem, rng, None, _SWEPT_TOL))
    if not method.estimate(problem, state) <= _PROMISING:
        guess.passes = state.passes
        return guess
    while method.estimate(problem, state) > _SWEPT_TOL and state.passes < _SWEPT_PASSES:
        state = method.step(problem, state)
    w, alpha = method.candidate(problem, state)
    return Guess(w.copy(), None, _positions(problem, alpha), _SWEPT_DELTA, state.passes)


def _worth_a_trial(problem: Problem) -> bool:
    A = problem.A
    assert isinstance(A, RowOperator)
    n, d = A.shape
    if isinstance(problem.Q, BoxPlane) or A.rows().kind == "dense" or n * d < _LEAST_PLACES:
        return False
    return hardness(problem) <= _HARDEST


def _positions(problem: Problem, alpha: Vector) -> Vector:
    """Where alpha is in its box: 0 at the lower end, 1 at the upper."""
    Q = problem.Q
    assert isinstance(Q, Box)
    width = Q.upper - Q.lower
    positions = np.divide(alpha - Q.lower, width, out=np.zeros(Q.size), where=width > 0)
    return np.clip(positions, 0.0, 1.0)
