r"""The planes sum_i +-alpha_ik = level_k inside block ascent: an unpenalised bias a label by the method of multipliers.

The sweeps maximise, over the blocks alone, a function that equals D(alpha) on the planes r = B' alpha - levels = 0:

    <c, alpha> - sum_k |u_k - r_k m|^2 / (2 lam) + <b, r> - rho/2 |r|^2,      u = A' alpha + tilt,  w_k = -u_k / lam,

and b <- b - rho r after each sweep. The vector m is free. The rows become x_i - m, and the mean of the examples,
weighted by their totals, makes them short: ascent does not see a common offset of the data, which it is otherwise slow
on. Sparse rows stay sparse, since only lift = X m and the moments <m, w_k> enter. The model's biases are b_k - <m,
w_k>. This is :mod:`pragam.solvers.dcd.multipliers` with a plane for each label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam._kernels.blocks.records import NO_PLANES, BlockPlanes
from pragam.operators.base import Vector
from pragam.solvers.sequential_dual.working_set import LabelProblem

#: rho as a share of the mean curvature of the examples: so small that the sweeps hardly feel it.
_PENALTY = 0.1
#: rho is no less than this many times that mean over the number of examples: few would otherwise all jump at once.
_PENALTY_FEW_ROWS = 10.0
#: rho is no less than what changes the slopes, where r is largest, by this share of c.
_PENALTY_FELT = 1e-6
#: A curvature |x_i - m|^2 below this share of |x_i|^2 consists of rounding.
_CANCELLATION = 1e-12


@dataclass
class Multipliers:
    """State of the multipliers: what the sweeps read and write of it is in ``planes``, in place."""

    planes: BlockPlanes
    levels: Vector
    centre: Vector  # m

    @property
    def count(self) -> int:
        """The number of planes."""
        return len(self.planes.multiplier)

    @property
    def residuals(self) -> Vector:
        return self.planes.running[: self.count]

    @property
    def moments(self) -> Vector:
        return self.planes.running[self.count :]

    @property
    def biases(self) -> Vector:
        """The biases of the model, in the coordinates of X as given."""
        return self.planes.multiplier - self.moments

    def excess(self) -> float:
        """What the residuals may change of the gap."""
        if not self.count:
            return 0.0
        b = self.biases
        return float((1.0 + np.abs(b - b.mean())) @ np.abs(self.residuals))

    def refresh(self, problem: LabelProblem, w: Vector, alpha: Vector) -> None:
        """Recompute the residuals and the moments, keeping the model's biases."""
        if self.count:
            biases = self.biases
            self.residuals[:] = problem.B.rmatvec(alpha) - self.levels
            self.moments[:] = w.reshape(self.count, -1) @ self.centre
            self.planes.multiplier[:] = biases + self.moments

    def ascend(self) -> None:
        """The step of the multipliers after a sweep."""
        self.planes.multiplier[:] -= self.planes.rho * self.residuals


def multipliers_of(
    problem: LabelProblem, w: Vector, alpha: Vector, biases: Vector | None
) -> tuple[Multipliers, Vector]:
    """The state at the start, and the curvatures q of the examples under it; with biases by two products with X."""
    norms2 = problem.A.storage.row_norms2
    if not problem.n_biases:
        return Multipliers(NO_PLANES, np.empty(0), np.empty(0)), norms2 / problem.lam
    storage, totals = problem.A.storage, problem.Q.totals
    mass = float(totals.sum())
    centre = storage.rmatvec(totals / mass) if mass > 0 else np.zeros(storage.shape[1])
    lift, centre2 = storage.matvec(centre), float(centre @ centre)
    length2 = np.maximum(norms2 - 2 * lift + centre2, _CANCELLATION * norms2)
    rho, K = _penalty(problem, length2), problem.n_biases
    planes = BlockPlanes(np.zeros(K), np.zeros(2 * K), lift, rho, centre2)
    multipliers = Multipliers(planes, problem.levels, centre)
    if biases is not None:
        planes.multiplier[:] = biases
    multipliers.refresh(problem, w, alpha)
    return multipliers, length2 / problem.lam + rho


def _penalty(problem: LabelProblem, length2: Vector) -> float:
    """rho, where the centred examples have these squared lengths."""
    totals = problem.Q.totals
    moves = totals > 0
    share = max(_PENALTY, _PENALTY_FEW_ROWS / max(len(totals), 1))
    rho = share * float(length2[moves].mean()) / problem.lam if moves.any() else 0.0
    felt = _PENALTY_FELT * float(np.abs(problem.c).max(initial=0.0)) / max(float(totals.sum()), 1e-300)
    return max(rho, felt) or 1.0
