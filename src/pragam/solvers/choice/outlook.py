r"""What an algorithm has still to do, by what was expected of it and by what it has shown so far.

After the work u (counted, :class:`~pragam.solvers.base.Cost`) the relative gap is g. The cost has said T in all. With
s = log(g / tol) / log(1 / tol), the share of the way that is left,

    expected = min(max(T - u, s max(2 T / 3, u / 2)), sqrt(s) max(T, u))
    observed = log(g / tol) / r                        r the rate of log g over the second half of the work
    left     = observed^trust expected^(1 - trust).

What is expected is the rest of T. Once that is used up, it is as much more as the scatter of the counts suggests, less
what the gap shows to be done. It is at most what a start as good as this one takes, sqrt(s) T, as measured.

The trust is the algorithm's own: coordinate ascent, whose gap falls steadily, can be judged by its rate. Newton's
method, whose gap falls at the end of a stage, cannot.

An algorithm that has not run yet would take T from nothing, and sqrt(s) T from a point that is worth starting at.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from math import inf, log, sqrt

from pragam.solvers.base import Cost

#: A point is worth starting at if its relative gap is no larger than this (``benchmarks/choice.py``, even seeds: from
#: points with a larger one, newton takes as long as from nothing, or longer).
WARM = 0.5
#: What is left of a work that has turned out larger than expected, as a share of that: about half of the counts, which
#: scatter by a factor of 2.1 to 2.5 (one standard deviation), end within it.
_MORE = 2 / 3
#: The same as a share of what has been used, for a work that has turned out much larger.
_STILL_MORE = 1 / 2
#: The way left, log(g / tol), is at least this: the last step is one too.
_LEAST_WAY = 0.4
#: log g has fallen by at least this, or the rate would be zero. Values from 0.001 to 0.3 make a difference of a percent
#: or two on the even seeds of ``benchmarks/choice.py``.
_LEAST_FALL = 0.1
#: The rate is at least this share of that of the whole turn: when rows come back, the gap may rise for a moment.
_LEAST_RATE = 0.2
#: A tolerance below this is out of reach.
_LEAST_TOL = 1e-15


@dataclass
class Outlook:
    """The work and the progress of one algorithm, in one turn or several."""

    cost: Cost
    tol: float
    passes: float = 0.0
    steps: int = 0
    gap: float = 1.0  # as last seen, no more than 1
    used: float = 0.0  # the work so far
    earlier: float = 0.0  # passes of earlier turns
    work: list[float] = field(default_factory=list)  # after the steps of this turn, and
    gaps: list[float] = field(default_factory=list)  # log g there

    def begin_turn(self, passes: float) -> None:
        """Another turn, whose start has taken these passes."""
        self.earlier, self.work, self.gaps = self.passes, [], []
        self.passes += passes

    def note(self, passes: float, gap: float | None) -> None:
        """One more step; the turn has made these passes so far and has this gap, if that is known."""
        self.passes = self.earlier + passes
        self.steps += 1
        self.used = self.cost.work(self.passes, self.steps)
        if gap is not None and 0 < gap < inf:
            self.gap = min(gap, 1.0)
            self.work.append(self.used)
            self.gaps.append(log(self.gap))

    @property
    def left(self) -> float:
        """The work to be expected from here on."""
        total, used, trust = self.cost.total, self.used, self.cost.trust
        share = self._share(self.gap)
        more = max(_MORE * total, _STILL_MORE * used)
        expected = min(max(total - used, share * more), sqrt(share) * max(total, used))
        observed = self._observed() if trust else None
        return expected if observed is None else observed**trust * expected ** (1 - trust)

    def left_from(self, gap: float) -> float:
        """The work to be expected if it takes over where another one has come to this gap."""
        if self.steps:
            return self.left
        share = sqrt(self._share(gap)) if gap <= WARM else 1.0
        return self.cost.start + share * (self.cost.total - self.cost.start)

    def _way(self, gap: float) -> float:
        return max(log(gap / max(self.tol, _LEAST_TOL)), _LEAST_WAY)

    def _share(self, gap: float) -> float:
        return self._way(gap) / self._way(1.0)

    def _observed(self) -> float | None:
        half = bisect_left(self.work, 0.5 * self.used)
        if half + 1 >= len(self.work):
            return None
        work = self.work[-1] - self.work[half]
        steady = _LEAST_RATE * (self.gaps[0] - self.gaps[-1]) * work / (self.work[-1] - self.work[0])
        return self._way(self.gap) * work / max(self.gaps[half] - self.gaps[-1], steady, _LEAST_FALL)
