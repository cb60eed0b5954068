r"""The equality <sigma, alpha> = z inside coordinate ascent: an unpenalised bias by the method of multipliers.

The sweeps maximise, over the box alone, a function that equals D(alpha) on the plane r = <sigma, alpha> - z = 0:

    <c, alpha> - |A' alpha + r m|^2 / (2 lam) - b r - rho/2 r^2,

and b <- b + rho r after each sweep, from the best bias for the first w. The vector m is free. The rows become a_i +
sigma_i m, and m = -A' sigma / |sigma|^2, the mean of the examples where sigma_i = y_i, makes them shortest: coordinate
ascent does not see a common offset of the data, which it is otherwise slow on. Sparse rows stay sparse, since only lift
= A m and moment = <m, w> enter. The model's bias is b - <m, w>.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.operators.base import Vector
from pragam.polytopes import BoxPlane
from pragam.problem import BoxProblem

#: rho as a share of the mean curvature of the rows that can move: so small that the sweeps hardly feel it.
_PENALTY = 0.1
#: rho is no less than this many times that mean over the number of rows: few rows would otherwise all jump between
#: their bounds at once.
_PENALTY_FEW_ROWS = 10.0
#: rho is no less than what changes the slopes, where r is largest, by this share of c: where C R^2 is tiny, a smaller
#: rho would vanish in their rounding.
_PENALTY_FELT = 1e-6
#: A curvature |x_i - m|^2 below this share of |x_i|^2 consists of rounding.
_CANCELLATION = 1e-12


@dataclass
class Equality:
    """State of the multiplier. Empty vectors where the problem has no equality."""

    sigma: Vector
    lift: Vector  # A m
    running: Vector  # r and <m, w>
    centre: Vector  # m
    centre2: float  # |m|^2
    rho: float
    multiplier: float = 0.0

    @property
    def active(self) -> bool:
        return self.sigma.size > 0

    @property
    def residual(self) -> float:
        return float(self.running[0])

    @property
    def bias(self) -> float:
        """The bias of the model, in the coordinates of X as given."""
        return self.multiplier - float(self.running[1])

    @bias.setter
    def bias(self, value: float) -> None:
        self.multiplier = value + float(self.running[1])

    def kernel_arguments(self) -> tuple[Vector, float, float, float]:
        return self.running, self.multiplier, self.rho, self.centre2

    def refresh(self, problem: BoxProblem, w: Vector, alpha: Vector) -> None:
        """Recompute r and <m, w>, keeping the model's bias."""
        if self.active:
            bias = self.bias
            self.running[:] = _residual(problem, alpha), self.centre @ w
            self.bias = bias

    def ascend(self) -> None:
        """The step of the multiplier after a sweep."""
        self.multiplier += self.rho * self.residual


def equality_of(problem: BoxProblem, w: Vector, alpha: Vector) -> tuple[Equality, Vector]:
    """The multiplier's state at the start, and the curvatures q of the rows under it; three products with a bias."""
    A, Q, lam = problem.A, problem.domain, problem.lam
    norms = A.row_norms()
    if not isinstance(Q, BoxPlane):
        nothing = np.empty(0)
        return Equality(nothing, nothing, np.zeros(2), nothing, 0.0, 0.0), norms * (norms / lam)
    total = float(Q.sigma @ Q.sigma)
    centre = A.rmatvec(Q.sigma) / -total if total > 0 else np.zeros(problem.n_weights)
    lift, centre2 = A.matvec(centre), float(centre @ centre)
    length2 = np.maximum(norms**2 + 2 * Q.sigma * lift + Q.sigma**2 * centre2, _CANCELLATION * norms**2)
    moves = Q.upper > Q.lower
    sigma2 = float(Q.sigma[moves] @ Q.sigma[moves])
    share = max(_PENALTY, _PENALTY_FEW_ROWS / Q.size)
    rho = share * float(length2[moves].sum()) / lam / sigma2 if sigma2 > 0 else 0.0
    range_of_r = float(np.abs(Q.sigma[moves]) @ (Q.upper - Q.lower)[moves])
    felt = _PENALTY_FELT * float(np.abs(problem.c).max()) / range_of_r if 0 < range_of_r < np.inf else 0.0
    equality = Equality(Q.sigma, lift, np.zeros(2), centre, centre2, max(rho, felt) or 1.0)
    equality.refresh(problem, w, alpha)
    equality.bias = float(problem.best_biases(problem.c + A.matvec(w))[0])
    return equality, length2 / lam + equality.rho * Q.sigma**2


def _residual(problem: BoxProblem, alpha: Vector) -> float:
    Q = problem.domain
    return float(Q.sigma @ alpha) - Q.z
