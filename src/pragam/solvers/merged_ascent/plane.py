r"""The plane of a bias, where groups sweep at once: each is held near it, and the merge is on it.

The sweeps of a group maximise, with the others standing still, over the box alone

    D(alpha) + <b, R> - rho/2 R^2,      R = <sigma, alpha - its start>,

whose rows are a_i + sigma_i m, shortest for the mean m = -A' sigma / |sigma|^2 (:mod:`pragam.solvers.dcd.multipliers`).
R is what the group would leave the plane by. The merge takes the best point *on* the plane among the steps of all
groups and their ways back, along ``scale``; the multiplier of that small problem is the next b. So b follows as in
Newton's method, not by steps of rho R, with which groups overshoot together.
"""

from __future__ import annotations

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import DataProblem
from pragam.solvers.dcd.multipliers import penalty

#: rho of a group as a share of that of dcd, where R leads to the next b. On text and news20 (2 and 8 groups) 1 and 3
#: take up to a third and twice as many rounds more, 0.03 and none do not converge.
_SHARE = 0.3
#: Repairs after which alpha no longer changes.
_REPAIRS = 4


def centred(problem: DataProblem) -> tuple[Vector, float]:
    """(m, rho); nothing without a bias. It takes a reading."""
    if not problem.n_biases:
        return np.empty(0), 0.0
    sigma, norms = problem.B.sigma, problem.A.row_norms()
    total = float(sigma @ sigma)
    centre = problem.moment / -total if total > 0 else np.zeros(problem.n_weights)
    kappa = np.broadcast_to(problem.g.curvature, problem.Q.size)
    length2 = np.maximum(norms**2 - float(centre @ centre) * sigma**2, 0.0)
    return centre, _SHARE * penalty(problem, length2, kappa)


def landed(problem: DataProblem, alpha: Vector) -> Vector:
    """The feasible point next to alpha, as a certificate takes it."""
    alpha = problem.domain.onto_face(np.clip(alpha, problem.Q.lower, problem.Q.upper))
    for _ in range(_REPAIRS):
        repaired: Vector = problem.domain.repair(alpha).point
        if np.array_equal(repaired, alpha):
            break
        alpha = repaired
    return alpha
