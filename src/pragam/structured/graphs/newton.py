r"""The dual of the projection onto locally consistent tables, and a semismooth Newton method for it.

With the constraints B alpha = e (masses 1, differences of marginals 0) and multipliers u the eliminated dual is

    F(u) = sum_c d_c^2 / 2 |alpha_c|^2 - <e, u>,       alpha_c = [m_c + (B' u)_c / d_c^2]_+,

to be minimised: convex, once differentiable and piecewise quadratic, with the gradient B alpha - e and the generalised
Hessian B diag([alpha > 0] / d^2) B'. The masses of linked cliques follow from one another, and so do some marginals
where the links have a cycle. So the Hessian is singular, but the gradient is orthogonal to these redundancies: a ridge
leaves the limit as it is and gives steps near those of least squares.

Components that no link connects are projected side by side, each with a line search of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from pragam.numerics.vector import Vector
from pragam.structured.graphs.clique_graph import CliqueGraph

#: More steps than any graph has needed: random tables take 5 to 40.
_MOST = 500
#: The Hessian's diagonal grows by this share: with 1e-11, rounding in redundant directions kept 6 of 400 random graphs
#: from converging; from 1e-9 to 1e-6 all did, in equally many steps.
_RIDGE = 1e-8
#: A line search ends with a step of this size, relative to its length.
_LINE_TOL = 1e-3
_LINE_STEPS = 40


class Dual:
    """F for tables m (flat), with d_c^2 of every entry in ``weight``. An entry -inf stays without mass."""

    def __init__(self, graph: CliqueGraph, m: Vector, weight: Vector) -> None:
        self.graph, self.m, self.give = graph, m, 1.0 / weight
        self.constraints = graph.constraints
        self.adjoint = sparse.csr_array(self.constraints.T)
        self.right = np.zeros(graph.n_potentials)
        self.right[: len(graph.cliques)] = 1.0
        self.of_entry = np.repeat(graph.component, graph.sizes)
        self.n_components = int(graph.component.max()) + 1
        self.of_potential = self._component_of_potentials()

    def tables(self, u: Vector) -> Vector:
        """alpha of the multipliers u."""
        return np.maximum(self.m + self.give * (self.constraints @ u), 0.0)

    def gradient(self, alpha: Vector) -> Vector:
        """B alpha - e: what the constraints lack."""
        return np.asarray(self.adjoint @ alpha - self.right, dtype=np.float64)

    def residuals(self, gradient: Vector) -> Vector:
        """The largest residual of a constraint in each component."""
        out = np.zeros(self.n_components)
        np.maximum.at(out, self.of_potential, np.abs(gradient))
        return out

    def give_masses(self, u: Vector) -> None:
        """Change the multipliers of the masses, in place, such that every table has the mass 1."""
        graph = self.graph
        raw = self.m + self.give * (self.constraints @ u)
        for size in np.unique(graph.sizes):
            own = np.flatnonzero(graph.sizes == size)
            falling = -np.sort(-raw[graph.first[own][:, None] + np.arange(size)], axis=1)
            shifts = (1.0 - np.cumsum(falling, axis=1)) / np.arange(1, size + 1)
            with np.errstate(invalid="ignore"):  # -inf + inf, of entries without mass
                last = np.count_nonzero(falling + shifts > 0, axis=1) - 1
            u[own] += shifts[np.arange(len(own)), last] / self.give[graph.first[own]]

    def _component_of_potentials(self) -> NDArray[np.int64]:
        out = np.empty(self.graph.n_potentials, dtype=np.int64)
        out[self.constraints.indices] = np.repeat(self.of_entry, np.diff(self.constraints.indptr))
        return out


def newton(dual: Dual, tols: Vector, u: Vector) -> Vector:
    """The projection, from the multipliers u on, which are changed in place. ``tols`` has one for each component."""
    dual.give_masses(u)
    for _ in range(_MOST):
        alpha = dual.tables(u)
        gradient = dual.gradient(alpha)
        residuals = dual.residuals(gradient)
        if (residuals <= tols).all():
            return alpha
        if not np.isfinite(residuals).all():
            break
        du = _direction(dual, alpha > 0, gradient)
        du *= (residuals > tols)[dual.of_potential]
        u += _steps(dual, u, du, residuals)[dual.of_potential] * du
        if (np.add.reduceat(dual.tables(u), dual.graph.first[:-1]) == 0).any():
            dual.give_masses(u)
    raise ArithmeticError(f"the projection has ended with a residual of {residuals.max():.1e}")


def _direction(dual: Dual, active: NDArray[np.bool_], gradient: Vector) -> Vector:
    """-H^-1 gradient, by a sparse factorisation."""
    rows = dual.constraints[np.flatnonzero(active)]
    H = sparse.csc_array(rows.T @ (rows * dual.give[active][:, None]))
    return factorised(H).solve(-gradient)


def factorised(H: sparse.csc_array) -> SuperLU:
    """A factor of H with a ridge: relative to its diagonal, and 1 where that is zero."""
    diagonal = H.diagonal()
    ridge = sparse.diags_array(np.where(diagonal > 0, _RIDGE * diagonal, 1.0))
    options = {"SymmetricMode": True}
    return splu(sparse.csc_array(H + ridge), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def _steps(dual: Dual, u: Vector, du: Vector, residuals: Vector) -> Vector:
    """For each component, how far to go along du: all the way where that halves its residual.

    Near the end this is always so, and the slopes of a line search would be rounding.
    """
    left = dual.residuals(dual.gradient(dual.tables(u + du)))
    is_whole = left <= 0.5 * residuals
    return np.ones(len(left)) if is_whole.all() else np.where(is_whole, 1.0, _lengths(dual, u, du))


def _lengths(dual: Dual, u: Vector, du: Vector) -> Vector:
    """For each component, how far to go along du: nearly the minimum of F, by Newton's method within a bracket."""
    n, of_entry = dual.n_components, dual.of_entry
    raw, change = dual.m + dual.give * (dual.constraints @ u), dual.constraints @ du
    linear = np.bincount(dual.of_potential, dual.right * du, n)
    low, high, t, is_done = np.zeros(n), np.full(n, np.inf), np.ones(n), np.zeros(n, dtype=bool)
    for _ in range(_LINE_STEPS):
        x = raw + t[of_entry] * dual.give * change
        slope = np.bincount(of_entry, np.maximum(x, 0.0) * change, n) - linear
        bend = np.bincount(of_entry, np.where(x > 0, dual.give * change**2, 0.0), n)
        low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
        following = np.where(bend > 0, t - slope / np.where(bend > 0, bend, 1.0), low)
        is_near = np.abs(following - t) <= _LINE_TOL * t
        t = np.where(is_near & ~is_done, np.clip(following, low, high), t)
        is_done |= is_near
        if is_done.all():
            break
        is_inside = (low < following) & (following < high)
        halved = np.where(np.isinf(high), 2 * t, 0.5 * (low + np.where(np.isinf(high), 0.0, high)))
        t = np.where(is_done, t, np.where(is_inside, following, halved))
    return t
