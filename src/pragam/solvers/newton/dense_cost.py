"""What the Newton method on a small dense copy should cost: one call, its arithmetic and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from pragam.solvers.base import Cost


@dataclass(frozen=True)
class DenseConstants:
    """Least squares on logarithms, set by ``python benchmarks/choice.py --fit`` on its even seeds, which prints this
    record anew."""

    start: float = 0.000594
    per_place: float = 3.78e-09
    per_cube: float = 4.07e-11
    per_hessian: float = 1.95e-10
    #: Calls that it may make. One is enough as a rule (``benchmarks/small_sets.py``).
    most_calls: float = 3.0


def dense_cost(n: int, d: int, by: DenseConstants = DenseConstants()) -> Cost:
    """Some steps with products and a factorisation each, and Hessians: n d, d^3 and n d^2."""
    call = by.per_place * n * d + by.per_cube * d**3 + by.per_hessian * n * d**2
    return Cost(passes=0.0, steps=1.0, per_step=call, start=by.start, most_steps=by.most_calls)
