r"""The semismooth Newton method on a small dense matrix: the specification of ``dense_newton``.

With alpha = width beta, 0 <= beta <= 1, the problem is to minimise

    J(w, b) = constant + lam/2 |w|^2 + <offset, w> + b level + sum_i width_i [s_i]_+,    s = c + rows w - b sigma,

and its dual to maximise  constant + <c, alpha> - |offset + rows' alpha|^2 / (2 lam)  on the plane  <sigma, alpha> =
level. A stage keeps a centre ``base`` and a delta; its inner problem is smooth, with beta = clip(base + factor s, 0, 1)
and factor = unit / delta (:mod:`pragam.solvers.newton` has the theory, :mod:`pragam.solvers.newton.dense` the use).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from pragam._kernels.twins.newton import box_line_search, box_move, box_weights

__all__ = ["dense_newton"]

Vector = NDArray[np.float64]

#: The factors of delta after a stage: if its inner problem was solved, and if not. And the least delta, below which
#: rounding in s shows in beta.
_SHRINK, _GROW, _LEAST_DELTA = 0.25, 16.0, 1e-6
#: An inner problem is solved when its error is below _INNER times the proximal term, or below the share _RESOLVED of J.
#: It is given up after _PATIENCE steps.
_INNER, _RESOLVED, _PATIENCE = 1.0, 1e-17, 40
#: Steps that are always allowed between the tolerance and the optimum.
_FEW = 10
#: A line search ends with a step of at most _LINE_TOL, relative to t, or after _EVALUATIONS evaluations.
_LINE_TOL, _EVALUATIONS = 1e-3, 60
#: The blur is how far outside its box, in units, a row still counts in the Hessian. It shrinks by the first factor, and
#: below the second number it is 0.
_BLUR_SHRINK, _LEAST_BLUR = 0.25, 0.01
#: If no row is inside its box, the bias gets this share of the curvature that all rows together would give it.
_FLAT = 1e-10
_EPS, _TINY = np.finfo(np.float64).eps, np.finfo(np.float64).tiny


def dense_newton(
    rows: Vector,
    c: Vector,
    width: Vector,
    sigma: Vector,
    offset: Vector,
    lam: float,
    level: float,
    constant: float,
    w: Vector,
    base: Vector,
    beta: Vector,
    place: Vector,
    tol: float,
    exact: float,
    steps: int,
) -> tuple[int, int, float]:
    """At most ``steps`` Newton steps from w, base and place = (bias, delta). These and beta are updated in place.

    Ends when the estimate of the relative gap is at most ``exact``, or when nothing moves. Once the estimate is at most
    ``tol``, it ends after as many steps again and a few more. If the estimate has risen above ``tol`` by then, the
    point that first met ``tol`` is restored. Returns the number of steps, of rows read, and the last estimate.
    """
    with np.errstate(all="ignore"):
        return _run(
            _Loop(rows, c, width, sigma, offset, lam, level, constant, w, base, beta, *place), place, tol, exact, steps
        )


def _run(loop: _Loop, place: Vector, tol: float, exact: float, steps: int) -> tuple[int, int, float]:
    made, budget, estimate, possible = 0, steps, np.inf, True
    reached: list[Vector] | None = None  # where the tolerance was first met
    while made < budget and possible:
        inside = 0  # steps of this stage
        loop.begin_stage()
        optimal = loop.is_inner_optimal()
        at_rest = optimal and loop.is_at_rest()
        while not optimal and made + inside < budget and inside < _PATIENCE:
            possible = loop.step()
            if not possible:
                break
            inside += 1
            optimal = loop.is_inner_optimal()
        made += max(inside, 1)
        loop.settle()
        estimate = loop.estimate() if possible else np.inf
        if optimal or inside == _PATIENCE:
            loop.end_stage(optimal)
        place[:] = loop.bias, loop.delta
        if estimate <= exact or at_rest:
            break
        if estimate <= tol and reached is None:
            reached, budget = [x.copy() for x in (loop.w, loop.base, loop.beta, place)], min(steps, 2 * made + _FEW)
            reached_estimate = estimate
    if reached is not None and not estimate <= tol:  # the steps towards the optimum were cut short
        for x, kept in zip((loop.w, loop.base, loop.beta, place), reached, strict=True):
            x[:] = kept
        estimate = reached_estimate
    return made, loop.read, float(estimate)


class _Loop:
    def __init__(self, rows, c, width, sigma, offset, lam, level, constant, w, base, beta, bias, delta):
        self.rows, self.c, self.width, self.sigma, self.offset = rows, c, width, sigma, offset
        self.lam, self.level, self.constant = lam, level, constant
        self.w, self.base, self.beta, self.bias, self.delta = w, base, beta, float(bias), float(delta)
        self.steepness = float(width @ sigma**2)
        size = width.sum() * np.sum(rows**2, axis=1).max(initial=0.0)
        self.least_unit = min(1.0, lam * np.abs(c).max(initial=0.0) / max(size, _TINY))
        self.mean = np.zeros(rows.shape[1])
        self.change = np.empty(len(c))
        self.read = 0

    @property
    def factor(self) -> float:
        return self.unit / self.delta

    @property
    def off_plane(self) -> float:
        return self.level - self.plane

    @property
    def primal(self) -> float:
        linear = self.constant + self.bias * self.level + float(self.offset @ self.w)
        return linear + 0.5 * self.lam * float(self.w @ self.w) + self.hinge

    def begin_stage(self) -> None:
        """Recompute s, beta and A' alpha at (w, bias), with the centre base."""
        self.unit = min(max(2 * self.base.max(initial=0.0), self.least_unit), 1.0)
        self.blur = 1.0
        self.s = self.c + self.rows @ self.w - self.bias * self.sigma
        self.move(0.0, np.zeros_like(self.s))
        self.adjoint = self.offset + (self.width * self.beta) @ self.rows
        self.read += 2 * len(self.c)

    def move(self, t: float, ds: Vector) -> None:
        self.proximal, self.hinge, self.linear, self.plane, self.moved = box_move(
            t, self.s, ds, self.base, self.width, self.c, self.sigma, self.factor, self.beta, self.change
        )

    def step(self) -> bool:
        """One Newton step. False if the numbers do not allow one."""
        dw, db = self.direction()
        ds = self.rows @ dw - db * self.sigma
        slope = self.lam * float(self.w @ dw) + float(self.offset @ dw) + db * self.level
        square = self.lam * float(dw @ dw)
        t = box_line_search(self.s, ds, self.base, self.width, self.factor, slope, square, _LINE_TOL, _EVALUATIONS)
        if not np.isfinite(t * slope):
            return False
        self.w += t * dw
        self.bias += t * db
        self.move(t, ds)
        self.adjoint += self.change @ self.rows
        self.read += len(self.c) + int(self.moved)
        if t > 0.5:
            self.blur *= _BLUR_SHRINK
        return True

    def direction(self) -> tuple[Vector, float]:
        """The Newton direction of w and of the bias. The bias is eliminated, so the rows become a_i - sigma_i mean."""
        weights = np.empty(len(self.c))
        blur = self.blur * self.unit if self.blur >= _LEAST_BLUR else 0.0
        box_weights(self.s, self.base, self.width, self.factor, blur, weights)
        weights *= self.factor
        self.read += int(np.count_nonzero(weights))
        total = max(float(weights @ self.sigma**2), _FLAT * self.factor * self.steepness, _TINY)
        self.mean = (weights * self.sigma) @ self.rows / total
        matrix = (self.rows.T * weights) @ self.rows
        largest = float(matrix.diagonal().max(initial=0.0))
        matrix -= total * np.outer(self.mean, self.mean)
        matrix[np.diag_indices_from(matrix)] += self.lam
        dw = -_solve(matrix, self.lam * self.w + self.adjoint + self.off_plane * self.mean, _EPS * largest)
        return dw, float(self.mean @ dw) - self.off_plane / total if self.steepness > 0 else 0.0

    def is_inner_optimal(self) -> bool:
        gradient = self.lam * self.w + self.adjoint + self.off_plane * self.mean
        error = 0.5 / self.factor * self.off_plane**2 / max(self.steepness, _TINY)
        error += float(gradient @ gradient) / (2 * self.lam)
        return error <= max(_INNER * 0.5 / self.factor * self.proximal, _RESOLVED * abs(self.primal))

    def is_at_rest(self) -> bool:
        """Whether a stage, at the least delta, can gain nothing more."""
        return self.delta <= _LEAST_DELTA and 0.5 / self.factor * self.proximal <= _RESOLVED * abs(self.primal)

    def settle(self) -> None:
        """Move back onto the plane along the rows inside their boxes, which changes nothing at the optimum."""
        inside = (self.beta > 0) & (self.beta < 1)
        mass = float(self.width[inside] @ self.sigma[inside] ** 2)
        if not mass > 0:
            return
        moved = np.clip(self.beta + np.where(inside, self.off_plane / mass * self.sigma, 0.0), 0.0, 1.0)
        change = self.width * (moved - self.beta)
        self.plane += float(self.sigma @ change)
        self.linear += float(self.c @ change)
        self.adjoint += change @ self.rows
        self.beta[:] = moved

    def estimate(self) -> float:
        """The relative gap between J(w, bias) and D(beta)."""
        penalty = (1 + abs(self.bias)) * abs(self.off_plane)
        dual = self.constant + self.linear - float(self.adjoint @ self.adjoint) / (2 * self.lam) - penalty
        return (self.primal - dual) / max(abs(self.primal), abs(dual), _TINY)

    def end_stage(self, optimal: bool) -> None:
        self.base[:] = self.beta
        self.delta = max(_SHRINK * self.delta, _LEAST_DELTA) if optimal else _GROW * self.delta


def _solve(matrix: Vector, rhs: Vector, more: float) -> Vector:
    """By Cholesky. If rounding has left the matrix indefinite, its diagonal is increased until it is definite."""
    while True:
        try:
            return scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), rhs, check_finite=False)
        except np.linalg.LinAlgError:
            if not 0 < more < np.inf:
                return np.full_like(rhs, np.nan)
            matrix[np.diag_indices_from(matrix)] += more
            more *= 4
