r"""A certified pair that is moved off a row: w stays, and the takers take over the row's dual weight.

Let alpha be feasible, v = w(alpha), and alpha' = alpha - alpha_i e_i + delta with delta_j = 0 but at takers, in the box
and on the plane. With q = A'(alpha' - alpha) and the scores s(w, b), s(v, b) at any one b,

    J_i(w, b) - D_i(alpha') = (J(w, b) - D(alpha)) - h_i(s_i(w, b)) + alpha_i s_i(v, b) - kappa_i alpha_i^2 / 2
                              - sum_j delta_j (s_j(v, b) - kappa_j alpha_j) + sum_j kappa_j delta_j^2 / 2
                              + |q|^2 / (2 lam).

Every term is small where the pair is near the optimum and q is: no sum of the size of J is taken. The row pays for
what alpha_i was worth; the takers have scores near their kinks, so what they pay is q, the span of Vapnik and Chapelle.

*Rounding.* alpha is the point that ``domain.repair`` names. delta is as computed, but for one taker that moves by as
much more as exact arithmetic needs to stay on the plane: by at most ``off``. All other errors are added to the gap, or
to the error of q.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.left_out.margins import MarginProblem
from pragam.certificate.left_out.takers import Array, Takers
from pragam.certificate.lower import Lower
from pragam.certificate.proof import Certificate
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector

#: So often what is missing on the plane is shared among those with room left: inside their boxes first, then all.
_ROUNDS = (True, True, True, False, False)


class Given(NamedTuple):
    """Some rows a_i, dense, with what is theirs: alpha_i, the normal, bounds of |a_i|, where they are among takers.

    ``rounding``: how far the rows here may be from the stored ones, relative to their sizes.
    """

    numbers: NDArray[np.int64]
    rows: Array
    alpha: Vector
    sigma: Vector
    sizes: Vector
    places: NDArray[np.int64]
    rounding: float


class Moved(NamedTuple):
    """For every row the gap of the moved pair, delta, q within ``lost`` of the exact one, and who moves by ``off``."""

    gap: Vector
    delta: Array
    q: Array
    lost: Vector
    last: NDArray[np.int64]
    off: Vector


@dataclass(frozen=True, eq=False)
class Pair:
    """The certified pair as it is needed here, of all rows: v, the scores, and what each row's loss leaves of the gap.

    ``drift`` is how far v may be from w(alpha); ``kept`` bounds J - D - h_i + alpha_i s_i(v, b) - kappa_i alpha_i^2/2.
    """

    problem: MarginProblem
    w: Vector
    v: Vector
    drift: float
    kept: Vector
    excess: Vector  # s_j(v, b) - kappa_j alpha_j
    slack: Vector  # of the scores at v

    @classmethod
    def of(cls, problem: MarginProblem, w: Vector, certificate: Certificate, lower: Lower) -> Pair:
        u, error = lower.slope()
        alpha, lost = lower.repaired.point, len(w) ** 0.5 * TINY
        v = u / -problem.lam
        drift = 1.01 * ((error + lost) / problem.lam + gamma(2) * norm(v) + lost)
        kappa = np.broadcast_to(problem.g.curvature, alpha.shape)
        (s, room), (t, slack) = (_scores(problem, x, certificate.biases) for x in (w, v))
        slack = slack + 1.01 * drift * problem.A.row_bounds(np.arange(len(alpha)))
        best = np.where(kappa > 0, s / np.where(kappa > 0, kappa, 1.0), np.where(s > 0, np.inf, 0.0))
        best = np.clip(best, 0.0, problem.Q.upper)
        best[~np.isfinite(best)] = 0.0
        terms = best * s, 0.5 * kappa * best * best, alpha * t, 0.5 * kappa * alpha * alpha
        size = sum(np.abs(term) for term in terms)
        off = 1.01 * (best * room + alpha * slack) + gamma(16) * (size + certificate.gap)
        off += 16 * TINY * (1 + np.abs(s) + np.abs(t) + kappa * (1 + best + alpha))
        kept = certificate.gap - terms[0] + terms[1] + terms[2] - terms[3] + 1.01 * off
        bent = kappa * alpha
        slack = slack + gamma(4) * (np.abs(t) + bent) + 4 * TINY
        return cls(problem, w, v, drift, kept, t - bent, slack)

    def best(self, given: Given, to: Takers, shares: Iterable[Array]) -> Moved:
        """Of every row the move with the least gap."""
        found = [self.moved(given, to, beta) for beta in shares]
        best = np.argmin([each.gap for each in found], axis=0)
        at = np.arange(len(best))
        return Moved(*(np.stack(column)[best, at] for column in zip(*found, strict=True)))

    def moved(self, given: Given, to: Takers, beta: Array) -> Moved:
        """The pair moved off each of these rows, as beta says who takes over; an infinite gap proves nothing."""
        delta, off, last = self._taken_over(given, to, beta)
        taken, n = np.abs(delta), len(to.numbers)
        q = delta @ to.rows - given.alpha[:, None] * given.rows
        lost = (gamma(n + 16) + 1.01 * max(to.rounding, given.rounding)) * (
            taken @ to.sizes + given.alpha * given.sizes
        )
        lost += 8 * TINY * (n + 8) * q.shape[1] ** 0.5 * (1 + taken.sum(axis=1) + given.alpha) * (1 + to.widest)
        excess, slack = self.excess[to.numbers], self.slack[to.numbers]
        change, cost = delta @ excess, 0.5 * (delta * delta) @ to.kappa
        error = 1.01 * (taken @ slack) + gamma(n + 8) * (taken @ np.abs(excess) + cost)
        error += 8 * TINY * (n + to.kappa.sum() + np.abs(excess).sum() + taken.sum(axis=1))
        if n:
            own = taken[np.arange(len(taken)), last] + off
            lost += 1.01 * off * to.sizes[last]
            error += 1.01 * off * (np.abs(excess[last]) + slack[last] + to.kappa[last] * own)
        pulled = 0.5 * ((lengths(q) + lost) / self.problem.lam**0.5) ** 2 * (1 + gamma(LANES))
        parts = self.kept[given.numbers], -change, cost, pulled, error
        gap = sum(parts) + gamma(16) * sum(np.abs(part) for part in parts) + 16 * TINY
        return Moved(np.where(np.isnan(gap), np.inf, np.maximum(gap, TINY)), delta, q, lost, last, off)

    def _taken_over(self, given: Given, to: Takers, beta: Array) -> tuple[Array, Vector, NDArray[np.int64]]:
        """(delta within the share that may be given, how far from the plane at most, who is to move by that)."""
        low, high = (np.broadcast_to(end, beta.shape).copy() for end in to.ends)
        own = np.flatnonzero(given.places >= 0)
        low[own, given.places[own]] = high[own, given.places[own]] = 0.0
        delta = np.clip(given.alpha[:, None] * beta, low, high)
        last = np.zeros(len(delta), dtype=np.int64)
        if not self.problem.n_biases:
            return delta, np.zeros(len(delta)), last
        asked = given.sigma * given.alpha
        for is_inside in _ROUNDS:
            lacking = asked - delta @ to.sigma
            side = np.sign(lacking)[:, None] * np.sign(to.sigma)
            room = np.where(side > 0, high - delta, delta - low) * (to.inside if is_inside else 1.0)
            share = np.minimum(np.abs(lacking) / np.maximum(room.sum(axis=1), TINY), 1.0)
            delta = np.clip(delta + side * room * share[:, None], low, high)
        lacking = np.abs(asked - delta @ to.sigma)
        lacking += gamma(len(to.numbers) + 8) * (np.abs(asked) + np.abs(delta) @ np.abs(to.sigma))
        lacking += 4 * TINY * (len(to.numbers) + 4)
        if not len(to.numbers):
            return delta, np.where(given.alpha == 0, 0.0, np.inf), last
        left = np.minimum(to.below + delta, to.above - delta)
        left[own, given.places[own]] = 0.0
        last = left.argmax(axis=1)
        return delta, np.where(left[np.arange(len(left)), last] > 4 * lacking, 1.01 * lacking, np.inf), last


def lengths(rows: Array) -> Vector:
    """At least |x| of every row x, for numbers as they are."""
    square = np.einsum("ij,ij->i", rows, rows) * (1 + gamma(rows.shape[1] + LANES))
    found: Vector = np.sqrt(square + 8 * rows.shape[1] * TINY) * (1 + gamma(8))
    return found


def _scores(problem: MarginProblem, w: Vector, biases: Vector) -> tuple[Vector, Vector]:
    """(A w + B b + c, a bound of its error)."""
    with np.errstate(over="ignore", invalid="ignore"):
        s, room = problem.A.matvec(w) + problem.c, problem.A.matvec_error(w)
        s, room = problem.B.add_to(s, room + gamma(1) * np.abs(s) + TINY, biases)
    return s, room
