r"""The score of a row at every optimum of the problem without it, from the pair moved off it.

The moved pair (:mod:`pragam.certificate.left_out.moved`) has a gap, so the sphere and the kink inequality hold for the
problem without row i, around c = (w + v')/2, v' = v - q/lam, with what is left of the takers' rooms m_j:

    lam |w* - c|^2 + sum_j F_j(s_j*) <= rho = gap - lam/4 |w - v'|^2,
    F_j(s) >= m |s - kappa_j alpha'_j| - kappa_j m^2 / 2    for every m from 0 to m_j.

For any numbers beta_j, with p = a_i - sum_j beta_j a_j and e = sigma_i - sum_j beta_j sigma_j,

    <a_i, w*> + sigma_i b* = sum_j beta_j (kappa_j alpha'_j - c_j) + <p, c>
                             + sum_j beta_j (s_j* - kappa_j alpha'_j) + <p, w* - c> + e b*.

The first line is known. Taking m = t |beta_j|, the second is at most X sqrt(1 - z) + Y z + t/2 sum_j kappa_j beta_j^2 +
|e b*|, with X = |p| sqrt(rho/lam), Y = rho/t, and z the share of rho that the kinks have; at the worst z this is X if
X >= 2 Y, else Y + X^2 / (4 Y). e is of the size of rounding, and |b*| is bounded roughly.

Nothing depends on how delta and beta were chosen: several are tried, and the narrowest interval is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.combined import dense
from pragam.certificate.left_out.margins import MarginProblem
from pragam.certificate.left_out.moved import Given, Moved, Pair, lengths
from pragam.certificate.left_out.removal import by_sign
from pragam.certificate.left_out.takers import ENTRIES, Array, takers
from pragam.certificate.lower import Lower
from pragam.certificate.proof import Certificate
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector
from pragam.operators.storage import WALKING
from pragam.runtime import interrupts

#: Numbers of the tables of some rows.
_STEP = 2**18


class Ball(NamedTuple):
    """For every row the centre of the sphere, at most its length, the radius, how far the exact centre may be, rho."""

    centre: Array
    far: Vector
    radius: Vector
    shift: Vector
    rho: Vector


class Span:
    """What ``certify(problem, w, alpha)`` says of each row once it is left out. Four products, and none for a row."""

    def __init__(
        self, problem: MarginProblem, w: Vector, alpha: Vector, certificate: Certificate, entries: int = ENTRIES
    ) -> None:
        self._problem, self._lower = problem, Lower(problem, alpha)
        point, self._moved, _, feasible, distance = self._lower.repaired
        self.is_proven = bool(certificate.rigorous and np.isfinite(certificate.gap) and feasible and not distance)
        self.is_proven &= not WALKING & problem.A.storage.lacks
        if self.is_proven:
            with np.errstate(all="ignore"):
                self._pair = Pair.of(problem, w, certificate, self._lower)
            self._takers = takers(problem, point, self._moved, self._pair.excess, entries)

    @property
    def step(self) -> int:
        """So many rows are best asked for at a time."""
        return max(1, _STEP // (len(self._takers.numbers) + self._problem.n_weights + 1)) if self.is_proven else 1

    def bounds(self, rows: NDArray[np.int64], is_once: bool = False) -> Vector:
        """(rows, 2): the least and the greatest score <x_i, w*> + b*; infinite where nothing is proven.

        ``is_once``: that nothing else will be asked for, which is much faster for a row or two.
        """
        found = np.broadcast_to(np.array([-np.inf, np.inf]), (len(rows), 2)).copy()
        able = np.flatnonzero(~np.isin(rows, self._moved)) if self.is_proven else np.zeros(0, np.int64)
        for first in range(0, len(able), self.step):
            interrupts.check()
            part = able[first : first + self.step]
            found[part] = self._of(rows[part], is_once)
        return found

    def without(self, i: int) -> Vector:
        """The dual point moved off row i, where a solve without it may start: a guess, feasible but for rounding."""
        alpha = self._lower.repaired.point.copy()
        if self.is_proven:
            to, given = self._takers, self._given(np.array([i]))
            with np.errstate(all="ignore"):
                moved = self._pair.best(given, to, to.shares(given.rows, given.sigma, given.places))
            alpha[to.numbers] += moved.delta[0]
        alpha[i] = 0.0
        return alpha

    def _of(self, rows: NDArray[np.int64], is_once: bool) -> Vector:
        to = self._takers
        given = self._given(rows)
        with np.errstate(all="ignore"):
            shares = list(to.shares(given.rows, given.sigma, given.places, is_once))
            moved = self._pair.best(given, to, shares)
            below, above = self._left(moved, given)
            ball = self._ball(moved)
            low, high = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
            for beta in shares:
                middle, half = self._interval(given, moved, ball, np.minimum(below, above), beta)
                ends = np.nextafter(middle - half, -np.inf), np.nextafter(middle + half, np.inf)
                low, high = np.fmax(low, ends[0]), np.fmin(high, ends[1])
        return by_sign(self._problem.A.scale[rows], np.stack([low, high], axis=1))

    def _given(self, rows: NDArray[np.int64]) -> Given:
        problem, alpha = self._problem, self._lower.repaired.point
        A, sigma = problem.A, problem.B.sigma[rows] if problem.n_biases else np.zeros(len(rows))
        data = A.storage.take(rows)
        own = A.scale[rows][:, None] * dense(data)
        rounding = gamma(float(np.max(data.counts, initial=0)) + 2)
        return Given(rows, own, alpha[rows], sigma, A.storage.row_sizes[rows], self._takers.places(rows), rounding)

    def _left(self, moved: Moved, given: Given) -> tuple[Array, Array]:
        """What is left of the takers' rooms below and above alpha'; none to the row itself."""
        to = self._takers
        below, above = (
            np.maximum((side + way * moved.delta) * (1 - gamma(8)) - 8 * TINY, 0.0)
            for side, way in ((to.below, 1), (to.above, -1))
        )
        if len(to.numbers):
            each = np.arange(len(below))
            for side in (below, above):
                side[each, moved.last] = np.maximum(side[each, moved.last] - 1.01 * moved.off, 0.0)
                own = np.flatnonzero(given.places >= 0)
                side[own, given.places[own]] = 0.0
        return below, above

    def _ball(self, moved: Moved) -> Ball:
        w, v, lam, drift = self._pair.w, self._pair.v, self._problem.lam, self._pair.drift
        other = v - moved.q / lam
        size = norm(w) + norm(v) + lengths(moved.q) / lam
        lost = drift + moved.lost / lam + gamma(8) * size + 4 * TINY * len(w) ** 0.5 * (1 + 1 / lam)
        half = np.sqrt(moved.gap) / lam**0.5 * (1 + gamma(8)) + TINY
        apart = 0.5 * (lengths(w - other) * (1 - gamma(len(w) + 2 * LANES)) - (8 * len(w) * TINY) ** 0.5 - lost)
        share = np.clip(apart / half * (1 - gamma(4)), 0.0, 1.0)
        left = (1 - share) * (1 + share)
        radius = half * np.sqrt(left) * (1 + gamma(8)) + TINY
        rho = moved.gap * left * (1 + gamma(8)) + 2 * TINY
        centre = 0.5 * w + 0.5 * other
        return Ball(centre, lengths(centre), radius, 0.5 * lost + gamma(4) * size + TINY, rho)

    def _interval(self, given: Given, moved: Moved, ball: Ball, room: Array, beta: Array) -> tuple[Vector, Vector]:
        """(middle, half the width) of <a_i, w*> + sigma_i b*."""
        to, n, d = self._takers, len(self._takers.numbers), self._problem.n_weights
        beta = self._on_plane(given, room, beta)
        size, offset = np.abs(beta), to.offset + to.kappa * moved.delta
        p = given.rows - beta @ to.rows
        lost = (gamma(n + 16) + 1.01 * max(to.rounding, given.rounding)) * (given.sizes + size @ to.sizes)
        lost += 8 * TINY * (n + 8) * d**0.5 * (1 + size.sum(axis=1)) * (1 + to.widest)
        length, reach = lengths(p), ball.far + ball.radius + ball.shift
        known, product = np.einsum("ij,ij->i", beta, offset), np.einsum("ij,ij->i", p, ball.centre)
        terms = np.abs(offset) + np.abs(to.offset) + to.kappa * np.abs(moved.delta) + 2
        off = gamma(n + 16) * np.einsum("ij,ij->i", size, terms) + lost * reach + length * ball.shift
        off += gamma(d + LANES) * length * ball.far
        off += 8 * TINY * (n + d + 1) * (1 + ball.far + length + size.sum(axis=1) + terms.sum(axis=1))
        if n:
            off += 1.01 * size[np.arange(len(size)), moved.last] * to.kappa[moved.last] * moved.off
        half = self._room(ball, length * ball.radius, room, size) + off + self._bias(given, ball, room, beta, reach)
        half = half + gamma(16) * (np.abs(known) + np.abs(product) + half)
        return known + product, np.where(np.isnan(half), np.inf, half)

    def _on_plane(self, given: Given, room: Array, beta: Array) -> Array:
        """beta of those that have room, with e = 0 but for rounding: by the mean of the kinks."""
        to, beta = self._takers, np.where(room > 0, beta, 0.0)
        if not self._problem.n_biases:
            return beta
        weights = room * to.sigma
        lacking = (given.sigma - beta @ to.sigma) / np.maximum(weights @ to.sigma, TINY)
        return beta + lacking[:, None] * weights

    def _room(self, ball: Ball, X: Vector, room: Array, size: Array) -> Vector:
        """X sqrt(1 - z) + Y z + t/2 sum kappa beta^2 at the worst z, with a good t."""
        bend = (size * size) @ self._takers.kappa * (1 + gamma(len(self._takers.numbers) + 8)) + self._lost
        most = np.min(np.where(size > 0, room / size, np.inf), axis=1, initial=np.inf) * (1 - gamma(4))
        t = np.minimum(most, np.sqrt(2 * ball.rho / bend))
        Y = np.where(np.isinf(t), 0.0, ball.rho / t)
        both = np.where(X >= 2 * Y, X, Y + X * (X / (4 * np.maximum(Y, TINY))))
        return (both + np.where(bend > 0, 0.5 * t * bend, 0.0)) * (1 + gamma(16)) + 4 * TINY

    @property
    def _lost(self) -> float:
        """What sums of kappa_j x_j^2 may lose below TINY."""
        kappa = self._takers.kappa
        return 8 * TINY * float(kappa.sum() + len(kappa)) if kappa.any() else 0.0

    def _bias(self, given: Given, ball: Ball, room: Array, beta: Array, reach: Vector) -> Vector:
        """|e b*|, with the rough bound of |b*| that the mean of all kinks gives."""
        if not self._problem.n_biases:
            return np.zeros(len(beta))
        to, n = self._takers, len(self._takers.numbers)
        e = np.abs(given.sigma - beta @ to.sigma) + gamma(n + 8) * (1 + np.abs(beta) @ np.abs(to.sigma)) + 4 * n * TINY
        total = ball.rho + 0.5 * (room * room) @ to.kappa + self._lost
        least = (room @ np.abs(to.sigma)) * (1 - gamma(n + 8))
        bound = (total + room @ (np.abs(to.offset) + to.kappa * to.room) + (room @ to.sizes) * reach) / least
        return 1.02 * e * bound
