"""Problems posed on a set that may be cut by a plane, as tests draw them."""

from __future__ import annotations

import numpy as np

import pragam
from pragam.conjugates import Quadratic, Zero
from pragam.operators import Planes
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Rest


def posed(A, c, Q, lam, kappa=0.0):
    """The problem on Q. A box cut by the plane <sigma, alpha> = z is a box and B = -sigma: see Problem."""
    g = Quadratic(kappa) if np.any(kappa) else Zero()
    if not isinstance(Q, BoxPlane):
        return pragam.Problem(A, c, Q, lam, g=g)
    rest = Rest(levels=np.array([Q.z])) if Q.z else Rest()
    return pragam.Problem(A, c, Box(Q.lower, Q.upper), lam, Planes(-Q.sigma), g, rest=rest)
