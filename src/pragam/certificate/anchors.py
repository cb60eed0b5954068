r"""Points at which the score of every optimum is known: one for each bias.

An anchor of bias k is a point p and an interval that holds b_k* + <p, w* - c> for every optimum, c the centre of the
sphere with radius r. So the score of a row x is known to within r |x - p|, whatever its distance from 0:

    <w*, x> + b_k* = <c, x> + (b_k* + <p, w* - c>) + <x - p, w* - c>.

*The mean of kinks.* With the kink inequality (:mod:`pragam.certificate.kinks`) and weights q_j = m_j sigma_j on the
plane of the bias, S = sum_j q_j sigma_j, the mean p = sum_j q_j a_j / S has, since
s_j* = <a_j, w*> + sigma_j b* + c_j,

    |S (b* + <p, w*>) - sum_j q_j (bent_j - c_j)| <= T max_j |sigma_j|.

For the hinge: at every optimum the mean score of the rows with 0 < alpha < 1/n, weighted by their distance from either
bound, is the mean of their labels to within rho/S.

*The order of all rows.* b* + <p, w* - c> is a best bias for scores <a_j, w*> + c_j - sigma_j <p, w* - c>, which are
within r |a_j - sigma_j p| of <a_j, c> + c_j. So it lies between the bounds of multipliers for these scores
(``domain.multiplier_bounds``). That needs two more products, and says something where no alpha is inside its box; it
is asked where the mean of kinks leaves more open than a share of what the sphere does.
"""

from __future__ import annotations

from math import inf, isfinite, nextafter
from typing import NamedTuple

import numpy as np

from pragam.certificate.distances import of_duals
from pragam.certificate.kinks import Kinks, kinks
from pragam.certificate.optimum import scores_near
from pragam.certificate.sphere import Sphere
from pragam.numerics.rounding import TINY, dot, gamma, norm
from pragam.operators.base import Vector
from pragam.problem import DataProblem

#: The order of all rows is looked at where the mean of kinks leaves more open than this share of r |x|, x an average
#: row: less makes no difference to the score of most rows.
_VAGUE = 0.1


class Anchor(NamedTuple):
    """low <= b* + <point, w* - c> <= high."""

    point: Vector
    low: float
    high: float


def anchors(problem: DataProblem, ball: Sphere) -> list[Anchor]:
    """One for each bias. Two products, or three for each bias and one more."""
    found = mean_anchors(problem, ball)
    vague = _VAGUE * ball.radius * float(problem.A.row_norms().mean()) if problem.A.shape[0] else 0.0
    if isfinite(ball.radius) and not all(high - low <= vague for _, low, high in found):
        lows, highs = _by_order(problem, ball, [point for point, _, _ in found])
        pairs = zip(found, lows.tolist(), highs.tolist(), strict=True)
        found = [Anchor(p, max(low, other), min(high, end)) for (p, low, high), other, end in pairs]
    return found


def mean_anchors(problem: DataProblem, ball: Sphere) -> list[Anchor]:
    """The means of kinks. Where there are none, the mean of all rows on the plane, of which nothing is known."""
    known = kinks(problem, ball)
    return [_mean_of_kinks(problem, ball, known, k) or _nothing(problem, k) for k in range(problem.n_biases)]


def _mean_of_kinks(problem: DataProblem, ball: Sphere, known: Kinks, k: int) -> Anchor | None:
    """None where no row on plane k is inside its box, or numbers overflow."""
    A, B, centre = problem.A, problem.B, ball.centre
    on = (B.group[known.rows] == k) & (B.sigma[known.rows] != 0)
    rows, sigma, bent = known.rows[on], B.sigma[known.rows[on]], known.bent[on]
    q, c = known.most[on] * sigma, problem.c[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        whole = float(q @ sigma)
        off = gamma(len(q) + 4) * whole + 4 * len(q) * TINY
        if not whole > 2 * off:
            return None
        weights = np.zeros(A.shape[0])
        weights[rows] = q
        u, error = A.bounded_rmatvec(weights)
        point = u / whole
        (value, lost), (product, more) = dot(q, bent - c), dot(u, centre)
        lost += gamma(4) * float(np.abs(q) @ (np.abs(bent) + np.abs(c))) + 4 * TINY * float(np.abs(q).sum() + len(q))
        twist = error + gamma(4) * norm(u) + off * norm(point) + 4 * TINY * (1 + whole) * len(u) ** 0.5
        room = known.total * float(np.abs(sigma).max()) + ball.radius * twist + lost + more + error * norm(centre)
        value, size = value - product, abs(value) + abs(product)
        middle = value / whole
        half = 1.01 * (gamma(8) * size + off * abs(middle)) / (whole - off) + room * (1 + gamma(16)) / (whole - off)
        half += gamma(8) * (abs(middle) + half) + 4 * TINY
    if not (np.isfinite(point).all() and isfinite(middle) and isfinite(half)):
        return None
    return Anchor(point, nextafter(middle - half, -inf), nextafter(middle + half, inf))


def _nothing(problem: DataProblem, k: int) -> Anchor:
    sigma = np.where(problem.B.group == k, problem.B.sigma, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        point = problem.A.rmatvec(sigma) / max(float(sigma @ sigma), TINY)
    return Anchor(point if np.isfinite(point).all() else np.zeros(len(point)), -inf, inf)


def _by_order(problem: DataProblem, ball: Sphere, points: list[Vector]) -> tuple[Vector, Vector]:
    """(low, high) of every anchor, from the scores of all rows."""
    assert problem.cut is not None
    s, slack = scores_near(problem, ball.centre, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        room = (slack + ball.radius * of_duals(problem, points)) * (1 + gamma(8)) + TINY
    return problem.cut.multiplier_bounds(s, room, problem.g.curvature)
