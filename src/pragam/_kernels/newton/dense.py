r"""The semismooth Newton method on a small dense matrix: the specification of ``dense_newton``.

With alpha = size beta, low <= beta <= high, the problem is to minimise

    J(w, b) = constant + lam/2 |w|^2 + <offset, w> - <levels, b>
              + sum_i size_i max over beta of beta s_i - bend_i beta^2/2,
    s = c + rows w + B b,    (B b)_i = sigma_i b_k, k = group_i,

and its dual to maximise  constant + sum_i size_i (c_i beta_i - bend_i beta_i^2/2) - |offset + rows' alpha|^2 / (2 lam)
on the planes  B' alpha = levels. Where dual variables share rows of the matrix, the rows here are those that they
read, one each; the compiled loop sums what belongs to a row of the matrix before it reads it. A stage keeps a centre
``base`` and a delta. Its inner problem is smooth, with a proximal term of size tau (:mod:`pragam.solvers.newton` has
the theory, :mod:`pragam.solvers.newton.dense` the use).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from pragam._kernels.newton.boxes import bounds_and_bend, box_line_search, box_move, box_weights
from pragam._kernels.newton.records import Border, Boxes, DenseGoal, DenseIterate, DenseProblem, Line
from pragam.numerics.vector import Vector

__all__ = ["dense_newton"]


#: The factors of delta after a stage: if its inner problem was solved, and if not. And the least delta, below which
#: rounding in s shows in beta.
_SHRINK, _GROW, _LEAST_DELTA = 0.25, 16.0, 1e-6
#: A curvature of every row does what a proximal term does. Where delta is at most _SMOOTH times the least of them, the
#: proximal term is the share _NEGLIGIBLE of it, and there is no blur.
_SMOOTH, _NEGLIGIBLE = 5.0, 1e-6
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
#: How often what is off the planes is dealt out among the rows inside their boxes.
_ROUNDS = 4
#: If no row of a plane is inside its box, the bias gets this share of the curvature that all of them would give it.
_FLAT = 1e-10
_EPS, _TINY = np.finfo(np.float64).eps, np.finfo(np.float64).tiny


def dense_newton(problem: DenseProblem, iterate: DenseIterate, goal: DenseGoal) -> tuple[int, int, float]:
    """At most ``steps`` Newton steps from the iterate, which is updated in place.

    Ends when the estimate of the relative gap is at most ``exact``, or when nothing moves. Once the estimate is at most
    ``tol``, it ends after ``beyond`` times the steps so far and a few more. If the estimate has risen above ``tol`` by
    then, the point that first met ``tol`` is restored. Returns the number of steps, of rows read, and the last
    estimate.
    """
    with np.errstate(all="ignore"):
        return _run(_Loop(problem, iterate), iterate, goal)


def _run(loop: _Loop, iterate: DenseIterate, goal: DenseGoal) -> tuple[int, int, float]:
    tol, exact, steps, beyond = goal
    made, budget, estimate, possible = 0, steps, np.inf, True
    idle = False  # whether the last stage made no step; two such stages in a row may bring nothing
    reached: list[Vector] | None = None  # where the tolerance was first met
    while made < budget and possible:
        inside = 0  # steps of this stage
        loop.begin_stage()
        optimal = loop.is_inner_optimal()
        at_rest = optimal and loop.is_at_rest()
        # Without a step the centre moves to beta as it is now, which may be far off the planes, and back: a cycle.
        optimal = optimal and not idle and not loop.estimate() > estimate
        while not optimal and made + inside < budget and inside < _PATIENCE:
            possible = loop.step()
            if not possible:
                break
            inside += 1
            optimal = loop.is_inner_optimal()
        idle = inside == 0
        made += max(inside, 1)
        loop.settle()
        estimate = loop.estimate() if possible else np.inf
        if optimal or inside == _PATIENCE:
            loop.end_stage(optimal)
        iterate.delta[0] = loop.delta
        if estimate <= exact or at_rest:
            break
        if estimate <= tol and reached is None:
            reached, budget = [x.copy() for x in iterate], int(min(steps, beyond * made + _FEW))
            reached_estimate = estimate
    if reached is not None and not estimate <= tol:  # the steps towards the optimum were cut short
        for x, kept in zip(iterate, reached, strict=True):
            x[:] = kept
        estimate = reached_estimate
    return made, loop.read, float(estimate)


class _Loop:
    def __init__(self, problem: DenseProblem, iterate: DenseIterate) -> None:
        self.c, self.size, self.offset, self.levels = problem.c, problem.size, problem.offset, problem.levels
        is_shared = problem.number.size > 0
        self.rows = problem.scale[:, None] * problem.rows[problem.number] if is_shared else problem.rows
        self.lam, self.constant = problem.lam, problem.constant
        self.w, self.biases, self.base, self.beta = iterate.w, iterate.biases, iterate.base, iterate.beta
        self.delta = float(iterate.delta[0])
        self.boxes = Boxes(iterate.base, problem.size, problem.low, problem.high, problem.bend)
        self.low, self.high, self.bend = bounds_and_bend(self.boxes)
        self.border = Border(problem.sigma, problem.group)
        n, K = len(problem.c), len(problem.levels)
        self.B = np.where(np.arange(K) == problem.group[:, None], problem.sigma[:, None], 0.0)
        bends = self.bend[self.size > 0]
        self.least_bend = float(bends.min()) if bends.size else 0.0
        size = self.size.sum() * np.sum(self.rows**2, axis=1).max(initial=0.0)
        self.least_unit = min(1.0, self.lam * np.abs(self.c).max(initial=0.0) / max(size, _TINY))
        self.means = np.zeros((K, self.rows.shape[1]))
        self.change, self.filled = np.empty(n), np.zeros(K)
        self.read = 0

    @property
    def off_plane(self) -> Vector:
        return self.levels - self.filled

    @property
    def gradient(self) -> Vector:
        """That of the centred rows, in which a common offset does not count."""
        return self.lam * self.w + self.adjoint + self.off_plane @ self.means

    @property
    def primal(self) -> float:
        linear = self.constant - float(self.levels @ self.biases) + float(self.offset @ self.w)
        return linear + 0.5 * self.lam * float(self.w @ self.w) + self.sums.risk

    def begin_stage(self) -> None:
        """Recompute s, beta and A' alpha at (w, biases), with the centre base."""
        self.unit = min(max(2 * np.abs(self.base).max(initial=0.0), self.least_unit), 1.0)
        self.tau, self.blur = self.unit / self.delta, 1.0
        if self.delta <= _SMOOTH * self.least_bend:
            self.tau, self.blur = max(self.tau, 1 / (_NEGLIGIBLE * self.least_bend)), 0.0
        self.steepness = (self.size / (1 + self.tau * self.bend)) @ self.B**2
        self.s = self.c + self.rows @ self.w + self.B @ self.biases
        self.move(0.0, np.zeros_like(self.s))
        self.adjoint = self.offset + (self.size * self.beta) @ self.rows
        self.read += 2 * len(self.c)

    def move(self, t: float, ds: Vector) -> None:
        self.sums = box_move(
            self.boxes, self.border, self.c, t, self.s, ds, self.tau, self.beta, self.change, self.filled
        )

    def step(self) -> bool:
        """One Newton step. False if the numbers do not allow one."""
        dw, db = self.direction()
        ds = self.rows @ dw + self.B @ db
        slope = self.lam * float(self.w @ dw) + float(self.offset @ dw) - float(self.levels @ db)
        line = Line(slope, self.lam * float(dw @ dw), _LINE_TOL, _EVALUATIONS)
        t = box_line_search(self.boxes, self.s, ds, self.tau, line)
        if not np.isfinite(t * slope):
            return False
        self.w += t * dw
        self.biases += t * db
        self.move(t, ds)
        self.adjoint += self.change @ self.rows
        self.read += len(self.c) + int(self.sums.moved)
        if t > 0.5:
            self.blur *= _BLUR_SHRINK
        return True

    def direction(self) -> tuple[Vector, Vector]:
        """That of w and of the biases. The biases are eliminated, so the rows become a_i - sigma_i mean."""
        weights = np.empty(len(self.c))
        blur = self.blur * self.unit if self.blur >= _LEAST_BLUR else 0.0
        box_weights(self.boxes, self.s, self.tau, blur, weights)
        weights *= self.tau
        self.read += int(np.count_nonzero(weights))
        totals = np.maximum(np.maximum(weights @ self.B**2, _FLAT * self.tau * self.steepness), _TINY)
        self.means = (self.B.T * weights) @ self.rows / totals[:, None]
        matrix = (self.rows.T * weights) @ self.rows
        largest = float(matrix.diagonal().max(initial=0.0))
        matrix -= (self.means.T * totals) @ self.means
        matrix[np.diag_indices_from(matrix)] += self.lam
        dw = -_solve(matrix, self.gradient, _EPS * largest)
        return dw, np.where(self.steepness > 0, self.off_plane / totals - self.means @ dw, 0.0)

    def is_inner_optimal(self) -> bool:
        error = 0.5 / self.tau * float(np.sum(self.off_plane**2 / np.maximum(self.steepness, _TINY)))
        error += float(self.gradient @ self.gradient) / (2 * self.lam)
        return error <= max(_INNER * 0.5 / self.tau * self.sums.proximal, _RESOLVED * abs(self.primal))

    def is_at_rest(self) -> bool:
        """Whether a stage, at the least delta, can gain nothing more."""
        return self.delta <= _LEAST_DELTA and 0.5 / self.tau * self.sums.proximal <= _RESOLVED * abs(self.primal)

    def settle(self) -> None:
        """Move back onto the planes along the rows inside their boxes, which changes nothing at the optimum.

        Where some of them come to an end of their boxes, the others make up for it.
        """
        before = self.beta.copy()
        for _ in range(_ROUNDS):
            inside = (self.beta > self.low) & (self.beta < self.high)
            mass = self.size[inside] @ self.B[inside] ** 2
            shift = np.divide(self.off_plane, mass, out=np.zeros_like(mass), where=mass > 0)
            moved = np.where(inside, np.clip(self.beta + self.B @ shift, self.low, self.high), self.beta)
            change = self.size * (moved - self.beta)
            linear = self.sums.linear + float((self.c - 0.5 * self.bend * (moved + self.beta)) @ change)
            self.sums = self.sums._replace(linear=linear)
            self.filled += change @ self.B
            self.beta[:] = moved
        self.adjoint += (self.size * (self.beta - before)) @ self.rows

    def estimate(self) -> float:
        """The relative gap between J(w, biases) and D(beta)."""
        penalty = float((1 + np.abs(self.biases)) @ np.abs(self.off_plane))
        dual = self.constant + self.sums.linear - float(self.adjoint @ self.adjoint) / (2 * self.lam) - penalty
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
