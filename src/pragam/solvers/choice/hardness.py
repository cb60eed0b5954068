"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import has
from pragam.structured.expected_features import StructuredProblem
from pragam.structured.structure import Structure

#: Rounding in a difference of squares, relative to them: a smaller one is not to be trusted.
_CANCELLATION = 1e-12


def box_sizes(problem: BoxProblem) -> Vector:
    """How far each alpha_j can go: the width of its box or, if that is less, |c| / kappa_j with the largest |c|.

    So far the scores at w = 0 take it, and a box without an end has a size where g is curved.
    """
    Q, kappa = problem.Q, np.broadcast_to(problem.g.curvature, problem.Q.size)
    widths = Q.upper - Q.lower
    if not kappa.any():
        return widths
    reach = np.divide(np.abs(problem.c).max(), kappa, out=np.full(Q.size, np.inf), where=kappa > 0)
    return np.minimum(widths, reach)


def has_structure(problem: AnyProblem) -> TypeGuard[StructuredProblem[Structure]]:
    """Whether its dual points are distributions of labellings."""
    return has(problem, "Q.structure")


def structured_hardness(problem: StructuredProblem[Structure]) -> float:
    """C R^2 of a structured problem: the mean of totals_i / lam, and R the mean length of Phi_i(y) - Phi_i(y_i), or a
    bound of it. Infinite where nothing is known of the features."""
    structure = problem.Q.structure
    whole = float(structure.totals.sum())
    mean_length = structure.radius() / whole if whole > 0 else 0.0
    return whole / structure.n / problem.lam * (mean_length * mean_length)  # a power would raise where this is inf


def uncentred_hardness(problem: BoxProblem) -> float:
    """C R^2 with the rows as they are, whatever the bias: it reads nothing where the lengths of the rows are known."""
    norms = problem.A.row_norms()
    return float(np.mean(box_sizes(problem))) / problem.lam * float(norms @ norms) / max(problem.A.shape[0], 1)


def hardness(problem: BoxProblem) -> float:
    """C R^2: the mean size of the boxes over lam, times the mean of |a_i|^2. A hinge loss has C = 1/(n lam).

    With a bias the rows are those of the centred data, a_i - sigma_i m, whose squares are least in sum: |A|^2 - |A'
    sigma|^2 / |sigma|^2.
    """
    A, sigma = problem.A, problem.B.sigma
    norms = A.row_norms()
    squares = float(norms @ norms)
    if sigma.any():
        moment = problem.moment
        squares = max(squares - float(moment @ moment) / float(sigma @ sigma), _CANCELLATION * squares)
    return float(np.mean(box_sizes(problem))) / problem.lam * squares / A.shape[0]
