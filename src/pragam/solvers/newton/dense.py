r"""The semismooth Newton method on small problems: a dense copy of the rows, and stages and steps in one compiled call.

The method is that of :mod:`pragam.solvers.newton`. On a problem of some thousand numbers its arithmetic takes a tenth
of a millisecond, and the Python around it a hundred times as long. Here one iteration of the driver is one call of the
kernel ``dense_newton``: some 10 to 30 Newton steps, as a rule the whole solve. Where a step costs next to nothing and
the kernel estimates that the tolerance is reached, it goes on to the optimum itself, with about as many steps again at
most: once it is known which rows are inside their boxes, a few steps reach rounding. So equal problems get equal
answers, to rounding, however they are stated: a weight of two, say, or a row that is there twice.

The rows are copied without their mean m, where there is a plane, and scaled so that their largest entry and the total
width of the boxes lie between 1/2 and 1. Both scalings are by powers of two, which round nothing:

    rows = 2^-p (a_i - sigma_i m),    width = 2^-q (upper - lower),    lam' = 2^(-2p-q) lam,
    w' = 2^p w,    b' = b - <m, w>,    m = sum of sigma_i a_i / |sigma|^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pragam import _kernels
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import BoxPlane
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import ROWS_AND_BOX, Cost, Solver, Start, State, curved, unbounded
from pragam.solvers.newton.dense_cost import dense_cost

#: The copy has at most this many entries (2 MB).
MOST_PLACES = 250_000
#: Its d x d matrix has at most this many columns.
MOST_COLUMNS = 300
#: The first delta where nothing is known.
_FIRST_DELTA = 4.0
#: The first delta at a warm start.
_WARM_DELTA = 0.25
#: Newton steps in a call; the rest is up to the driver. No problem of the tests takes as many.
_STEPS = 60
#: A relative gap that the roundings of J and D hide: the optimum, for float64.
_EXACT = 1e-13
#: The kernel goes on to the optimum if n d^2, about as many products as a step takes, is no larger than this.
_EXACT_PRODUCTS = 2e5
#: How far from the plane rounding leaves alpha, relative to the terms of its sum.
_ON_PLANE = 1e-14


def too_large(problem: AnyProblem) -> list[str]:
    """A misfit if the dense copy would be large."""
    n, d = problem.A.shape
    if n * d <= MOST_PLACES and d <= MOST_COLUMNS:
        return []
    limit = f"at most {MOST_COLUMNS} columns, and rows times columns at most {MOST_PLACES}"
    return [f"needs {limit}, and A has shape {problem.A.shape}"]


class Scaled(NamedTuple):
    """The problem as the kernel sees it, in the order of its arguments."""

    rows: Vector
    c: Vector
    width: Vector
    sigma: Vector  # zeros without a plane
    offset: Vector  # what the lower bounds and the centring add to A' alpha
    lam: float
    level: float  # of the plane, for width beta
    constant: float  # of J and D: <c, lower>


class Iterate(NamedTuple):
    """What the kernel reads and writes, in the order of its arguments."""

    w: Vector  # w'
    base: Vector  # the stage's centre, as beta
    beta: Vector  # (alpha - lower) / width
    place: Vector  # b' and delta


@dataclass
class DenseState(State):
    scaled: Scaled
    mean: Vector  # m
    length: float  # 2^p
    iterate: Iterate
    tol: float
    exact: float  # the gap at which the kernel ends
    gap: float = np.inf  # the kernel's estimate


@dataclass(frozen=True)
class NewtonDense(Solver[BoxProblem, DenseState]):
    """Semismooth Newton augmented Lagrangian method, in one call."""

    name = "newton-dense"
    needs = ROWS_AND_BOX

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        several = ["needs at most one bias"] if problem.n_biases > 1 else []
        return [*several, *curved(problem), *unbounded(problem), *too_large(problem)]

    def cost(self, problem: BoxProblem, tol: float) -> Cost:
        return dense_cost(*problem.A.shape)

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> DenseState:
        Q, A, c = problem.domain, problem.A, problem.c
        rows, (n, d) = _dense(A), A.shape
        sigma, z, mean = np.zeros(n), 0.0, np.zeros(d)
        if isinstance(Q, BoxPlane):
            sigma, z = Q.sigma, Q.z
            total = float(sigma @ sigma)
            mean = sigma @ rows / total if total > 0 else mean
            rows -= np.multiply.outer(sigma, mean)
        length, size = _power_of_two(rows), _power_of_two(np.sum(Q.upper - Q.lower))
        rows /= length
        lower, width = Q.lower / size, (Q.upper - Q.lower) / size
        scaled = Scaled(
            rows=rows,
            c=c,
            width=width,
            sigma=sigma,
            offset=lower @ rows + z / size * (mean / length) + problem.tilt / size / length,
            lam=problem.lam / length / length / size,
            level=z / size - float(sigma @ lower),
            constant=problem.constant / size + float(c @ lower),
        )
        iterate = Iterate(np.zeros(d), np.full(n, 0.5), np.zeros(n), np.array([0.0, _FIRST_DELTA]))
        exact = _EXACT if n * d**2 <= _EXACT_PRODUCTS else max(tol, _EXACT)
        state = DenseState(2.0, scaled, mean, length, iterate, tol, exact)
        if start is not None:
            _begin_at(problem, state, start)
        return state

    def step(self, problem: BoxProblem, state: DenseState) -> DenseState:
        solve = _kernels.get("dense_newton")
        _, read, state.gap = solve(*state.scaled, *state.iterate, state.tol, state.exact, _STEPS)
        state.passes += read / max(problem.Q.size, 1)
        return state

    def candidate(self, problem: BoxProblem, state: DenseState) -> tuple[Vector, Vector]:
        Q = problem.domain
        alpha = np.clip(Q.lower + (Q.upper - Q.lower) * state.iterate.beta, Q.lower, Q.upper)
        if isinstance(Q, BoxPlane):
            terms = Q.sigma * alpha
            if abs(terms.sum() - Q.z) > _ON_PLANE * (np.abs(terms).sum() + abs(Q.z)):
                alpha = Q.onto_face(alpha)
        return state.iterate.w / state.length, alpha

    def estimate(self, problem: BoxProblem, state: DenseState) -> float:
        """The kernel's, which adds what the plane is off by."""
        return state.gap


def _dense(A: RowOperator) -> Vector:
    """A copy of the rows of A = diag(scale) X."""
    rows = A.rows()
    if rows.kind == "dense":
        return np.multiply(rows.scale[:, None], rows.arrays[0], order="C")
    data, indices, indptr = rows.arrays
    X = sparse.csr_array((data, indices, indptr), shape=A.shape).toarray()  # adds up what is repeated
    return np.multiply(rows.scale[:, None], X, order="C")


def _power_of_two(x: Vector) -> float:
    """Between one and two times the largest |x_i|."""
    return 2.0 ** frexp(float(np.abs(x).max(initial=0.0)))[1]


def _begin_at(problem: BoxProblem, state: DenseState, start: Start) -> None:
    Q = problem.domain
    w, base, beta, place = state.iterate
    np.divide(start.alpha - Q.lower, Q.upper - Q.lower, out=beta, where=Q.upper > Q.lower)
    np.clip(beta, 0.0, 1.0, out=base)
    beta[:] = base
    w[:] = start.w * state.length
    bias = float(problem.best_biases(problem.c + problem.A.matvec(start.w)).sum())
    place[:] = bias - float(state.mean @ start.w), _WARM_DELTA
