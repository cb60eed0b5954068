r"""The planes B' alpha = levels inside coordinate ascent: unpenalised biases by the method of multipliers.

The sweeps maximise, over the box alone, a function that equals D(alpha) on the planes r = B' alpha - levels = 0:

    <c, alpha> - g(alpha) - |A' alpha + tilt + R m|^2 / (2 lam) + <b, r> - rho/2 |r|^2,      R = sum_k r_k,

and b <- b - rho r after each sweep, from the best biases for the first w. The vector m is free. The rows become a_i +
sigma_i m, and m = -A' sigma / |sigma|^2, the mean of the examples where sigma_i = -y_i, makes them shortest: coordinate
ascent does not see a common offset of the data, which it is otherwise slow on. Sparse rows stay sparse, since only lift
= A m and moment = <m, w> enter. The model's biases are b + <m, w>.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.coordinate.records import NO_PLANES, Indices, Planes
from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.choice.hardness import box_sizes

#: rho as a share of the mean curvature of the rows that can move: so small that the sweeps hardly feel it.
_PENALTY = 0.1
#: rho is no less than this many times that mean over the number of rows on a plane: few rows would otherwise all jump
#: between their bounds at once.
_PENALTY_FEW_ROWS = 10.0
#: rho is no less than what changes the slopes, where r is largest, by this share of c: where C R^2 is tiny, a smaller
#: rho would vanish in their rounding.
_PENALTY_FELT = 1e-6
#: A curvature |x_i - m|^2 below this share of |x_i|^2 consists of rounding.
_CANCELLATION = 1e-12


@dataclass
class Multipliers:
    """State of the multipliers: what the sweeps read and write of it is in ``planes``, in place."""

    planes: Planes  # of all dual variables
    levels: Vector
    centre: Vector  # m

    @property
    def count(self) -> int:
        """The number of planes."""
        return len(self.planes.multiplier)

    @property
    def residuals(self) -> Vector:
        return self.planes.running[:-1]

    @property
    def biases(self) -> Vector:
        """The biases of the model, in the coordinates of X as given."""
        return self.planes.multiplier + self.planes.running[-1:]

    @biases.setter
    def biases(self, values: Vector) -> None:
        self.planes.multiplier[:] = values - self.planes.running[-1:]

    def excess(self, of: NDArray[np.bool_] | None = None) -> float:
        """What the residuals of these planes, by default of all, may change of the gap."""
        if not self.count:
            return 0.0
        each = (1.0 + np.abs(self.biases)) * np.abs(self.residuals)
        return float((each if of is None else each[of]).sum())

    def refresh(self, w: Vector, alpha: Vector) -> None:
        """Recompute the residuals and <m, w>, keeping the model's biases."""
        if self.count:
            self.settle(w, self._residuals(alpha))

    def settle(self, w: Vector, residuals: Vector) -> None:
        """Take these residuals, and <m, w>, keeping the model's biases."""
        biases = self.biases
        self.planes.running[:-1] = residuals
        self.planes.running[-1] = self.centre @ w
        self.biases = biases

    def ascend(self, met: NDArray[np.bool_] | None = None) -> None:
        """The step of the multipliers after a sweep over variables on the planes ``met``; None: on all of them.

        The multiplier of a plane that nothing moves on would run away.
        """
        if not self.count:
            return
        step = self.planes.rho * self.residuals
        self.planes.multiplier[:] -= step if met is None else np.where(met, step, 0.0)

    def rows_of_planes(self, chosen: Indices) -> Vector:
        """B' as a dense matrix, for few variables: a row for each plane."""
        rows = np.zeros((self.count, len(chosen)))
        if self.count:
            group = 0 if self.planes.group is None else self.planes.group[chosen]
            rows[group, np.arange(len(chosen))] = self.planes.terms[chosen, 0]
        return rows

    def _residuals(self, alpha: Vector) -> Vector:
        sigma, group = self.planes.terms[:, 0], self.planes.group
        if group is None:
            return float(np.ascontiguousarray(sigma) @ alpha) - self.levels
        return np.bincount(group, sigma * alpha, self.count) - self.levels


def multipliers_of(
    problem: BoxProblem, w: Vector, alpha: Vector, scores: Vector | None = None
) -> tuple[Multipliers, Vector]:
    """The state at the start, and the curvatures q of the rows under it; with a bias two products, and one for A w + c
    where that is not at hand."""
    A, Q, lam = problem.A, problem.Q, problem.lam
    kappa = np.broadcast_to(problem.g.curvature, Q.size)
    norms = A.row_norms()
    if problem.n_biases == 0:
        return Multipliers(NO_PLANES, np.empty(0), np.empty(0)), norms * (norms / lam) + kappa
    sigma, levels = problem.B.sigma, problem.levels
    total = float(sigma @ sigma)
    centre = problem.moment / -total if total > 0 else np.zeros(problem.n_weights)
    lift, centre2 = problem.keep("lift", lambda: A.matvec(centre)), float(centre @ centre)
    length2 = centred2(norms, sigma, lift, centre2)
    rho, group = penalty(problem, length2, kappa), problem.B.group if len(levels) > 1 else None
    planes = Planes(
        np.column_stack((sigma, lift)), group, np.zeros(len(levels) + 1), np.zeros(len(levels)), rho, centre2
    )
    multipliers = Multipliers(planes, levels, centre)
    multipliers.refresh(w, alpha)
    multipliers.biases = np.nan_to_num(problem.best_biases(problem.scores(w) if scores is None else scores), nan=0.0)
    return multipliers, length2 / lam + kappa + rho * sigma**2


def centred2(norms: Vector, sigma: Vector, lift: Vector, centre2: float) -> Vector:
    """|a_i + sigma_i m|^2 from |a_i|, lift_i = <a_i, m> and |m|^2."""
    return np.maximum(norms**2 + 2 * sigma * lift + sigma**2 * centre2, _CANCELLATION * norms**2)


def penalty(problem: BoxProblem, length2: Vector, kappa: Vector) -> float:
    """rho, where the rows have these squared lengths and g these curvatures."""
    Q, sigma, count = problem.Q, problem.B.sigma, problem.n_biases
    moves = Q.upper > Q.lower
    sigma2 = float(sigma[moves] @ sigma[moves])
    share = max(_PENALTY, _PENALTY_FEW_ROWS * count / Q.size)
    rho = share * float(length2[moves].sum()) / problem.lam / sigma2 if sigma2 > 0 else 0.0
    rho += share * float(kappa[moves].sum()) / sigma2 if sigma2 > 0 else 0.0
    range_of_r = float(np.abs(sigma[moves]) @ box_sizes(problem)[moves]) / count
    felt = _PENALTY_FELT * float(np.abs(problem.c).max()) / range_of_r if 0 < range_of_r < np.inf else 0.0
    return max(rho, felt) or 1.0
