r"""What coordinate ascent should cost.

    passes = first + 10^p,   p = base + digit log10(1/tol) + (hard + hard_surplus s) log10(1 + C R^2) + surplus s,

s = log10(n/d): the larger C R^2 (:mod:`pragam.solvers.choice.hardness`), the more sweeps, above all where many rows
share few columns. A pass meets each row and each entry once. The number of passes is known to a factor of 2.5 or so
(one standard deviation), so what it shows while it runs is worth more than what is expected of it."""

from __future__ import annotations

from dataclasses import dataclass

from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import Sizes, digits


@dataclass(frozen=True)
class DcdConstants:
    """Least squares on logarithms, set by ``python benchmarks/choice.py --fit`` on its even seeds, which prints this
    record anew; the trust, which is not fitted, is the best of 0.3, 0.5 and 0.7 there."""

    first: float = 3.0
    base: float = -0.0812
    digit: float = 0.168
    hard: float = 0.568
    surplus: float = 0.0119
    hard_surplus: float = 0.0522
    steps_per_pass: float = 1.89
    start: float = 0.000262
    per_step: float = 1.52e-05
    per_row: float = 3.48e-08
    per_entry: float = 1e-09
    per_dense_entry: float = 4.82e-10
    per_pattern_entry: float = 8.54e-10
    #: Of dense data of more than ``far`` entries, which no cache holds: on mnist, 376 MB, a pass takes 0.885 ns each.
    #: The problems of the fit have at most 2 million.
    per_far_entry: float = 8.85e-10
    far: float = 4e6
    trial: float = 3.0
    trust: float = 0.7


def dcd_cost(size: Sizes, tol: float, by: DcdConstants = DcdConstants()) -> Cost:
    """The cost for these sizes and this tolerance."""
    power = by.base + by.digit * digits(tol) + by.surplus * size.surplus
    passes = by.first + 10 ** (power + (by.hard + by.hard_surplus * size.surplus) * size.magnitude)
    dense = by.per_dense_entry if size.entries <= by.far else by.per_far_entry
    per_entry = {"dense": dense, "pattern": by.per_pattern_entry}.get(size.kind, by.per_entry)
    return Cost(
        passes=passes,
        steps=by.steps_per_pass * passes,
        per_pass=by.per_row * size.n + per_entry * size.entries,
        per_step=by.per_step,
        start=by.start,
        trial=by.trial,
        trust=by.trust,
    )
