r"""Any combination of kinks proves, at every lam of a cell: see :mod:`pragam.certificate.combined`.

For numbers g_j, D = 1 - sum_j g_j sigma_j, an anchor (p, o) and q = x - D p - sum_j g_j a_j,

    <w*, x> + b* = <x, c> - sum_j g_j (<a_j, c> + c_j - bent_j) + D o   to within
                   r |q| + T max_j |g_j|/m_j + |D| room,

with m_j at most the room of alpha_j at either end of the cell (it is concave in lam). c and o are linear in tau and
bent_j is so to within omega of its change, so the first line lies between its values at the ends. Nothing depends on
how g is found: T g/m by ridge regressions of x - p on the rows m_j/T (a_j - sigma_j p)
(:mod:`pragam.certificate.ridges`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.combined import Array, dense
from pragam.certificate.moving.anchor import Anchor
from pragam.certificate.moving.end import End
from pragam.certificate.moving.kink_rows import KinkRows
from pragam.certificate.moving.near import Near
from pragam.certificate.ridges import Ridges
from pragam.numerics.rounding import LANES, TINY, gamma, is_subnormal, norm
from pragam.operators.base import Vector
from pragam.operators.storage import Storage

#: Entries of the largest table of a step.
_STEP = 2**20
#: A row is looked at only if the middle of what is known of its score is farther from the level than this share of what
#: a guess says will be left.
_HOPE = 0.5


class Combinations:
    """What the kinks say of scores over the cell from a to b, with its radius, rho, omega, and an anchor if it has a
    bias."""

    def __init__(
        self, known: KinkRows, a: End, b: End, radius: float, rho: float, omega: float, anchor: Anchor | None
    ) -> None:
        problem, rows = a.pairs[0].problem, known.rows
        room = np.minimum(a.room(rows), b.room(rows))
        kappa = np.broadcast_to(problem.g.curvature, problem.Q.size)[rows]
        with np.errstate(all="ignore"):
            if np.any(kappa):
                mu = sqrt(2 * rho) / sqrt(max(float(np.sum(1 / kappa[kappa > 0])), TINY))
                room = np.where(kappa > 0, np.minimum(room, mu / np.where(kappa > 0, kappa, 1.0)), room)
            able = (room > TINY) & np.isfinite(room) & ~is_subnormal(np.ascontiguousarray(kappa))
            rows, kappa, self.most = rows[able], kappa[able], room[able]
            bend = float((kappa * self.most) @ self.most)  # most^2 may underflow where kappa is large
            self.total = rho + (0.5 + gamma(len(rows) + 8)) * bend
            self.total = (self.total + 4 * TINY * (len(rows) + float(self.most.sum()))) * (1 + gamma(4))
            self.rows, self.radius, self.omega, self.anchor = rows, radius, omega, anchor
            self.a, self.error, self.length = known.a[able], known.error[able], known.length[able]
            d = self.a.shape[1]
            self.point = np.zeros(d) if anchor is None else anchor.point
            self.sigma = np.zeros(len(rows)) if anchor is None else problem.B.sigma[rows]
            self.bent = a.bent(rows), b.bent(rows)
            self.ends = [_off(end.centre_scores, rows, bent) for end, bent in zip((a, b), self.bent, strict=True)]

    def tighten(self, X: Storage, scores: tuple[Near, Near], found: Vector, level: float | None) -> Vector:
        """``found`` (n, 2) cut down to what is known here of every row of X, with its scores <x, c> at the ends.

        Rows are left as they are where a guess says that this would not help, or not show on which side of ``level``
        they are.
        """
        step, found = max(_STEP // (len(self.rows) + X.shape[1] + 1), 1), found.copy()
        for first in range(0, X.shape[0], step):
            at = slice(first, min(first + step, X.shape[0]))
            with np.errstate(all="ignore"):
                self._tighten(
                    X.part(at.start, at.stop), [Near(*(column[at] for column in s)) for s in scores], found[at], level
                )
        return found

    def _tighten(self, X: Storage, scores: Sequence[Near], found: Vector, level: float | None) -> None:
        x = dense(X)
        own, guess = self._ridges.best(x - self.point)
        helps = guess < 0.5 * (found[:, 1] - found[:, 0])
        if level is not None:
            helps &= (found[:, 0] <= level) & (level <= found[:, 1])
            helps &= ~(np.abs(0.5 * (found[:, 0] + found[:, 1]) - level) < _HOPE * guess)
        rows = np.flatnonzero(helps)
        if rows.size:
            g = self._ridges.combinations(own[rows]) * (self.most / self.total)
            g = np.where(np.isfinite(g), g, 0.0)
            low, high = self._of(X.take(rows), x[rows], g, *(Near(*(column[rows] for column in s)) for s in scores))
            np.fmax(found[rows, 0], low, out=low)
            np.fmin(found[rows, 1], high, out=high)
            found[rows] = np.stack([low, high], axis=1)

    def _of(self, X: Storage, x: Array, g: Array, *scores: Near) -> tuple[Vector, Vector]:
        """(low, high) by the combinations g, for the rows x of X."""
        size, F, d = np.abs(g), g.shape[1], X.shape[1]
        left = 1 - g @ self.sigma
        slip = gamma(F + 8) * (1 + size @ np.abs(self.sigma)) + 4 * TINY * (F + 1) * (1 + size.sum(axis=1))
        q = x - left[:, None] * self.point - g @ self.a
        span = X.row_sizes + (np.abs(left) + slip) * norm(self.point) * 1.01 + size @ self.length
        lost = gamma(F + 16) * span + slip * norm(self.point) * 1.01 + size @ self.error
        lost += gamma(np.asarray(X.counts, dtype=np.float64) + 4) * X.row_sizes
        lost += 8 * TINY * (F + 8) * d**0.5 * (1 + size.sum(axis=1)) * (1 + self.length.max(initial=0.0))
        length = np.sqrt(np.einsum("ij,ij->i", q, q)) * (1 + gamma(d + LANES)) + lost * 1.01 + (8 * d * TINY) ** 0.5
        room = self.radius * length + self.total * np.max(size / self.most, axis=1, initial=0.0) * (1 + gamma(4))
        if self.omega > 0:
            (one, more), (other, less) = self.bent
            room += self.omega * (np.abs(g @ (one - other)) + size @ (more + less + gamma(F + 8) * np.abs(one - other)))
        if self.anchor is not None:
            room += (np.abs(left) + slip) * self.anchor.room
        ends = [self._at(g, left, slip, score, k) for k, score in enumerate(scores)]
        room = (room + np.maximum(*(end.error for end in ends))) * (1 + gamma(16))
        (one, _), (other, _) = ends
        room += gamma(4) * (np.abs(one) + np.abs(other)) + 8 * TINY
        return np.minimum(one, other) - room, np.maximum(one, other) + room

    def _at(self, g: Array, left: Vector, slip: Vector, score: Near, k: int) -> Near:
        """The first line, at an end."""
        (off, lost), size, F = self.ends[k], np.abs(g), g.shape[1]
        shift = g @ off
        error = score.error + size @ (lost + gamma(F + 8) * np.abs(off)) + 4 * TINY * (F + 1) * (1 + size.sum(axis=1))
        value, sizes = score.value - shift, np.abs(score.value) + np.abs(shift)
        if self.anchor is not None:
            o, more = (float(part[0]) for part in self.anchor.ends[k])
            value = value + left * o
            error += slip * abs(o) + (np.abs(left) + slip) * more
            sizes += np.abs(left) * abs(o)
        return Near(value, error + gamma(8) * sizes)

    @cached_property
    def _ridges(self) -> Ridges:
        return Ridges((self.most / self.total)[:, None] * (self.a - self.sigma[:, None] * self.point), self.radius)


def _off(scores: Near, rows: NDArray[np.int64], bent: Near) -> Near:
    """<a_j, c> + c_j - bent_j of some rows."""
    s, error = scores.value[rows], scores.error[rows]
    return Near(s - bent.value, error + bent.error + gamma(2) * (np.abs(s) + np.abs(bent.value)) + 2 * TINY)
