r"""The paper's Algorithm 3 for a chain: block coordinate descent on the dual of the projection, corrected.

With s_t(i, j) = lambda_t + xi_t(i, j) + mu_t(j) - mu_{t-1}(i), mu_0 = mu_T = 0 and xi >= 0 the dual is

    D = 1/2 sum_t d_t^-2 |s_t|^2 + <m_t, s_t> - lambda_t,        alpha_t = m_t + s_t / d_t^2.

The paper prints the weight d_t^2 and, in the gradient by mu, a plus where a minus belongs: with it the alternation
diverges. A sweep sets xi to its minimum, xi = [-d_t^2 m_t - lambda_t - mu_t(j) + mu_{t-1}(i)]_+, and then (lambda, mu)
to theirs for this xi. The second is a linear system, for which the paper proposes conjugate gradients; but with every
edge in it, its blocks are rank one plus a diagonal. With x_t = m_t + xi_t / d_t^2 and sums over labels written as
S_t = sum_j mu_t(j), it becomes a tridiagonal system for the S_t, and mu follows.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from pragam.numerics.vector import Vector

#: Sweeps after which there is no more progress to speak of.
_MOST = 200_000


def alternate(m: Vector, weight: Vector, tol: float) -> Vector:
    """The marginals nearest to m, (T, K, K), for the weights d_t^2: sweeps until every residual is at most ``tol``."""
    u = np.zeros((len(m) + 1, m.shape[-1]))  # u_0 = p 1, then mu_1 .., and u_T = 0: lambda is a part of them
    give = 1.0 / weight[:, None, None]
    for _ in range(_MOST):
        raw = m + give * (u[1:, None, :] - u[:-1, :, None])
        alpha = np.maximum(raw, 0.0)
        if _residual(alpha) <= tol:
            return alpha
        # What xi lifts to zero stays lifted while (lambda, mu) move.
        _solve(np.where(raw > 0, m, alpha - give * (u[1:, None, :] - u[:-1, :, None])), weight, u)
    raise ArithmeticError(f"the alternation has ended with a residual of {_residual(alpha):.1e}, above {tol:.1e}")


def _residual(alpha: Vector) -> float:
    flow = np.abs(alpha[:-1].sum(axis=1) - alpha[1:].sum(axis=2)).max(initial=0.0)
    return max(float(flow), float(np.abs(alpha.sum(axis=(1, 2)) - 1).max()))


def _solve(x: Vector, weight: Vector, u: Vector) -> None:
    """The potentials, in place, for which the tables x_t + (u_{t+1}(j) - u_t(i)) / d_t^2 meet all equations.

    The mass of the first table is 1, and the inflow of each inner node is its outflow:

        K (1/d_{t-1}^2 + 1/d_t^2) u_t(j) - S_{t-1} / d_{t-1}^2 - S_{t+1} / d_t^2 = outflow - inflow of x,

    where S_0 = K p and S_T = 0.
    """
    T, K = x.shape[:2]
    give = 1.0 / weight
    missing = x[1:].sum(axis=2) - x[:-1].sum(axis=1)  # (T - 1, K)
    diagonal = K * np.append(give[0], give[:-1] + give[1:])
    band = np.zeros((3, T))
    band[1] = diagonal
    band[0, 1:] = band[2, :-1] = -K * give[:-1]
    sums = solve_banded((1, 1), band, np.append(x[0].sum() - 1.0, missing.sum(axis=1)))  # S_t; the first is K p
    u[0] = sums[0] / K
    around = np.append(sums, 0.0)
    for t in range(1, T):
        u[t] = (missing[t - 1] + give[t - 1] * around[t - 1] + give[t] * around[t + 1]) / diagonal[t]
