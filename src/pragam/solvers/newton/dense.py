r"""The semismooth Newton method on small problems: a dense copy of the rows, and stages and steps in one compiled call.

The method is that of :mod:`pragam.solvers.newton`. On a problem of some thousand numbers its arithmetic takes a tenth
of a millisecond, and the Python around it a hundred times as long. Here one iteration of the driver is one call of the
kernel ``dense_newton``: some 10 to 30 Newton steps, as a rule the whole solve. Where a step costs next to nothing and
the kernel estimates that the tolerance is reached, it goes on to the optimum itself, with about as many steps again at
most, or as many as it takes (``beyond``, which estimators set): once it is known which rows are inside their boxes, a
few steps reach rounding. So equal problems get equal answers, to rounding, however they are stated: a weight of two,
say, or a row that is there twice.

Dual variables that share data rows, as those of a tube and of ordered levels, share them in the copy too: one inner
product and one weight of the Hessian a data row. The rows are copied without the mean m_k of their plane k, or without
one mean for all planes where they are shared, and scaled so that their largest entry and the total size of
the boxes lie between 1/2 and 1. The scores are scaled to about 1. All scalings are by powers of two, which round
nothing:

    rows = 2^-p (a_i - sigma_i m_k),    size' = 2^-q size,    c' = 2^-r c,    lam' = 2^(r-2p-q) lam,
    w' = 2^(p-r) w,    b' = 2^-r (b_k + <m_k, w>),    m_k = sum of sigma_i a_i / sum of sigma_i^2 over plane k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pragam import _kernels
from pragam._kernels.newton.records import DenseGoal, DenseIterate, DenseProblem
from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import (
    LOSSES_OF_SCORES,
    ROWS_AND_BOX,
    Certified,
    Cost,
    Solver,
    Start,
    State,
    unbounded_and_flat,
)
from pragam.solvers.newton.box_form import BoxForm, box_form
from pragam.solvers.newton.dense_copy import dense_copy
from pragam.solvers.newton.dense_cost import dense_cost
from pragam.solvers.newton.dense_sample import begin_at_sample
from pragam.solvers.newton.residual import residual_problem

#: The copy has at most this many entries (2 MB).
MOST_PLACES = 250_000
#: Its d x d matrix has at most this many columns.
MOST_COLUMNS = 300
#: The first delta where nothing is known.
_FIRST_DELTA = 4.0
#: The first delta at a warm start.
_WARM_DELTA = 0.25
#: Newton steps in a call; the rest is up to the driver. No problem of the tests takes 60.
_STEPS = 60
#: A relative gap that the roundings of J and D hide: the optimum, for float64.
_EXACT = 1e-13
#: The kernel goes on to the optimum if n d^2, about as many products as a step takes, is no larger than this.
EXACT_PRODUCTS = 2e5
#: How far from the plane rounding leaves alpha, relative to the terms of its sum.
_ON_PLANE = 1e-14
#: A gap below this many times the rounding of the scores may be hidden by it.
_NOISE = 100.0
_EPS = float(np.finfo(np.float64).eps)


@dataclass
class DenseState(State):
    form: BoxForm
    scaled: DenseProblem
    means: Vector  # m, (K, d)
    length: float  # 2^(p-r)
    height: float  # 2^r
    iterate: DenseIterate
    goal: DenseGoal
    w: Vector  # w_0, from which the iterate is measured; 0 but near the end
    doubted: Vector | None = None  # w as it was last certified, if rounding may hide the rest of its gap
    gap: float = np.inf  # the kernel's estimate

    @property
    def noise(self) -> float:
        """The rounding of a score, summed over the rows as their losses are."""
        return _EPS * float(self.form.boxes.size.sum()) * float(np.abs(self.form.c).max(initial=0.0))


@dataclass(frozen=True)
class NewtonDense(Solver[BoxProblem, DenseState]):
    """Semismooth Newton augmented Lagrangian method, in one call.

    It goes on to the optimum if a step takes no more than ``exact_products``, counted as n d^2, in at most ``beyond``
    times the steps that the tolerance takes, and a few more.
    """

    exact_products: float = EXACT_PRODUCTS
    beyond: float = 2.0

    name = "newton-dense"
    needs = ROWS_AND_BOX
    serves = LOSSES_OF_SCORES

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        (n, d), rows = problem.A.shape, _data_rows(problem)
        small = max(rows * d, n) <= MOST_PLACES and d <= MOST_COLUMNS
        limits = f"at most {MOST_COLUMNS} columns, and rows times columns at most {MOST_PLACES}"
        return [*unbounded_and_flat(problem), *([] if small else [f"needs {limits}, and A has shape {(n, d)}"])]

    def cost(self, problem: BoxProblem, tol: float) -> Cost:
        return dense_cost(*worked_shape(problem))

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> DenseState:
        return self._begun(problem, rng, start, tol)

    def _begun(
        self, problem: BoxProblem, rng: np.random.Generator | None, start: Start | None, tol: float
    ) -> DenseState:
        form, scaled, means, length, _, height = problem.keep("dense copy", lambda: _copied(problem)).at(problem)
        n, d = form.shape
        delta = np.array([_FIRST_DELTA])
        iterate = DenseIterate(np.zeros(d), np.zeros(len(form.levels)), form.middle(), np.zeros(n), delta)
        exact = _EXACT if worked_shape(problem)[0] * d**2 <= self.exact_products else max(tol, _EXACT)
        goal = DenseGoal(tol, exact, _STEPS, self.beyond)
        state = DenseState(2.0, form, scaled, means, length / height, height, iterate, goal, np.zeros(d))
        if start is not None:
            _begin_at(state, start)
        elif rng is not None:
            state.passes += begin_at_sample(scaled, iterate, form.A.rows().scale, rng)
        return state

    def step(self, problem: BoxProblem, state: DenseState) -> DenseState:
        if state.doubted is not None:
            state = self._with_what_is_left(problem, state, state.doubted)
        _, read, state.gap = _kernels.get("dense_newton")(state.scaled, state.iterate, state.goal)
        state.passes += read / max(problem.Q.size, 1)
        return state

    def candidate(self, problem: BoxProblem, state: DenseState) -> tuple[Vector, Vector]:
        form = state.form
        alpha = form.alpha(state.iterate.beta)
        if problem.n_biases and _is_off_planes(problem, alpha):
            alpha = problem.domain.onto_face(alpha)
        return state.w + state.iterate.w / state.length, alpha

    def observe(self, problem: BoxProblem, state: DenseState, certified: Certified) -> DenseState:
        """The next call solves for what is left of w, if rounding in the scores may hide the rest of the gap."""
        state.doubted = certified.proposed.w if certified.proof.gap <= _NOISE * state.noise else None
        return state

    def estimate(self, problem: BoxProblem, state: DenseState) -> float:
        """The kernel's, which adds what the plane is off by."""
        return state.gap

    def _with_what_is_left(self, problem: BoxProblem, state: DenseState, w: Vector) -> DenseState:
        alpha = state.form.alpha(state.iterate.beta)
        left = self._begun(residual_problem(problem, w), None, Start(np.zeros(len(w)), alpha), state.goal.tol)
        left.w, left.passes = w, left.passes + state.passes
        return left


class Copied(NamedTuple):
    """A problem in the kernel's units, and what these are."""

    form: BoxForm
    scaled: DenseProblem
    means: Vector
    length: float  # 2^p
    size: float  # 2^q
    height: float  # 2^r

    def at(self, problem: BoxProblem) -> Copied:
        """The same at the problem's lam."""
        lam = problem.lam * self.height / self.length / self.length / self.size
        return self._replace(form=replace(self.form, problem=problem), scaled=self.scaled._replace(lam=lam))


def _copied(problem: BoxProblem) -> Copied:
    form = box_form(problem)
    copy = dense_copy(form.A, form.B)
    length, size, height = (
        _power_of_two(copy.rows),
        _power_of_two(form.boxes.size.sum()),
        0.5 * _power_of_two(form.scale),
    )
    np.divide(copy.rows, length, out=copy.rows)
    anchor, levels, means = form.ends.anchor / size, form.levels / size, copy.means
    scaled = DenseProblem(
        rows=copy.rows,
        number=copy.number,
        scale=copy.scale,
        c=form.c / height,
        size=form.boxes.size / size,
        low=form.boxes.low,
        high=form.boxes.high,
        bend=form.boxes.bend / height,
        sigma=form.B.sigma,
        group=form.B.group,
        offset=copy.adjoint(anchor) + levels @ (means / length) + problem.tilt / length / size,
        levels=levels - form.B.rmatvec(anchor),
        lam=problem.lam,
        constant=form.linear(form.ends.anchor) / height / size,
    )
    return Copied(form, scaled, means, length, size, height)


def worked_shape(problem: AnyProblem) -> tuple[int, int]:
    """(rows, columns) that a step works on: two dual variables of one data row count no more than that row."""
    n, d = problem.A.shape
    return max(_data_rows(problem), n // 2), d


def _data_rows(problem: AnyProblem) -> int:
    """How many rows a copy of the data that the dual variables read has."""
    number = getattr(problem.A, "number", None)
    return problem.A.shape[0] if number is None else int(number.max(initial=-1)) + 1


def _is_off_planes(problem: BoxProblem, alpha: Vector) -> bool:
    """Whether alpha is farther from a plane than rounding leaves it."""
    B, levels = problem.B, problem.levels
    sizes = np.abs(levels) + B.rmatvec(np.sign(B.sigma) * np.abs(alpha))
    return bool((np.abs(B.rmatvec(alpha) - levels) > _ON_PLANE * sizes).any())


def _power_of_two(x: ArrayLike) -> float:
    """Between one and two times the largest |x_i|."""
    x = np.asarray(x)
    return 2.0 ** frexp(max(float(x.max(initial=0.0)), -float(x.min(initial=0.0))))[1]


def _begin_at(state: DenseState, start: Start) -> None:
    w, biases, base, beta, delta = state.iterate
    form = state.form
    beta[:] = base[:] = form.beta(start.alpha)
    w[:] = start.w * state.length
    best = form.best_biases(form.c + form.A.matvec(start.w)) if start.b is None else start.b
    biases[:] = (best + state.means @ start.w) / state.height
    delta[:] = _WARM_DELTA
