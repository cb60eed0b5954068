r"""Block ascent in which groups of blocks climb at once, and whose steps are merged exactly: text on several machines.

::

    repeat, in one round over the groups:
        task:    sweeps of dual coordinate ascent from alpha, the other groups standing still;
                 A' of the step, of earlier whole steps, and of what the rows have in common
        merge:   the best combination of all these directions, one coefficient for each group and direction

Block coordinate ascent with a fixed partition is CoCoA's setting (Jaggi et al., 2014, arXiv:1409.1458; Ma et al., 2015,
arXiv:1502.03508), which averages or adds the steps. Merged exactly they are no slower, and D never falls. But a fixed
partition stalls at a gap of 1e-3 whatever the merge: what one group moves up and another one down leaves w nearly
unchanged, and each alone pays its whole curvature. The other directions are those that groups cannot see: momentum, and
the offset that all rows share. With them text takes 15 to 30 rounds to 1e-3.

What travels in a round, for each group: w, and the last points of alpha there; back come alpha, X w, and a vector of
weights for A' alpha and for each direction. The groups are fixed by the data and a setting, never by who works on them,
and sums are in the order of groups: any number of workers finds the same bits.

A round proposes the w and the alpha with which it began, whose products X w and A' alpha it has made anew: so a
certificate reads nothing. The alpha of the next round is known only up to what was put back into the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from pragam.numerics.remade import remade
from pragam.operators.base import Vector
from pragam.operators.storage import Places
from pragam.operators.storage.rounds import Found
from pragam.problem import DataProblem
from pragam.solvers.base import Cost, Solver, Start, State, unbounded_and_flat
from pragam.solvers.dcd.sweep import are_joint
from pragam.solvers.merged_ascent.cost import merged_ascent_cost
from pragam.solvers.merged_ascent.directions import directions
from pragam.solvers.merged_ascent.merge import Point, Steps, best_between, dual_at, merged
from pragam.solvers.merged_ascent.plane import centred, landed
from pragam.solvers.merged_ascent.posed import Duals, Posed
from pragam.solvers.merged_ascent.tasks import Outset, Own, climb

#: A gain is poor below this share of what was hoped for, and good above that one: what free directions may use of their
#: bounds shrinks and grows, as the radius of a trust region does.
_POOR, _GOOD = 0.25, 0.75
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Groups:
    """The blocks in groups with their dual variables, and where these are in alpha."""

    places: Places
    duals: list[slice]


@dataclass
class MergedAscentState(State):
    rng: np.random.Generator
    groups: Groups
    rho: float
    safe: Point  # the best one of which all is known
    w: Vector  # that of the point to be tried, up to what was put back into the box
    b: Vector
    points: tuple[Vector, ...]  # that point, and those that were tried before, the latest first
    proposed: tuple[Vector, Vector]  # (w, alpha) whose products are at hand
    hoped: float = 0.0  # what D should gain by the point to be tried
    trust: float = 1.0  # the share of their bounds that free directions may use
    values: tuple[float, float] = (inf, -inf)  # the best J and D, as nearly as plain sums say


@dataclass(frozen=True)
class MergedAscent(Solver[DataProblem, MergedAscentState]):
    """Coordinate ascent on all groups at once, merged by one small quadratic program a round.

    Parameters
    ----------
    groups : int
        As many workers can be busy at once. More take more rounds, and more memory where the steps are merged.
    sweeps : int
        Of a group over its rows in a round.
    earlier : int
        Earlier whole steps among the directions. Each is a vector of weights more that a group answers, and a product
        more that it makes. Three save a tenth of the rounds.
    """

    groups: int = 8
    sweeps: int = 2
    earlier: int = 1

    name = "merged-ascent"
    needs = ("A.each_block", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    @classmethod
    def misfits(cls, problem: DataProblem) -> list[str]:
        if problem.n_biases > 1:
            return [f"keeps one bias at most, and this problem has {problem.n_biases}"]
        return unbounded_and_flat(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return merged_ascent_cost(problem, tol, self.groups, self.sweeps + self.earlier + 3)

    def init(
        self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float
    ) -> MergedAscentState:
        centre, rho = centred(problem)
        groups = _posed(problem, self.groups, centre)
        alpha = problem.start() if start is None else landed(problem, start.alpha)
        is_zero = not (alpha.any() or problem.is_tilted)
        u = np.zeros(problem.n_weights) if is_zero else problem.adjoint(alpha)
        w = u / -problem.lam
        shown = w if start is None else start.w  # whose product is at hand: it was certified
        b = problem.best_biases(problem.scores(shown)) if start is None or start.b is None else start.b.copy()
        passes = float(problem.n_biases) + (0.0 if start is None else 2.0)
        return MergedAscentState(passes, rng, groups, rho, Point(alpha, u), w, b, (alpha,), (shown, alpha))

    def step(self, problem: DataProblem, state: MergedAscentState) -> MergedAscentState:
        """A round, and what its steps are merged to."""
        found = self._round(problem, state)
        tried = _known(problem, state, found)
        share = best_between(problem, state.safe, tried)
        state.trust = _trust(state, dual_at(problem, tried) - dual_at(problem, state.safe))
        safe = state.safe.towards(tried, share)
        ahead = merged(problem, safe, _steps(problem, state, found), share, state.b, state.trust)
        alpha = landed(problem, ahead.alpha)
        state.hoped = dual_at(problem, Point(ahead.alpha, ahead.u)) - dual_at(problem, safe)
        state.safe, state.w, state.b = safe, ahead.u / -problem.lam, ahead.b
        state.points = (alpha, *state.points)[: self.earlier + 1]
        return state

    def candidate(self, problem: DataProblem, state: MergedAscentState) -> tuple[Vector, Vector]:
        return state.proposed

    def estimate(self, problem: DataProblem, state: MergedAscentState) -> float:
        primal, dual = state.values
        return (primal - dual) / max(abs(primal), abs(dual), _TINY) if np.isfinite(primal - dual) else inf

    def _round(self, problem: DataProblem, state: MergedAscentState) -> list[Found]:
        A, groups = problem.A, state.groups
        seeds = state.rng.integers(2**62, size=len(groups.duals)).tolist()
        own = [
            Own(tuple(point[at] for point in state.points), seed) for at, seed in zip(groups.duals, seeds, strict=True)
        ]
        outset = Outset(state.b, problem.lam, state.rho, self.sweeps)
        climbs = A.storage.round(climb, outset, state.w, groups.places, own)  # type: ignore[attr-defined]
        found = list(climbs)
        climbs.recall(A.gathered(state.points[0]))
        state.passes += 1.0
        return found


@remade
def _posed(problem: DataProblem, count: int, centre: Vector) -> Groups:
    """The problem in so many groups of neighbours, about as large; in fewer if there are fewer blocks."""
    A, storage = problem.A, problem.A.storage
    ends = storage.ends  # type: ignore[attr-defined]  # data in blocks have them
    middles = (ends[1:] + ends[:-1]) / 2  # of the blocks: a group ends with the nearest one
    cuts = np.unique(np.searchsorted(middles, np.linspace(0, ends[-1], count + 1))).tolist()
    joint = are_joint(problem, A.number, A.scale)
    firsts = [int(ends[cut]) for cut in cuts]
    duals = [A.duals_of(first, last) for first, last in pairwise(firsts)]
    beside = [Posed(Duals.of(problem, at, first, joint, centre)) for at, first in zip(duals, firsts, strict=False)]
    return Groups(storage.place(cuts, beside), duals)  # type: ignore[attr-defined]


def _known(problem: DataProblem, state: MergedAscentState, found: list[Found]) -> Point:
    """The point that was tried, with its products as the round has made them: it is what is proposed."""
    w, alpha, adjoint = state.w, state.points[0], np.zeros(problem.n_weights)
    product = np.concatenate([each.product for each in found])
    for each in found:
        adjoint += each.adjoint
    tried = Point(alpha, adjoint + problem.tilt)
    scores = problem.A.scores_of(product) + problem.c
    primal = problem.constant + 0.5 * problem.lam * float(w @ w) + problem.risk(w, None, scores)
    state.values = min(state.values[0], primal), max(state.values[1], dual_at(problem, tried))
    state.proposed = w, alpha
    return tried


def _steps(problem: DataProblem, state: MergedAscentState, found: list[Found]) -> list[Steps]:
    """The directions of all groups."""
    A, Q, steps = problem.A, problem.Q, []
    for at, each in zip(state.groups.duals, found, strict=True):
        points, climbed = tuple(point[at] for point in state.points), each.found
        table = directions(points, climbed.after, (Q.lower[at], Q.upper[at]), A.scale[at])
        steps.append(Steps(at, table, climbed.shifts))
    return steps


def _trust(state: MergedAscentState, gain: float) -> float:
    """Less where the point that was tried has gained little of what was hoped for: too much was put back."""
    if gain < _POOR * state.hoped:
        return state.trust / 4
    return min(1.0, 2 * state.trust) if gain > _GOOD * state.hoped else state.trust
