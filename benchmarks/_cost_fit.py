"""The constants of the solvers' costs, by least squares on logarithms of counts and of CPU time.

First the counts: passes and steps that solves have taken, against what the cost says. Then the units: the CPU time of
those solves against the work of the counts that they have taken. A solve that the cap has ended only says that the
count is larger. Large residuals count linearly (soft_l1). Units stay near their starting values where nothing
determines them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

import pragam
from pragam.solvers.bundle.cost import QpBmrmConstants, qp_bmrm_cost
from pragam.solvers.choice.sizes import sizes
from pragam.solvers.dcd.cost import DcdConstants, dcd_cost
from pragam.solvers.newton.cost import NewtonConstants, newton_cost
from pragam.solvers.newton.dense import worked_shape
from pragam.solvers.newton.dense_cost import DenseConstants, dense_cost
from pragam.views import packed

#: The pull of a unit to its starting value, in units of one measurement.
PULL = 0.03


class Solve(NamedTuple):
    """One solve: what it was about and what it has taken."""

    problem: pragam.Problem
    tol: float
    passes: float
    steps: int
    seconds: float
    converged: bool


def fits(solves: dict[str, list[Solve]]) -> list[Any]:
    """The records of all solvers, by name of the solver."""
    return [_dcd(solves["dcd"]), _newton(solves["newton"]), _dense(solves["newton-dense"]), _qp_bmrm(solves["qp-bmrm"])]


def _dcd(solves: list[Solve]) -> DcdConstants:
    seen = [(sizes(packed(solve.problem).problem), solve) for solve in solves]
    record = _counts(
        DcdConstants(), ("base", "digit", "hard", "surplus", "hard_surplus"),
        lambda by: [_miss(dcd_cost(size, solve.tol, by).passes, solve.passes, solve) for size, solve in seen],
    )  # fmt: skip
    ratios = [solve.steps / solve.passes for _, solve in seen if solve.converged]
    record = replace(record, steps_per_pass=float(np.exp(np.mean(np.log(ratios)))))
    units = ("start", "per_step", "per_row", "per_entry", "per_dense_entry", "per_pattern_entry")
    return _units(record, units, lambda by: [_time(dcd_cost(size, solve.tol, by), solve) for size, solve in seen])


def _newton(solves: list[Solve]) -> NewtonConstants:
    # Where its first guess is good enough, what was measured is that guess, by coordinate ascent.
    seen = [(sizes(packed(solve.problem).problem), solve) for solve in solves if solve.steps]
    record = NewtonConstants()
    for count in ("steps", "passes"):
        names = [f"{name}_{count}" for name in ("base", "digit", "hard", "surplus", "rarer")]
        record = _counts(
            record, names,
            lambda by, count=count: [
                _miss(getattr(newton_cost(size, solve.tol, by), count), getattr(solve, count), solve)
                for size, solve in seen
            ],
        )  # fmt: skip
    units = ("start", "per_step", "per_square", "per_row", "per_entry", "per_dense_entry")
    return _units(record, units, lambda by: [_time(newton_cost(size, solve.tol, by), solve) for size, solve in seen])


def _dense(solves: list[Solve]) -> DenseConstants:
    units = ("start", "per_place", "per_cube", "per_hessian")
    return _units(
        DenseConstants(), units,
        lambda by: [_time(dense_cost(*worked_shape(solve.problem), by), solve) for solve in solves],
    )  # fmt: skip


def _qp_bmrm(solves: list[Solve]) -> QpBmrmConstants:
    record = _counts(
        QpBmrmConstants(), ("base", "digit", "hard"),
        lambda by: [_miss(qp_bmrm_cost(s.problem, s.tol, by).steps, s.steps, s) for s in solves],
    )  # fmt: skip
    return _units(
        record, ("per_step", "per_entry"),
        lambda by: [_time(qp_bmrm_cost(s.problem, s.tol, by), s) for s in solves],
    )  # fmt: skip


def _miss(expected: float, seen: float, solve: Solve) -> float:
    miss = float(np.log(expected / max(seen, 1.0)))
    return miss if solve.converged else min(miss, 0.0)


def _time(cost: Any, solve: Solve) -> float:
    return float(np.log(cost.work(solve.passes, solve.steps) / solve.seconds))


def _counts(record: Any, names: Sequence[str], misses: Callable[[Any], list[float]]) -> Any:
    """The record with these constants, of any sign, fitted."""
    first = np.array([getattr(record, name) for name in names])

    def of(x: np.ndarray) -> Any:
        return replace(record, **dict(zip(names, map(float, x), strict=True)))

    return of(least_squares(lambda x: misses(of(x)), first, loss="soft_l1").x)


def _units(record: Any, names: Sequence[str], misses: Callable[[Any], list[float]]) -> Any:
    """The record with these constants, all positive, fitted."""
    first = np.array([getattr(record, name) for name in names])

    def of(x: np.ndarray) -> Any:
        return replace(record, **dict(zip(names, map(float, first * np.exp(x)), strict=True)))

    return of(least_squares(lambda x: [*misses(of(x)), *(PULL * x)], np.zeros(len(first)), loss="soft_l1").x)
