"""Iterations of our solvers until J(w_t) is within eps of the optimum."""

from __future__ import annotations

import numpy as np

from pragam.driver.solve import solve
from pragam.paper.claims.results.bmrm_linear import Fit, straight_line
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.solvers.base import AnySolver

#: The reference is this much more accurate than what is asked.
_REFERENCE = 1e-3


def iterations_to(problem: Problem, solver: AnySolver, eps: float, most: int) -> float:
    """The first t with J(w_t) - D* <= eps, w_0 counted; inf if it is none of the first ``most``."""
    optimum = solve(problem, tol=_REFERENCE * eps).certificate
    found = (it.t for it in trace(problem, solver, most) if it.certificate.primal - optimum.dual <= eps)
    return float(next(found, np.inf))


def growth(sizes: list[float], counts: list[float]) -> Fit:
    """p and R^2 of counts ~ sizes^p, over the counts that are at least 1 and finite."""
    kept = [(x, k) for x, k in zip(sizes, counts, strict=True) if 1 <= k < np.inf]
    if len(kept) < 2:
        return Fit(np.nan, np.nan)
    x, k = np.log(np.array(kept)).T
    return straight_line(x, k)
