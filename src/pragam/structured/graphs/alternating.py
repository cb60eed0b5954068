r"""The paper's algorithm for the projection onto the marginals of a graph: block coordinate descent, corrected.

With xi >= 0 for the signs the dual is

    D = 1/2 sum_c d_c^-2 |s_c|^2 + <m_c, s_c> - <e, u>,      s = B' u + xi,      alpha_c = m_c + s_c / d_c^2.

Its derivative by xi is alpha, and complementarity holds there, not an equation; the multipliers of a link enter both of
its cliques, with opposite signs. A sweep sets xi to its minimum, xi_c = [-d_c^2 m_c - (B' u)_c]_+, and then u to its
own for this xi, B diag(1 / d^2) B' u = e - B (m + xi / d^2): a linear system that is the same in all sweeps.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from pragam.numerics.vector import Vector
from pragam.structured.graphs.newton import Dual, factorised

#: Sweeps after which there is no more progress to speak of.
_MOST = 200_000


def alternate(dual: Dual, tols: Vector, u: Vector) -> Vector:
    """The projection, by sweeps from u on, until each component's residual is at most its own of ``tols``."""
    allowed = np.isfinite(dual.m)
    rows = dual.constraints[np.flatnonzero(allowed)]
    give, m, adjoint = dual.give[allowed], dual.m[allowed], sparse.csr_array(rows.T)
    factor = factorised(sparse.csc_array(rows.T @ (rows * give[:, None])))
    for _ in range(_MOST):
        moved = give * (rows @ u)
        alpha = np.maximum(m + moved, 0.0)
        gradient = adjoint @ alpha - dual.right
        residuals = dual.residuals(gradient)
        if (residuals <= tols).all():
            out = np.zeros(len(dual.m))
            out[allowed] = alpha
            return out
        # What xi lifts to zero stays lifted while u moves: alpha changes by diag(1 / d^2) B' du everywhere.
        u -= factor.solve(gradient)
    raise ArithmeticError(f"the alternation has ended with a residual of {residuals.max():.1e}")
