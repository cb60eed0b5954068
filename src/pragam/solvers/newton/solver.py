r"""Semismooth Newton inside a proximal-point (augmented Lagrangian) loop: for low and middle dimension.

After Li, Sun and Toh, "A highly efficient semismooth Newton augmented Lagrangian method" (SIAM J. Optim. 2018). The
dual is maximised with a proximal term around a centre a,

    max over the box of  <c, alpha> - |A' alpha|^2/(2 lam) - sum_i (alpha_i - a_i)^2/(2 tau_i),    tau_i = tau width_i,

with tau = 1 / delta (:class:`~pragam.solvers.newton.state.Stage`). Its own dual is smooth in w
(and in the bias b of a plane <sigma, alpha> = z, which is one more variable):

    Psi(w, b) = lam/2 |w|^2 + b z + sum_i max over the box of alpha_i s_i - (alpha_i - a_i)^2/(2 tau_i)
    s = c + A w - b sigma,     alpha_i(w, b) = clip(a_i + tau_i s_i, lower_i, upper_i)
    grad Psi = (lam w + A' alpha, z - <sigma, alpha>)

One step is a Newton step on Psi with the generalised Hessian lam I + sum over J of tau_i a_i a_i', J the rows strictly
inside their boxes (and, at first, those near them), and a line search, nearly exact. The bias is eliminated from the
step's equations, whose rows are then centred: a common offset of the data makes no difference
(:mod:`~pragam.solvers.newton.system`). When the gradient is small against the proximal term, the centre moves to alpha
and delta shrinks by 4: a few stages reach full accuracy (:mod:`~pragam.solvers.newton.stages`). The first begins at a
sample's solution, or after some sweeps of coordinate ascent (:mod:`~pragam.solvers.newton.start`); late ones work on
the few rows that may still move (:mod:`~pragam.solvers.newton.active_rows`). (w, alpha) are an independent pair: w need
not be w(alpha), and the certificate is J(w) - D(alpha). Binary data are packed at the start
(:func:`pragam.views.packed`), their rows in another order from then on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.operators.base import Vector
from pragam.polytopes import BoxPlane
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import ROWS_AND_BOX, Cost, Solver, Start, curved, unbounded
from pragam.solvers.newton.active_rows import active_rows, select
from pragam.solvers.newton.cost import newton_cost
from pragam.solvers.newton.stages import FIRST_BLUR, begin_stage, end_stage, line_search, readmit
from pragam.solvers.newton.start import first_guess
from pragam.solvers.newton.state import NewtonState, Plane, Point, Stage, all_beta, centred_adjoint, off_plane, risk
from pragam.solvers.newton.system import Centre, NewtonSystem
from pragam.solvers.sizes import sizes
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
#: Where no row is inside its box, the bias has at least this share of the curvature of a plane with all rows inside.
_LEAST_STEEPNESS = 1e-10
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Newton(Solver[BoxProblem, NewtonState]):
    """Semismooth Newton augmented Lagrangian method."""

    name = "newton"
    needs = ROWS_AND_BOX
    may_drop_rows = True
    takes_packed_rows = True

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        several = ["needs at most one bias"] if problem.n_biases > 1 else []
        return [*several, *curved(problem), *unbounded(problem)]

    def cost(self, problem: BoxProblem, tol: float) -> Cost:
        return newton_cost(sizes(problem), tol)

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> NewtonState:
        view = packed(problem)
        problem = view.problem
        guess = first_guess(self, problem, rng, start and Start(start.w, view.restrict(start.alpha)))
        Q, A = problem.domain, problem.A
        s = problem.c + A.matvec(guess.w) if guess.w.any() else problem.c.copy()
        bias, plane = guess.bias or 0.0, None
        if isinstance(Q, BoxPlane):
            bias = Q.multiplier(s) if guess.bias is None else bias
            s -= bias * Q.sigma
            steepness = float((Q.upper - Q.lower) @ Q.sigma**2)
            plane = Plane(Q.sigma, Q.z, steepness, mean=np.zeros(problem.n_weights))
        stage = Stage(guess.centre, guess.delta, unit=1.0, steps=0, blur=FIRST_BLUR)
        # No row is left out before a first stage has shown how far w is from its place.
        found = select(problem, s, stage.centre, stage.tau, np.inf)
        active = active_rows(problem, found, stage.centre, stage.tau)
        adjoint = active.fixed_adjoint + active.A.rmatvec(active.share)
        return NewtonState(
            passes=guess.passes + 2,
            packed=view,
            point=Point(guess.w, bias, adjoint, largest=0.0),
            stage=stage,
            plane=plane,
            active=active,
            beta=found.beta,
            entry=None,
            checked=None,
            system=NewtonSystem(active.A, problem.lam, cholesky=guess.cholesky),
        )

    def step(self, problem: BoxProblem, state: NewtonState) -> NewtonState:
        problem = state.packed.problem
        if state.stage.is_over:
            begin_stage(problem, state)
        point, stage, plane, active = state.point, state.stage, state.plane, state.active
        dw, db = _direction(problem, state)
        ds = active.A.matvec(dw)
        linear = problem.lam * float(point.w @ dw) + float(active.fixed_adjoint @ dw)
        if plane is not None:
            ds -= db * active.sigma
            linear += db * (plane.z - active.fixed_plane)
        t = line_search(active.s, ds, active.base, active.width, stage.tau, linear, problem.lam * float(dw @ dw))
        point.w += t * dw
        point.bias += t * db
        change = active.move(t, ds, stage.tau)
        point.adjoint += active.A.rmatvec(change)
        point.largest = max(point.largest, float(np.linalg.norm(point.adjoint)))
        state.passes += (len(ds) + active.sums.moved + state.system.rows_read) / len(state.beta)
        state.system.rows_read = 0
        stage.steps += 1
        if t > 0.5:
            stage.blur *= _BLUR_SHRINK
        optimal = _is_inner_optimal(problem, state)
        if (optimal or stage.steps >= _STAGE_STEPS) and not readmit(problem, state):
            end_stage(state, _SHRINK if optimal else 1 / _SHRINK**2)
        return state

    def candidate(self, problem: BoxProblem, state: NewtonState) -> tuple[Vector, Vector]:
        Q = problem.domain
        beta = state.packed.lift(all_beta(state))
        return state.point.w, Q.onto_face(np.clip(Q.lower + (Q.upper - Q.lower) * beta, Q.lower, Q.upper))

    def estimate(self, problem: BoxProblem, state: NewtonState) -> float:
        """The gap at the current bias, if no row outside the active ones has to move."""
        active, w = state.active, state.point.w
        primal = 0.5 * problem.lam * float(w @ w) + risk(state)
        adjoint = centred_adjoint(state)
        dual = active.fixed_linear + active.sums.linear - 0.5 * float(adjoint @ (adjoint / problem.lam))
        if state.plane is not None:
            bias = state.point.bias - float(state.plane.mean @ w)
            dual -= (1 + abs(bias)) * abs(off_plane(state))
        return (primal - dual) / max(abs(primal), abs(dual), _TINY)


def _direction(problem: BoxProblem, state: NewtonState) -> tuple[Vector, float]:
    """The Newton direction; the bias is eliminated from the equations."""
    active, system, stage, plane = state.active, state.system, state.stage, state.plane
    tau = stage.tau
    system.weights = active.weights(tau, stage.blur * stage.unit if stage.blur >= _LEAST_BLUR else 0.0)
    gradient = problem.lam * state.point.w + state.point.adjoint
    if plane is None:
        return -system.solve(tau, gradient), 0.0
    weights, slope = tau * system.weights * active.sigma, off_plane(state)
    # Where no row is inside its box, the bias moves as far as the line search lets it.
    total = max(float(weights @ active.sigma), _LEAST_STEEPNESS * tau * plane.steepness, _TINY)
    mean = active.A.rmatvec(weights) / total
    system.rows_read += int(np.count_nonzero(weights))
    dw = -system.solve(tau, gradient + slope * mean, Centre(active.sigma, mean, total))
    plane.mean = mean
    return dw, float(mean @ dw) - slope / total


def _is_inner_optimal(problem: BoxProblem, state: NewtonState) -> bool:
    """Whether the gradient of Psi is small against the proximal term."""
    tau = state.stage.tau
    gradient = problem.lam * state.point.w + centred_adjoint(state)
    error = float(gradient @ (gradient / (2 * problem.lam)))
    if state.plane is not None:
        off = off_plane(state)
        error += 0.5 / tau * off * off / max(state.plane.steepness, _TINY)
    return error <= _INNER * 0.5 / tau * state.active.sums.proximal
