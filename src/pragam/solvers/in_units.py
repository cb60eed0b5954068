r"""A solver on a problem whose weights are at the ends of float64: in units in which their sum is about 1.

With every dual variable, ``lam`` and the origin times 2^k, and the curvatures over 2^k,

    D'(2^k alpha) = 2^k D(alpha),     J'(w, b) = 2^k J(w, b),     w'(2^k alpha) = w(alpha),

so weights, biases and relative gaps are the same. But squares of weights and dual variables, which solvers need in
projections and Hessians, neither overflow nor vanish: those of 1e200 would.
"""

from __future__ import annotations

from dataclasses import replace
from math import frexp, isfinite
from typing import Any

import numpy as np

from pragam.polytopes import Box
from pragam.polytopes.per_example import PerExample
from pragam.problem import AnyProblem, Rest
from pragam.solvers.around import Around
from pragam.solvers.base import AnySolver, Certified, Start

#: Weights are ordinary where their sum is within 2^+-_ORDINARY: the cubes of such numbers, and their products with
#: ordinary data, are far from the ends of float64.
_ORDINARY = 200
#: lam stays within 2^+-_FAR.
_FAR = 900


def in_units(method: AnySolver, problem: AnyProblem) -> AnySolver:
    """The solver in units of the weights where these are extreme, else itself."""
    size = _size(problem)
    if not (isfinite(size) and size > 0):
        return method
    power, lam = -frexp(size)[1], frexp(problem.lam)[1]
    power = min(max(power, -_FAR - lam), _FAR - lam)
    return method if abs(frexp(size)[1]) <= _ORDINARY or power == 0 else InUnits(method, problem, 2.0**power)


class InUnits(Around[AnyProblem]):
    """``method`` on the problem with its dual variables and lam times ``unit``, a power of two."""

    def __init__(self, method: AnySolver, problem: AnyProblem, unit: float) -> None:
        super().__init__(method)
        self.unit, self.scaled = unit, _scaled(problem, unit)

    def _seen(self, problem: AnyProblem, state: Any = None) -> AnyProblem:
        return self.scaled

    def _restrict(self, problem: AnyProblem, state: Any, pair: Start) -> Start:
        return pair._replace(alpha=self.unit * pair.alpha)

    def _lift(self, problem: AnyProblem, state: Any, alpha: Any) -> Any:
        return alpha / self.unit

    def observe(self, problem: AnyProblem, state: Any, certified: Certified) -> Any:
        proof: Any = certified.proof
        values = {name: self.unit * getattr(proof, name) for name in ("primal", "dual", "slack")}
        return super().observe(problem, state, certified._replace(proof=replace(proof, **values)))


def _size(problem: AnyProblem) -> float:
    """The sum of what the examples weigh; NaN where that is not known."""
    Q = problem.Q
    if isinstance(Q, PerExample):
        return float(np.sum(Q.totals))
    if type(Q) is not Box:
        return float("nan")
    widths = Q.upper - Q.lower
    if not np.isfinite(widths).any() and np.any(problem.g.curvature):
        kappa = np.broadcast_to(problem.g.curvature, Q.size)  # about 1 / weight, as that of squared losses is
        return float(np.sum(np.divide(1.0, kappa, out=np.zeros(Q.size), where=kappa > 0)))
    return float(np.sum(widths[np.isfinite(widths)]))


def _scaled(problem: AnyProblem, unit: float) -> AnyProblem:
    Q: Any = problem.Q
    origin, rest = problem.origin, problem.rest
    return replace(
        problem,
        Q=Q.take(np.arange(Q.n_blocks), unit),
        lam=problem.lam * unit,
        g=problem.g.take(np.arange(Q.size), unit),
        origin=None if origin is None else unit * origin,
        rest=Rest(
            None if rest.weights is None else unit * rest.weights,
            None if rest.levels is None else unit * rest.levels,
            unit * rest.value,
        ),
    )
