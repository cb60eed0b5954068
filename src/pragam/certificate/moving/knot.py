"""The free pair at a lam between two certified pairs: all that a cell asks of an end of it, without a product."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pragam.certificate.moving.near import Near
from pragam.certificate.moving.pair import Rows
from pragam.certificate.moving.segment import Segment
from pragam.operators.base import Vector


class Knot:
    """Between ``pairs`` at ``lam``: see :mod:`pragam.certificate.moving.segment`. Its parts are as those of a pair."""

    def __init__(self, segment: Segment, lam: float) -> None:
        self.segment, self.lam = segment, lam
        self.pairs = segment.first, segment.last
        self._theta, self._phi = segment.theta(lam), segment.phi(lam)

    @property
    def start(self) -> tuple[Vector, Vector]:
        """(w, alpha), for a solver to start from."""
        return self.segment.mixed(self.lam)

    @cached_property
    def risk(self) -> float:
        """At least R(w, b) beside its linear terms."""
        one, other = self.pairs
        problem = one.problem
        if not np.isfinite([one.risk, other.risk]).all():
            return np.inf
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._theta.of(one.scores, other.scores)
            return min(problem.g.support_bound(problem.Q, *scores)[0], self._theta.most(one.risk, other.risk))

    @cached_property
    def fixed(self) -> float:
        """At least these linear terms."""
        return self._theta.most(self.pairs[0].fixed, self.pairs[1].fixed)

    @cached_property
    def square(self) -> float:
        """At least |c|^2."""
        return self.segment.square(self.lam)

    @cached_property
    def level(self) -> float:
        """At most <c, alpha> - g(alpha)."""
        return self.segment.level(self.lam)

    @cached_property
    def biases(self) -> Near:
        """b, mixed as w is."""
        return self._theta.of(self.pairs[0].biases, self.pairs[1].biases)

    @cached_property
    def centre_scores(self) -> Near:
        """A c + the offset, without a bias."""
        return self._theta.of(self.pairs[0].centre_scores, self.pairs[1].centre_scores)

    @cached_property
    def held_scores(self) -> Near:
        """<x, c> of the rows that matter."""
        return self._theta.of(self.pairs[0].held_scores, self.pairs[1].held_scores)

    def room(self, rows: Rows) -> Vector:
        """How far alpha is inside its box, rounded down."""
        one, other = (pair.sides(rows) for pair in self.pairs)
        return np.minimum(*(self._phi.least(*sides) for sides in zip(one, other, strict=True)))

    def bent(self, rows: Rows) -> Near:
        """kappa alpha."""
        return self._phi.of(*(pair.bent(rows) for pair in self.pairs))
