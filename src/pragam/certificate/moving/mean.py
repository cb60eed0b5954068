r"""The mean of kinks of two pairs: an anchor of every cell between them, for next to nothing.

beta_j is at most the room of alpha_j inside its box at either pair, hence at every lam between them: it is concave in
lam. With p = sum_j beta_j sigma_j a_j / S, S = sum_j beta_j sigma_j^2, the kink inequality at lam says

    |S (b* + <p, w*>) - sum_j beta_j sigma_j (bent_j - c_j)| <= T max_j |sigma_j|.

So p belongs to the two pairs. With M the mean of bent_j - c_j, o = M - <p, c>. With curvature bent_j = kappa_j alpha_j
is linear in lam and not in tau. Over a cell from lam_a to lam_b the two differ by at most omega of its change,

    0 <= phi - t <= omega = (sqrt(lam_a) - sqrt(lam_b)) / (sqrt(lam_a) + sqrt(lam_b)),

and the inequality holds for s beta, 0 <= s <= stretch, of which the best s at this rho is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np

from pragam.certificate.distances import of_rows
from pragam.certificate.moving.anchor import Anchor, plus
from pragam.certificate.moving.near import Near, Share
from pragam.certificate.moving.pair import Pair
from pragam.numerics.rounding import SAFE, TINY, dot, gamma, is_subnormal, norm
from pragam.operators.base import Vector


class Mean:
    """The mean of kinks of the dual variables that are inside their boxes at both pairs."""

    def __init__(self, first: Pair, last: Pair, rho: float) -> None:
        """``rho`` is about what the pairs leave: with curvature, the weights suit it."""
        self.first, self.last = first, last
        problem = first.problem
        room = np.minimum.reduce([*first.sides(), *last.sides()])
        kappa = np.broadcast_to(problem.g.curvature, room.shape)
        able = (np.minimum(room, room * np.abs(problem.B.sigma)) > SAFE[0]) & np.isfinite(room)
        self.rows = np.flatnonzero(able & ~is_subnormal(np.ascontiguousarray(kappa)))
        self.beta, self.kappa, self.sigma = room[self.rows], kappa[self.rows], problem.B.sigma[self.rows]
        self.stretch = 1.0
        if np.any(self.kappa):
            self._suit(rho)
        with np.errstate(over="ignore", invalid="ignore"):
            self.is_known = self._prepare()

    def _suit(self, rho: float) -> None:
        """With curvature T / S is least at beta_j = mu / kappa_j where there is room for it."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            curved = self.kappa > 0
            mu = sqrt(2 * max(rho, TINY)) / sqrt(max(float(np.sum(1 / self.kappa[curved])), TINY))
            least = np.where(curved, np.minimum(self.beta, mu / np.where(curved, self.kappa, 1.0)), self.beta)
            ratio = float(np.min(self.beta / least, initial=inf)) * (1 - gamma(4))
        if (least > TINY).all() and isfinite(ratio):
            self.beta, self.stretch = least, max(ratio, 1.0)

    def _prepare(self) -> bool:
        problem, q = self.first.problem, self.beta * self.sigma
        whole = float(q @ self.sigma)
        off = gamma(len(q) + 4) * whole + 4 * len(q) * TINY
        if not whole > 2 * off:
            return False
        weights = np.zeros(problem.Q.size)
        weights[self.rows] = q
        u, error = problem.A.bounded_rmatvec(weights)
        self.point = u / whole
        self._least = whole - off
        self._twist = error + gamma(4) * norm(u) + off * norm(self.point) + 4 * TINY * (1 + whole) * len(u) ** 0.5
        self._means = [self._mean(q, pair, whole, off) for pair in (self.first, self.last)]
        self._along = [pair.along(self.point) for pair in (self.first, self.last)]
        lost = 8 * TINY * (len(q) + float(self.beta.sum()))
        self._bend = float(np.sum(self.kappa * self.beta * self.beta)) * (1 + gamma(len(q) + 8)) + lost
        self._far = max(norm(pair.centre) * 1.01 + pair.drift for pair in (self.first, self.last))
        self._sigma = float(np.abs(self.sigma).max())
        found = np.array(
            [self._least, self._twist, self._far, self._bend, *(float(n[0]) for x in self._means for n in x)]
        )
        return bool(np.isfinite(found).all() and np.isfinite(self.point).all())

    def _mean(self, q: Vector, pair: Pair, whole: float, off: float) -> Near:
        """sum_j q_j (bent_j - c_j) / S at a pair."""
        bent, c = pair.bent(self.rows).value, pair.problem.c[self.rows]
        value, lost = dot(q, bent - c)
        lost += gamma(4) * float(np.abs(q) @ (np.abs(bent) + np.abs(c))) + 4 * TINY * float(np.abs(q).sum() + len(q))
        middle = value / whole
        half = 1.01 * (lost + off * abs(middle)) / (whole - off) + gamma(8) * abs(middle) + 4 * TINY
        return Near(np.array([middle]), np.array([half]))

    @cached_property
    def _apart(self) -> Vector:
        return of_rows(self.first.held, self.point)

    def over(self, shares: Sequence[tuple[Share, Share]], radius: float, rho: float, omega: float) -> Anchor | None:
        """The anchor of a cell with these (theta, phi) at its ends; None where nothing is known."""
        if not (self.is_known and isfinite(radius)):
            return None
        means = [phi.of(*self._means) for _, phi in shares]
        one, other = (plus(mean, theta.of(*self._along), -1.0) for mean, (theta, _) in zip(means, shares, strict=True))
        scale = min(self.stretch, sqrt(2 * rho / self._bend)) if self._bend > 0 else 1.0
        total = (rho / scale + 0.5 * scale * self._bend + 2 * TINY) * (1 + gamma(8)) if scale > 0 else inf
        moved = abs(float(means[0].value[0] - means[1].value[0])) + float(means[0].error[0] + means[1].error[0])
        room = (total * self._sigma + self._twist * (self._far + radius)) / self._least + omega * moved
        room = room * (1 + gamma(16)) + 8 * TINY
        return Anchor(self.point, (one, other), room, room, self._apart)
