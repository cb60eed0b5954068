r"""Semismooth Newton inside a proximal-point (augmented Lagrangian) loop: for low and middle dimension.

After Li, Sun and Toh, "A highly efficient semismooth Newton augmented Lagrangian method" (SIAM J. Optim. 2018). The
dual is maximised with a proximal term around a centre a,

    max over the box of  <c, alpha> - g(alpha) - |A' alpha + tilt|^2/(2 lam) - sum_i (alpha_i - a_i)^2/(2 tau_i),

with tau_i = tau size_i and tau = 1 / delta (:class:`~pragam.solvers.newton.state.Stage`). The size of a row is the
width of its box, or less where that is wide for its curvature (:mod:`~pragam.solvers.newton.box_form`). The dual of
this is smooth in w and in the biases b, the multipliers of the planes B' alpha = levels:

    Psi(w, b) = lam/2 |w|^2 + <tilt, w> - <levels, b> + sum_i max over the box of alpha_i s_i - kappa_i alpha_i^2/2
                                                                       - (alpha_i - a_i)^2/(2 tau_i)
    s = c + A w + B b,     alpha_i(w, b) = clip((a_i + tau_i s_i) / (1 + tau_i kappa_i), lower_i, upper_i)
    grad Psi = (lam w + A' alpha + tilt, B' alpha - levels)

One step is a Newton step on Psi with the generalised Hessian, over J the rows strictly inside their boxes (and, at
first, those near them),

    lam I + sum over J of tau_i / (1 + tau_i kappa_i) a_i a_i',

and a line search, nearly exact. The biases are eliminated from the step's equations, whose rows are then centred: a
common offset of the data makes no difference (:mod:`~pragam.solvers.newton.system`). When the gradient is small against
the proximal term, the centre moves to alpha and delta shrinks by 4: a few stages reach full accuracy
(:mod:`~pragam.solvers.newton.stages`). Where every row has curvature enough, the proximal term is negligible from the
start: then this is Newton's method on J itself (Mangasarian, "A finite Newton method for classification", Optim.
Methods Softw. 2002), and one stage of a few steps does it. The first stage begins at a sample's solution, or after some
sweeps of coordinate ascent (:mod:`~pragam.solvers.newton.start`); late ones work on the few rows that may still move
(:mod:`~pragam.solvers.newton.active_rows`). (w, alpha) are an independent pair: w need not be w(alpha), and the
certificate is J(w) - D(alpha). Binary data are packed at the start (:func:`pragam.views.packed`), their rows in another
order from then on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import LOSSES_OF_SCORES, ROWS_AND_BOX, Cost, Solver, Start, unbounded_and_flat
from pragam.solvers.choice.sizes import sizes
from pragam.solvers.newton.active_rows import BAND, active_rows, select
from pragam.solvers.newton.box_form import box_form
from pragam.solvers.newton.cost import newton_cost
from pragam.solvers.newton.stages import begin_stage, end_stage, line_search, readmit
from pragam.solvers.newton.start import first_guess
from pragam.solvers.newton.state import (
    Elimination,
    NewtonState,
    Point,
    Stage,
    along_levels,
    best_beta,
    centred_adjoint,
    dual,
    error_of_planes,
    off_planes,
    primal,
    steepness,
    with_biases,
)
from pragam.solvers.newton.system import Centre, NewtonSystem
from pragam.views import packed

#: delta shrinks by this factor from one stage to the next.
_SHRINK = 0.25
#: The inner problem is solved when |grad|^2/(2 lam) is below this many times the proximal term.
_INNER = 3.0
#: After this many steps in one stage the proximal term is made stronger.
_STAGE_STEPS = 40
#: The blur of the Hessian shrinks by this factor with each full step.
_BLUR_SHRINK = 0.25
#: A blur smaller than this is none.
_LEAST_BLUR = 0.01
#: Where no row of a plane is inside its box, its bias has at least this share of the curvature with all of them inside.
_LEAST_STEEPNESS = 1e-10
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Newton(Solver[BoxProblem, NewtonState]):
    """Semismooth Newton augmented Lagrangian method."""

    name = "newton"
    needs = ROWS_AND_BOX
    serves = LOSSES_OF_SCORES
    may_drop_rows = True
    takes_packed_rows = True

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        return unbounded_and_flat(problem)

    def cost(self, problem: BoxProblem, tol: float) -> Cost:
        return newton_cost(sizes(problem), tol)

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> NewtonState:
        view = packed(problem)
        form = box_form(view.problem)
        guess = first_guess(self, form, rng, start and start._replace(alpha=view.restrict(start.alpha)))
        s = form.c + form.A.matvec(guess.w) if guess.w.any() else form.c.copy()
        biases = form.best_biases(s) if guess.biases is None else guess.biases
        s = with_biases(s, form.B, biases)
        stage = Stage(guess.centre, guess.delta)
        stage.begin(form)
        # No row is left out before a first stage has shown how far w is from its place.
        found = select(form, s, stage.centre, stage.tau, np.inf)
        active = active_rows(form, found, stage.centre, stage.tau)
        adjoint = active.fixed_adjoint + active.A.rmatvec(active.share)
        return NewtonState(
            passes=guess.passes + 2,
            packed=view,
            form=form,
            point=Point(guess.w, biases, adjoint, largest=0.0),
            stage=stage,
            elimination=Elimination(np.zeros((len(biases), form.shape[1])), steepness(form, stage.tau)),
            active=active,
            beta=found.beta,
            entry=None,
            checked=None,
            system=NewtonSystem(active.A, form.lam, cholesky=guess.cholesky),
        )

    def step(self, problem: BoxProblem, state: NewtonState) -> NewtonState:
        if state.stage.is_over:
            begin_stage(state)
        point, stage, active, form = state.point, state.stage, state.active, state.form
        dw, db = _direction(state)
        ds = with_biases(active.A.matvec(dw), active.B, db)
        linear = form.lam * float(point.w @ dw) + float(active.fixed_adjoint @ dw)
        linear -= along_levels(state, db)
        t = line_search(active.boxes, active.s, ds, stage.tau, linear, form.lam * float(dw @ dw))
        point.w += t * dw
        point.biases += t * db
        state.checked = None
        change = active.move(t, ds, stage.tau)
        point.adjoint += active.A.rmatvec(change)
        point.largest = max(point.largest, float(np.linalg.norm(point.adjoint)))
        state.passes += (len(ds) + active.sums.moved + state.system.rows_read) / len(state.beta)
        state.system.rows_read = 0
        stage.steps += 1
        if t > 0.5:
            stage.blur *= _BLUR_SHRINK
        optimal = _is_inner_optimal(state)
        ends = optimal or stage.steps >= _STAGE_STEPS
        if (ends or state.elimination.is_loose) and not readmit(state) and ends:
            end_stage(state, _SHRINK if optimal else 1 / _SHRINK**2)
        return state

    def candidate(self, problem: BoxProblem, state: NewtonState) -> tuple[Vector, Vector]:
        alpha = state.packed.lift(state.form.alpha(best_beta(state)))
        return state.point.w, problem.domain.onto_face(alpha)

    def estimate(self, problem: BoxProblem, state: NewtonState) -> float:
        """The gap of the candidate at the current biases, if no row outside the active ones has to move."""
        J, D = primal(state), max(dual(state), state.stage.dual)
        return (J - D) / max(abs(J), abs(D), _TINY)


def _direction(state: NewtonState) -> tuple[Vector, Vector]:
    """The Newton direction of w and the biases; these are eliminated from the equations."""
    active, system, stage, tau = state.active, state.system, state.stage, state.stage.tau
    system.weights = active.weights(tau, stage.blur * stage.unit if stage.blur >= _LEAST_BLUR else 0.0)
    centre = _centre(state)
    gradient = state.form.lam * state.point.w + centred_adjoint(state)
    dw = -system.solve(tau, gradient, centre)
    return dw, off_planes(state) / centre.totals - centre.means @ dw if centre.totals.size else centre.totals


def _centre(state: NewtonState) -> Centre:
    """The weighted means of the rows of each plane, which eliminate the biases."""
    active, system = state.active, state.system
    if state.form.levels.size == 0:
        return Centre(active.B, state.elimination.means, np.zeros(0))
    weights = state.stage.tau * system.weights * active.B.sigma
    system.rows_read += int(np.count_nonzero(weights))
    totals = _totals(state, active.B.rmatvec(weights))
    state.elimination.means = active.A.adjoints(weights, active.B.group, len(totals)) / totals[:, None]
    return Centre(active.B, state.elimination.means, totals)


def _totals(state: NewtonState, curvature: Vector) -> Vector:
    """The curvature along each bias, or a ridge where no row of its plane is inside its box.

    Such a bias moves as far as the line search lets it. If rows were left out, which the line search does not see, it
    moves no farther than they are away, BAND units, and they are looked at after the step.
    """
    stage, elimination = state.stage, state.elimination
    least = np.maximum(_LEAST_STEEPNESS * stage.tau * elimination.steepness, _TINY)
    is_flat = curvature <= least
    elimination.is_loose = not state.active.is_all and bool(is_flat.any())
    if not elimination.is_loose:
        return np.maximum(curvature, least)
    reach = BAND * stage.unit / stage.tau / max(float(np.abs(state.form.B.sigma).max()), _TINY)
    return np.where(is_flat, np.maximum(least, np.abs(off_planes(state)) / reach), curvature)


def _is_inner_optimal(state: NewtonState) -> bool:
    """Whether the gradient of Psi is small against the proximal term."""
    lam = state.form.lam
    gradient = lam * state.point.w + centred_adjoint(state)
    error = float(gradient @ (gradient / (2 * lam))) + error_of_planes(state)
    return error <= _INNER * 0.5 / state.stage.tau * state.active.sums.proximal
