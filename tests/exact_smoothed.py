"""Sets of dual variables with a curvature, which no named risk has: their support function as a fraction."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from pragam.certificate.exact.numbers import total
from pragam.certificate.exact.sets import Pairs, Simplices


class SmoothedSimplices(Simplices):
    """Simplices, on which kappa may be positive: the same for all dual variables."""

    def support(self, scores, kappa):
        """sum_i max <alpha_i, s_i> - kappa/2 |alpha_i|^2."""
        if not any(kappa.values):
            return super().support(scores, kappa)
        blocks = zip(self.totals.fractions(), self.blocks(scores.fractions()), strict=True)
        return total(_smoothed_simplex(block, mass, kappa.fractions()[0]) for mass, block in blocks)


class SmoothedPairs(Pairs):
    """Pairs, on which kappa may be positive: the same for all dual variables."""

    def support(self, scores, kappa):
        """sum_i max <alpha_i, s_i> - kappa/2 |alpha_i|^2."""
        if not any(kappa.values):
            return super().support(scores, kappa)
        rows = zip(self.totals.fractions(), *self.sides(scores.fractions()), strict=True)
        return total(_smoothed_pairs(p, q, mass, kappa.fractions()[0]) for mass, p, q in rows if mass and p and q)


def _smoothed_simplex(s, mass, kappa):
    """alpha = (s - theta)_+ / kappa, theta by the sorted scores (Held, Wolfe and Crowder 1974)."""
    if mass == 0:
        return Fraction(0)
    theta = _threshold(s, kappa * mass)
    alpha = [max(x - theta, 0) / kappa for x in s]
    return sum(a * (x - kappa * a / 2) for a, x in zip(alpha, s, strict=True))


def _threshold(s, mass):
    """theta with sum (s - theta)_+ = mass > 0."""
    theta, running = None, 0
    for r, x in enumerate(sorted(s, reverse=True), 1):
        running += x
        guess = (running - mass) / r
        if x > guess:
            theta = guess
    return theta


def _smoothed_pairs(p, q, mass, kappa):
    """Thresholds a on the wrong side and c on the right one: of the full mass, unless a + c < 0; then c = -a.

    Then a is a root of sum (p - a)_+ - sum (q + a)_+, which falls: between two of its kinks it is a line.
    """
    a, c = _threshold(p, kappa * mass), _threshold(q, kappa * mass)
    if a + c < 0:
        a = _balance(p, q)
        c = -a
    alpha = [max(x - a, 0) / kappa for x in p] + [max(x - c, 0) / kappa for x in q]
    return sum(y * (x - kappa * y / 2) for y, x in zip(alpha, p + q, strict=True))


def _balance(p, q):
    def excess(t):
        return sum(max(x - t, 0) for x in p) - sum(max(x + t, 0) for x in q)

    kinks = sorted({*p, *(-x for x in q)})
    for low, high in pairwise(kinks):
        first, last = excess(low), excess(high)
        if first >= 0 >= last:
            return low if first == last else low + (high - low) * first / (first - last)
    return kinks[0]
