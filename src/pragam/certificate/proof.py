"""The proof of quality that every solve returns: two numbers, and the gap between them, rounded outward."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np

from pragam.numerics.rounding import SAFE, TINY, two_product, two_sum
from pragam.operators.base import Vector


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof of quality: J(w, biases) - min J <= gap = primal - dual.

    Attributes
    ----------
    primal : float
        At least J(w, biases), the best biases for w that float64 finds unless others were given.
    dual : float
        At most D(alpha) at a feasible point next to alpha, hence at most min J. -inf if there was no alpha.
    biases : array
        The unpenalised weights, one for each column of B; of length 0 if the model has none.
    exact : bool
        False when the problem is a relaxation of the model: the gap is that of the relaxed problem.
    rigorous : bool
        Whether both bounds hold as real numbers. False when a part of the problem does not bound its rounding errors.
    slack : float
        How much of the gap is due to rounding in this proof.
    """

    primal: float
    dual: float
    biases: Vector = field(default_factory=lambda: np.empty(0))
    exact: bool = True
    rigorous: bool = False
    slack: float = 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.primal, self.dual, tuple(self.biases), self.exact, self.rigorous, self.slack

    @cached_property
    def gap(self) -> float:
        """primal - dual, rounded up, and never below zero."""
        if not (isfinite(self.primal) and isfinite(self.dual)):
            return inf
        difference, lost = two_sum(self.primal, -self.dual)
        if difference < SAFE[0] and self.primal != self.dual:  # what is lost may be below TINY, and read as zero
            return max(nextafter(difference + 2 * TINY, inf), 0.0)
        return max(nextafter(difference, inf) if lost > 0 else difference, 0.0)

    @cached_property
    def relative_gap(self) -> float:
        """gap / max(|primal|, |dual|), rounded up; inf as long as one of the two is infinite."""
        gap, size = self.gap, max(abs(self.primal), abs(self.dual), TINY)
        if gap in (0.0, inf):
            return gap
        ratio = gap / size
        product, cut = two_product(ratio, size)
        is_enough = product - gap + cut >= 0 and SAFE[0] < gap and size < SAFE[1]  # else the test itself may round
        return ratio if is_enough else max(nextafter(ratio, inf), TINY)

    @property
    def relaxed(self) -> bool:
        """Whether the certificate speaks of a relaxed problem."""
        return not self.exact
