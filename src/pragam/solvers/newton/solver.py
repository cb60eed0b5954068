r"""Semismooth Newton inside a proximal-point (augmented Lagrangian) loop: for low and middle dimension.

After Li, Sun and Toh, "A highly efficient semismooth Newton augmented Lagrangian method" (SIAM J. Optim. 2018). The
dual is maximised with a proximal term around a centre a,

    max over the box of  <c, alpha> - |A' alpha|^2/(2 lam) - sum_i (alpha_i - a_i)^2/(2 tau_i),   tau = width / delta,

whose own dual is smooth in w (and in the bias b of a plane <sigma, alpha> = z, which is one more variable):

    Psi(w, b) = lam/2 |w|^2 + b z + sum_i max over the box of alpha_i s_i - (alpha_i - a_i)^2/(2 tau_i)
    s = c + A w - b sigma,     alpha_i(w, b) = clip(a_i + tau_i s_i, lower_i, upper_i)
    grad Psi = (lam w + A' alpha, z - <sigma, alpha>)

One step is a Newton step on Psi with the generalised Hessian lam I + sum over J of tau_i a_i a_i', J the rows strictly
inside their boxes (and, at first, those near them), and a line search, nearly exact. The bias is eliminated from the
step's equations, whose rows are then centred: a common offset of the data makes no difference. When the gradient is
small against the proximal term, the centre moves to alpha and delta shrinks by 4: a few stages reach full accuracy. The
first begins at a sample's solution, or after some sweeps of coordinate ascent (:mod:`pragam.solvers.newton.start`);
late ones work on the few rows that may still move (:mod:`pragam.solvers.newton.active_rows`). (w, alpha) are an
independent pair: w need not be w(alpha), and the certificate is J(w) - D(alpha). Binary data are packed at the start
(:mod:`pragam.solvers.packed`), their rows in another order from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pragam import _kernels
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem
from pragam.solvers.base import BOUNDED, BOX_OR_PLANE, PIECEWISE_LINEAR, ROWS, Solver, Start, State
from pragam.solvers.dcd.equality import onto_plane
from pragam.solvers.newton.active_rows import BAND, Selection, WorkingSet, select, working_set
from pragam.solvers.newton.sample import sample_rows, sampled_problem
from pragam.solvers.newton.start import FIRST_DELTA, Guess, at_start, by_sweeps, in_the_middle
from pragam.solvers.newton.system import Centre, NewtonSystem
from pragam.solvers.packed import Packed, packed

#: delta stays between these: beyond, it is rounding that keeps a stage from ending.
_DELTAS = 1e-30, 1e6
_SHRINK = 0.25
#: The inner problem is solved when |grad|^2/(2 lam) is below this many times the proximal term.
_INNER = 3.0
#: After this many steps in one stage the proximal term is made stronger.
_PATIENCE = 40
#: A line search ends with a step of this size, relative to t, or after so many evaluations.
_LINE_TOL = 1e-3
_EVALUATIONS = 60
#: A step is not prolonged beyond this: a Newton direction that asks for more consists of rounding.
_LONGEST = 1e6
#: How far outside its box, in widths, a row counts in the Hessian: at first, and how that shrinks with each full step.
_FIRST_BLUR = 1.0
_BLUR_SHRINK = 0.25
_LEAST_BLUR = 0.01
#: Rounding piles up in what is updated step by step. A new stage begins with A w and A' alpha computed afresh from this
#: delta on, and after A' alpha has become this much smaller than it was.
_REBUILD_DELTA = 0.05
_REBUILD_DROP = 0.1
#: How well, and for how long at most, a sample is solved; and the delta to go on with, per weight and sampled row.
_SAMPLE_TOL = 0.1
_SAMPLE_PASSES = 60.0
_SAMPLE_DELTA = 30.0
_TINY = np.finfo(np.float64).tiny


class Entry(NamedTuple):
    """Where a working set was chosen; s of all rows."""

    w: Vector
    bias: float
    s: Vector


@dataclass
class NewtonState(State):
    packed: Packed  # the problem that is solved; what has a row each is in its order
    w: Vector
    bias: float
    adjoint: Vector  # A' alpha
    beta: Vector  # of all rows; those of the working set may have moved on
    centre: Vector  # the stage's, of all rows, in the units of beta
    delta: float
    unit: float  # the size of beta that matters, which steps and distances are measured by
    work: WorkingSet
    entry: Entry | None  # None if the set is that of all rows
    system: NewtonSystem
    steps: int  # in this stage
    blur: float
    is_new_stage: bool  # centre and delta have changed since the working set was chosen
    checked: Vector | None  # s of all rows at w, if they were just looked at
    largest: float  # |A' alpha|, the largest since it was last computed afresh
    steepness: float  # of the plane: sum of width sigma^2
    mean: Vector  # of the rows, by their weights in the last step, where there is a plane; else 0

    @property
    def factor(self) -> float:
        """tau / width."""
        return self.unit / self.delta


@dataclass(frozen=True)
class Newton(Solver[NewtonState]):
    """Semismooth Newton augmented Lagrangian method."""

    name = "newton"
    requires = (ROWS, BOX_OR_PLANE, PIECEWISE_LINEAR, BOUNDED)

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> NewtonState:
        view = packed(problem)
        problem = view.problem
        guess = _first_guess(problem, rng, start and Start(start.w, view.pack(start.alpha)))
        Q, A = problem.Q, problem.A
        assert isinstance(Q, Box)
        s = problem.c + A.matvec(guess.w) if guess.w.any() else problem.c.copy()
        bias = guess.bias or 0.0
        if isinstance(Q, BoxPlane):
            bias = (Q.support(s)[1] or 0.0) if guess.bias is None else bias
            s -= bias * Q.sigma
        # No row is left out before a first stage has shown how far w is from its place.
        found = select(problem, s, guess.centre, 1 / guess.delta, np.inf)
        work = working_set(problem, found, guess.centre, 1 / guess.delta)
        return NewtonState(
            passes=guess.passes + 2,
            packed=view,
            w=guess.w,
            bias=bias,
            adjoint=work.fixed_adjoint + work.A.rmatvec(work.share),
            beta=found.beta,
            centre=guess.centre,
            delta=guess.delta,
            unit=1.0,
            work=work,
            entry=None,
            system=NewtonSystem(work.A, problem.lam, factor=guess.factor),
            steps=0,
            blur=_FIRST_BLUR,
            is_new_stage=False,
            checked=None,
            largest=0.0,
            steepness=float((Q.upper - Q.lower) @ Q.sigma**2) if isinstance(Q, BoxPlane) else 0.0,
            mean=np.zeros(problem.n_weights),
        )

    def step(self, problem: Problem, state: NewtonState) -> NewtonState:
        problem = state.packed.problem
        if state.is_new_stage:
            _begin_stage(problem, state)
        work = state.work
        dw, db = _direction(problem, state)
        ds = work.A.matvec(dw)
        if isinstance(problem.Q, BoxPlane):
            ds -= db * work.sigma
        linear = problem.lam * float(state.w @ dw) + float(work.fixed_adjoint @ dw)
        if isinstance(problem.Q, BoxPlane):
            linear += db * (problem.Q.z - work.fixed_plane)
        t = _line_search(work.s, ds, work.base, work.width, state.factor, linear, problem.lam * float(dw @ dw))
        state.w += t * dw
        state.bias += t * db
        change = work.move(t, ds, state.factor)
        state.adjoint += work.A.rmatvec(change)
        state.largest = max(state.largest, float(np.linalg.norm(state.adjoint)))
        state.passes += (len(ds) + work.sums.moved + state.system.work) / len(state.beta)
        state.system.work = 0
        state.steps += 1
        if t > 0.5:
            state.blur *= _BLUR_SHRINK
        optimal = _is_inner_optimal(problem, state)
        if (optimal or state.steps >= _PATIENCE) and not _readmit(problem, state):
            _end_stage(state, _SHRINK if optimal else 1 / _SHRINK**2)
        return state

    def candidate(self, problem: Problem, state: NewtonState) -> tuple[Vector, Vector]:
        Q = problem.Q
        assert isinstance(Q, Box)
        _note_beta(state)
        alpha = np.clip(Q.lower + (Q.upper - Q.lower) * state.packed.unpack(state.beta), Q.lower, Q.upper)
        return state.w, onto_plane(problem, alpha) if isinstance(Q, BoxPlane) else alpha

    def estimate(self, problem: Problem, state: NewtonState) -> float:
        """The gap at the current bias, if no row outside the working set has to move."""
        work = state.work
        primal = 0.5 * problem.lam * float(state.w @ state.w) + _risk(problem, state)
        adjoint = _centred_adjoint(problem, state)
        dual = work.fixed_linear + work.sums.linear - 0.5 * float(adjoint @ (adjoint / problem.lam))
        if isinstance(problem.Q, BoxPlane):
            bias = state.bias - float(state.mean @ state.w)
            dual -= (1 + abs(bias)) * abs(_off_plane(problem, state))
        return (primal - dual) / max(abs(primal), abs(dual), _TINY)


def _first_guess(problem: Problem, rng: np.random.Generator, start: Start | None) -> Guess:
    """From the warm start, else from a sample's solution, else by sweeps or from nothing."""
    if start is not None:
        return at_start(problem, start)
    rows = sample_rows(problem, rng)
    if rows is None:
        return by_sweeps(problem, rng)
    part = sampled_problem(problem, rows)
    method = Newton()
    state = method.init(part, rng, None, _SAMPLE_TOL)
    while method.estimate(part, state) > _SAMPLE_TOL and state.passes < _SAMPLE_PASSES:
        state = method.step(part, state)
    guess = in_the_middle(problem)
    guess.w, guess.bias, guess.factor = state.w, state.bias, state.system.factor
    guess.passes = state.passes * len(rows) / problem.Q.size
    # The fewer rows for a weight, the less is the guess worth, and the softer the first stage must be.
    guess.delta = min(_SAMPLE_DELTA * problem.n_weights / len(rows), FIRST_DELTA)
    return guess


def _risk(problem: Problem, state: NewtonState) -> float:
    """The risk at w and the current bias: <fixed, s> + sum of width [s]_+."""
    work = state.work
    risk = work.fixed_linear + float(work.fixed_adjoint @ state.w) + work.sums.hinge
    return risk + state.bias * (problem.Q.z - work.fixed_plane) if isinstance(problem.Q, BoxPlane) else risk


def _slopes(problem: Problem, state: NewtonState) -> Vector:
    """s of all rows, from w."""
    s = problem.c + problem.A.matvec(state.w)
    if isinstance(problem.Q, BoxPlane):
        s -= state.bias * problem.Q.sigma
    state.passes += 1
    return s


def _off_plane(problem: Problem, state: NewtonState) -> float:
    """z - <sigma, alpha>, the derivative of Psi by the bias."""
    assert isinstance(problem.Q, BoxPlane)
    return problem.Q.z - state.work.fixed_plane - state.work.sums.plane


def _centred_adjoint(problem: Problem, state: NewtonState) -> Vector:
    """A' alpha; with a plane that of the rows a_i - sigma_i mean, in which a common offset does not count.

    They make the same problem: on the plane A' alpha is the same up to z mean, and the bias grows by <mean, w>. Off it,
    lam w + A' alpha is the derivative of Psi by w at a fixed bias of theirs.
    """
    return state.adjoint + _off_plane(problem, state) * state.mean if isinstance(problem.Q, BoxPlane) else state.adjoint


def _direction(problem: Problem, state: NewtonState) -> tuple[Vector, float]:
    """The Newton direction; the bias is eliminated from the equations."""
    work, system, factor = state.work, state.system, state.factor
    system.weights = work.weights(factor, state.blur * state.unit if state.blur >= _LEAST_BLUR else 0.0)
    gradient = problem.lam * state.w + state.adjoint
    if not isinstance(problem.Q, BoxPlane):
        return -system.solve(factor, gradient), 0.0
    weights, slope = factor * system.weights * work.sigma, _off_plane(problem, state)
    # Where no row is inside its box, the bias moves as far as the line search lets it.
    total = max(float(weights @ work.sigma), 1e-10 * factor * state.steepness, _TINY)
    mean = work.A.rmatvec(weights) / total
    system.work += int(np.count_nonzero(weights))
    dw = -system.solve(factor, gradient + slope * mean, Centre(work.sigma, mean, total))
    state.mean = mean
    return dw, float(mean @ dw) - slope / total


def _line_search(
    s: Vector, ds: Vector, base: Vector, width: Vector, factor: float, linear: float, quadratic: float
) -> float:
    search = _kernels.get("box_line_search")
    return min(search(s, ds, base, width, factor, linear, quadratic, _LINE_TOL, _EVALUATIONS), _LONGEST)


def _is_inner_optimal(problem: Problem, state: NewtonState) -> bool:
    gradient = problem.lam * state.w + _centred_adjoint(problem, state)
    error = float(gradient @ (gradient / (2 * problem.lam)))
    if isinstance(problem.Q, BoxPlane):
        off = _off_plane(problem, state)
        error += 0.5 / state.factor * off * off / max(state.steepness, _TINY)
    return error <= _INNER * 0.5 / state.factor * state.work.sums.proximal


def _note_beta(state: NewtonState) -> None:
    """Write the working set's beta into that of all rows."""
    if state.work.rows is None:
        state.beta = state.work.beta
    else:
        state.beta[state.work.rows] = state.work.beta


def _readmit(problem: Problem, state: NewtonState) -> bool:
    """Look at all rows; those outside the working set that have to move come in, with the others near their boxes.

    Without them the steps since the set was chosen have gone too far. They are cut back by a line search over all rows,
    so that Psi falls whatever was left out.
    """
    work, entry = state.work, state.entry
    if work.rows is None or entry is None:
        return False
    _note_beta(state)
    found = select(problem, _slopes(problem, state), state.centre, state.factor, BAND * state.unit, work.rows)
    wrong = found.beta != state.beta
    wrong[work.rows] = False
    if not wrong.any():
        state.checked = found.s
        return False
    keep = np.flatnonzero(found.near | wrong)
    dw, db, ds = state.w - entry.w, state.bias - entry.bias, found.s - entry.s
    Q = problem.Q
    assert isinstance(Q, Box)
    linear = problem.lam * float(entry.w @ dw) + float(Q.lower @ ds) + db * (Q.z if isinstance(Q, BoxPlane) else 0.0)
    quadratic = problem.lam * float(dw @ dw)
    t = _line_search(entry.s, ds, state.centre, Q.upper - Q.lower, state.factor, linear, quadratic)
    state.w, state.bias = entry.w + t * dw, entry.bias + t * db
    s = entry.s + t * ds
    _work_on(problem, state, select(problem, s, state.centre, state.factor, BAND * state.unit, keep))
    return True


def _end_stage(state: NewtonState, ratio: float) -> None:
    """Change delta; the centre will move to alpha, which stays as it is: the best dual point at hand."""
    state.delta = float(np.clip(ratio * state.delta, *_DELTAS))
    state.steps = 0
    state.blur = _FIRST_BLUR
    state.is_new_stage = True


def _begin_stage(problem: Problem, state: NewtonState) -> None:
    """The centre moves to alpha, and the working set is chosen anew."""
    _note_beta(state)
    state.centre = state.beta.copy()
    # On data that can be separated, alpha fills a tiny part of its box, which says nothing about its size then.
    largest = float(state.beta.max(initial=0.0))
    state.unit = min(1.0, 2 * largest) if largest > 0 else 1.0
    s = state.checked
    if s is None:
        s = state.work.s if state.work.is_all and _is_fresh(state) else _slopes(problem, state)
    _work_on(problem, state, select(problem, s, state.centre, state.factor, BAND * state.unit))
    state.checked = None
    state.is_new_stage = False


def _is_fresh(state: NewtonState) -> bool:
    """Whether there is no rounding to speak of in what was updated step by step."""
    return state.delta > _REBUILD_DELTA and float(np.linalg.norm(state.adjoint)) > _REBUILD_DROP * state.largest


def _work_on(problem: Problem, state: NewtonState, found: Selection) -> None:
    """Go on with another working set, at the same w."""
    assert isinstance(problem.A, RowOperator)
    old, work = state.work, working_set(problem, found, state.centre, state.factor)
    if old.is_all and work.is_all and _is_fresh(state):
        change = work.width * (work.beta - old.beta)
        state.adjoint += work.A.rmatvec(change)
        state.passes += np.count_nonzero(change) / len(change)
    else:
        state.adjoint = work.fixed_adjoint + work.A.rmatvec(work.share)
        state.largest = 0.0
        state.passes += 1
    state.system.exchange_rows(problem.A, old.rows, work.rows, work.A)
    # The set may go on to change found.s, unless it has its own copy of its rows.
    state.entry = None if work.is_all else Entry(state.w.copy(), state.bias, found.s)
    state.work, state.beta = work, found.beta
