"""Every iterate of a solver, certified: the quantities that the theorems are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pragam.certificate import Certificate, Lower, Upper
from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.solvers import Start
from pragam.solvers.base import AnySolver


class Iterate(NamedTuple):
    """One iterate: its number, the solver's state, the proposed pair and its certificate."""

    t: int
    state: Any
    w: Vector
    alpha: Vector
    certificate: Certificate


def trace(problem: Problem, solver: AnySolver, steps: int, start: Start | None = None) -> Iterator[Iterate]:
    """The iterates t = 0 .. steps. Iterate 0 is the solver's start, w_0 = 0 unless it has its own."""
    state = solver.init(problem, np.random.default_rng(0), start, 0.0)
    for t in range(steps + 1):
        if t:
            state = solver.step(problem, state)
        w, alpha = solver.candidate(problem, state)
        yield Iterate(t, state, w, alpha, _certificate(problem, w, alpha))


def _certificate(problem: Problem, w: Vector, alpha: Vector) -> Certificate:
    """As :func:`pragam.certify`, but a violation of weak duality is measured instead of raised."""
    primal, dual = Upper(problem, w).quick, Lower(problem, alpha).quick
    return Certificate(primal.value, dual.value, primal.biases, exact=problem.Q.exact)
