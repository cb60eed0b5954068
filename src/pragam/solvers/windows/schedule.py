"""How long the hard rows are swept over, and when a pass makes the products of a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

#: Sweeps over the hard rows end when their gap is this share of that of all rows in the pass before: they do not pay
#: once the others lack more. On text 0.1 takes as many passes to 1e-3 and fewer sweeps, but at 1e-4 one pass more.
_OF_ALL = 0.05
#: They end in any case at this share of the tolerance.
_OF_TOL = 0.3
#: They end after so many: what they still gain shows too little in the other rows.
MOST_SWEEPS = 100
#: A pass makes both products if its gap is expected to be below this many times the tolerance. They cost a third of it.
_NEAR = 3.0
#: A pass leaves at most this share of the gap less than the pass before did: passes differ.
_LEAST_RATE = 0.03


@dataclass
class Pace:
    """The gaps of all rows, relative, as the last two passes have met them."""

    last: float = inf
    before: float = inf

    def note(self, gap: float) -> None:
        """Another pass."""
        self.last, self.before = gap, self.last

    @property
    def expected(self) -> float:
        """The gap after the next pass, if it falls as it did."""
        if not self.before < inf:
            return self.last
        return self.last * min(max(self.last / self.before, _LEAST_RATE), 1.0)

    def is_near(self, tol: float) -> bool:
        """Whether the products of the next pass may certify."""
        return self.expected <= _NEAR * tol

    def goal(self, tol: float) -> float:
        """The relative gap of the hard rows that is good enough."""
        return max(_OF_TOL * tol, _OF_ALL * self.last if self.last < inf else 0.0)
