r"""What a cell asks of an end of it, a pair or a knot, and what is left of the gap there:

    r^2 = tau gap - |w - v|^2/4 = |c|^2 + tau (R - L),      tau = 1/lam,  c = (w + v)/2.

(lam/2 |w|^2 and |u|^2/(2 lam) of the gap make |w|^2/2 + |v|^2/2 - |w - v|^2/4 = |c|^2.)
"""

from __future__ import annotations

from typing import Protocol

from pragam.certificate.moving.near import Near
from pragam.certificate.moving.pair import Pair, Rows
from pragam.numerics.rounding import TINY, gamma, upward
from pragam.operators.base import Vector


class End(Protocol):
    """What a cell asks of an end of it: a pair or a knot."""

    @property
    def lam(self) -> float: ...
    @property
    def pairs(self) -> tuple[Pair, Pair]: ...
    @property
    def risk(self) -> float: ...
    @property
    def fixed(self) -> float: ...
    @property
    def square(self) -> float: ...
    @property
    def level(self) -> float: ...
    @property
    def biases(self) -> Near: ...
    @property
    def centre_scores(self) -> Near: ...
    @property
    def held_scores(self) -> Near: ...
    def room(self, rows: Rows) -> Vector: ...
    def bent(self, rows: Rows) -> Near: ...


def radius2(end: End) -> float:
    """At least r^2 at an end."""
    gain = upward(total(end), -end.level)
    product = gain / end.lam
    return max(upward(end.square, product, gamma(4) * abs(product), 2 * TINY), 0.0)


def total(end: End) -> float:
    """At least R(w, b)."""
    return upward(end.risk, end.fixed)
