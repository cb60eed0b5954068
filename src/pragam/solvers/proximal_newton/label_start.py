r"""Where the first stage of the label form starts: the first of these that applies.

*At a warm start*, if there is one.

*At a sample's solution* (:mod:`label_sample`), where there are many more examples than weights. Its first stages, in
which nearly every label is in the support of every example, cost a fraction there. The examples left out have no dual
point yet, so those of all follow the scores alone: the centre is 0.

*At w = 0*, where nothing is known: with a proximal term as soft as w can resist.
"""

from __future__ import annotations

import numpy as np

from pragam.operators.base import Vector
from pragam.solvers.base import Start
from pragam.solvers.proximal_newton.label_sample import drawn_examples
from pragam.solvers.proximal_newton.labels import LabelState, begin_stage, least_delta, step, unit_of
from pragam.solvers.proximal_newton.working_set import LabelProblem, shares

#: The first delta, in units of the geometric mean of the largest c and of the mean slack of the start: stages that end
#: at a relative gap g have a delta near sqrt(g) in a trace of letter, the one set on which this was read off.
_FIRST_DELTA = 1.0
#: The first unit without a start, in units of the steepest step.
_BOLD = 1000.0
#: The best biases are searched for, where that takes long, up to this many dual variables: biases alone often settle as
#: few examples. The search takes 7 to 30 ms at 500, more than a solve.
_SEARCHED = 250
#: The estimated gap at which a sample is solved. At 0.03 letter takes twice as long: what is settled beyond that is
#: the sample's alone.
_SAMPLE_TOL = 0.1
#: The most steps that a sample's solution may take: covtype, with columns that few of its rows have, takes 76.
_SAMPLE_STEPS = 200
#: delta after a sample's solution, over the sample's last one. On letter 1 and 1/4 take 1.1 and 1.7 times as long. On
#: covtype, one draw each, 0.7 and 1 take 1.6 and 1.2 times as long: that differs from draw to draw.
_AFTER_SAMPLE = 0.5
#: A unit below this is that of slopes which are rounding.
_NEGLIGIBLE = 1e-100
_TINY = float(np.finfo(np.float64).tiny)


def init(problem: LabelProblem, rng: np.random.Generator, start: Start | None, tol: float) -> LabelState:
    """The first stage, at its start."""
    if start is not None:
        return _at(problem, start, tol)
    part, share = drawn_examples(problem, rng)
    return _from_nothing(problem, tol) if part is None else _from_sample(problem, part, share, rng, tol)


def _at(problem: LabelProblem, start: Start, tol: float) -> LabelState:
    b = start.b.copy() if start.b is not None else _biases(problem, problem.scores(start.w))
    base = shares(problem.Q.totals, start.alpha, problem.Q.K)
    return _stage(
        problem, start.w.copy(), b, base, _delta(problem, start.w, b, start.alpha), unit_of(problem, base), tol
    )


def _from_nothing(problem: LabelProblem, tol: float) -> LabelState:
    w, alpha = np.zeros(problem.n_weights), problem.start()
    b = _biases(problem, problem.scores(w))
    delta = _delta(problem, w, b, alpha)
    steepest = _steepest(problem, problem.scores(w) + problem.B.matvec(b))
    unit = min(_BOLD * delta * steepest, 1.0)
    unit = unit if unit > _NEGLIGIBLE else 1.0  # only biases help
    return _stage(problem, w, b, shares(problem.Q.totals, alpha, problem.Q.K), delta, unit, tol)


def _from_sample(
    problem: LabelProblem, part: LabelProblem, share: float, rng: np.random.Generator, tol: float
) -> LabelState:
    """At the weights and biases that are right for the sample, which has this share of the examples."""
    found, steps = init(part, rng, None, _SAMPLE_TOL), 0
    while not found.gap <= _SAMPLE_TOL and steps < _SAMPLE_STEPS:
        step(part, found)
        steps += 1
    delta = min(_AFTER_SAMPLE * found.delta, float(np.abs(problem.c).max(initial=0.0)))
    state = _stage(problem, found.w, found.b, np.zeros(problem.Q.size), delta, found.unit, tol)
    state.passes += share * found.passes
    return state


def _stage(
    problem: LabelProblem, w: Vector, b: Vector, base: Vector, delta: float, unit: float, tol: float
) -> LabelState:
    near = np.zeros(problem.Q.n_blocks, dtype=np.uint8)
    delta = max(delta, least_delta(problem, unit))
    state = LabelState(5.0, w, b, base, base.copy(), near, delta, unit, tol, None, w, b)  # type: ignore[arg-type]
    begin_stage(problem, state, problem.scores(w) + problem.B.matvec(b))
    return state


def _biases(problem: LabelProblem, scores: Vector) -> Vector:
    """The best at these scores, unless finding them takes longer than the steps that they would spare."""
    is_long = problem.cut is not None and problem.cut.is_search_long and problem.Q.size > _SEARCHED
    return np.zeros(problem.n_biases) if is_long else problem.best_biases(scores)


def _delta(problem: LabelProblem, w: Vector, b: Vector, alpha: Vector) -> float:
    """The first one, by how far alpha is from the best at the scores of (w, b)."""
    scores = problem.scores(w) + problem.B.matvec(b)
    slack = problem.Q.support(scores) - float(alpha @ scores)
    scale = float(np.abs(problem.c).max(initial=0.0))
    mean = min(max(slack, 0.0) / max(float(problem.Q.totals.sum()), _TINY), scale)
    return _FIRST_DELTA * float(np.sqrt(mean * scale))


def _steepest(problem: LabelProblem, scores: Vector) -> float:
    """The tau at which D is largest along totals_i s_i, less the mean of s_i, but for bounds: what w can resist."""
    rows = scores.reshape(-1, problem.Q.K)
    along = (problem.Q.totals[:, None] * (rows - rows.mean(axis=1, keepdims=True))).ravel()
    pull = problem.A.rmatvec(along)
    return float(along @ scores) / max(float(pull @ (pull / problem.lam)), _TINY)
