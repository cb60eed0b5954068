r"""Where the Newton method's first stage starts: the first of these that applies.

*At a warm start*, if there is one.

*At a sample's solution* (:mod:`pragam.solvers.newton.sample`), where there are many more rows than weights.

*After sweeps* of coordinate ascent. The smaller C R^2 (:mod:`pragam.solvers.choice.hardness`), and the rarer one of the
classes, the faster sweeps find each row's final bound; Newton's method takes a dozen steps on all rows to send them
there. Sweeps that get nowhere leave a worse start than none. So the first is a trial: if its gap, the sum of the rows'
gaps as it met them, is nearly all of J, no other follows. Nor does one where the risk is smooth: there Newton's first
step on all rows is what costs most, and one sweep spares it. Sweeps are not tried where they did not pay: on problems
of a few milliseconds, whose time is Python's own; at large C R^2, where the trial would fail; on dense rows, where
Newton's steps cost less; and with a bias, which sweeps are slow to find. Only the one sweep of a smooth risk leaves the
bias out, and Newton's method finds it (w8a and w1a, squared hinge: up to a quarter less time).

*In the middle* of the boxes, at w = 0, where nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.planes import Planes
from pragam.problem import BoxProblem
from pragam.solvers.base import Solver, Start, advance
from pragam.solvers.choice.hardness import hardness
from pragam.solvers.dcd import Dcd
from pragam.solvers.newton.box_form import BoxForm
from pragam.solvers.newton.sample import sample_rows
from pragam.solvers.newton.state import NewtonState
from pragam.views import sampled

#: The first delta where nothing is known.
_FIRST_DELTA = 4.0
#: The first delta at a warm start, at most.
_WARM_DELTA = 0.25
#: The same, times the number of rows, over the number of weights: many rows for a weight need no soft stage
#: (``benchmarks/path.py``: with 0.25 on covtype, a path takes twice as long as from nothing; 15 and 60 are as good).
_WARM_DELTA_PER_ROW = 30.0
#: The first delta after sweeps.
_SWEPT_DELTA = 1.0
#: The first delta after a sample's solution, times the number of rows in the sample, over the number of weights.
_SAMPLE_DELTA = 30.0
#: The estimated gap at which a sample is solved.
_SAMPLE_TOL = 0.1
#: The most passes over the sample that its solution may take.
_SAMPLE_PASSES = 60.0
#: Sweeps are tried if X has at least this many places.
_LEAST_PLACES = 3e5
#: Sweeps are tried if C R^2 is no larger than this.
_HARDEST = 300.0
#: Sweeps go on if the first leaves a relative gap no larger than this.
_PROMISING = 0.93
#: Sweeps end at this estimated gap.
_SWEPT_TOL = 1e-2
#: Sweeps end after this many passes.
_SWEPT_PASSES = 10.0


@dataclass
class Guess:
    """Where the first stage starts."""

    w: Vector
    biases: Vector | None  # None: the best for w
    centre: Vector  # in the units of beta
    delta: float
    passes: float
    cholesky: Vector | None = None  # of a sample's system, to precondition with


def first_guess(
    method: Solver[BoxProblem, NewtonState], form: BoxForm, rng: np.random.Generator, start: Start | None
) -> Guess:
    """From the warm start, else from a sample's solution by ``method``, else by sweeps or from nothing."""
    if start is not None:
        return at_start(form, start)
    rows = sample_rows(form.A, rng)
    return by_sweeps(form, rng) if rows is None else from_sample(method, form, rng, rows)


def at_start(form: BoxForm, start: Start) -> Guess:
    n, d = form.shape
    delta = min(_WARM_DELTA, _WARM_DELTA_PER_ROW * max(d, 1) / n)
    return Guess(start.w.copy(), None if start.b is None else start.b.copy(), form.beta(start.alpha), delta, 0.0)


def in_the_middle(form: BoxForm) -> Guess:
    return Guess(np.zeros(form.shape[1]), None, form.middle(), _FIRST_DELTA, 0.0)


def from_sample(
    method: Solver[BoxProblem, NewtonState], form: BoxForm, rng: np.random.Generator, rows: NDArray[np.int64]
) -> Guess:
    """At the weights that are right for these rows."""
    part = sampled(form.problem, rows).problem
    state = advance(method, part, method.init(part, rng, None, _SAMPLE_TOL), _SAMPLE_TOL, _SAMPLE_PASSES)
    guess = in_the_middle(form)
    guess.w, guess.biases, guess.cholesky = state.point.w, state.point.biases, state.system.cholesky
    guess.passes = state.passes * len(rows) / form.shape[0]
    # The fewer rows for a weight, the less is the guess worth, and the softer the first stage must be.
    guess.delta = min(_SAMPLE_DELTA * max(form.shape[1], 1) / len(rows), _FIRST_DELTA)
    return guess


def by_sweeps(form: BoxForm, rng: np.random.Generator) -> Guess:
    """After some sweeps of coordinate ascent; in the middle where they do not pay."""
    guess, problem = in_the_middle(form), form.problem
    if not _worth_a_trial(form):
        return guess
    if problem.n_biases:
        problem = replace(problem, B=Planes.none(problem.Q.size), rest=replace(problem.rest, levels=None))
    method = Dcd(momentum=False, face=False)
    state = method.step(problem, method.init(problem, rng, None, _SWEPT_TOL))
    if not method.estimate(problem, state) <= _PROMISING:
        guess.passes = state.passes
        return guess
    if not form.is_smooth(_SWEPT_DELTA):
        state = advance(method, problem, state, _SWEPT_TOL, _SWEPT_PASSES)
    w, alpha = method.candidate(problem, state)
    return Guess(w.copy(), None, form.beta(alpha), _SWEPT_DELTA, state.passes)


def _worth_a_trial(form: BoxForm) -> bool:
    n, d = form.shape
    if form.problem.n_biases and not form.is_smooth(_SWEPT_DELTA):
        return False
    if form.A.rows().is_dense or n * d < _LEAST_PLACES or Dcd.missing(form.problem):
        return False
    return hardness(form.problem) <= _HARDEST
