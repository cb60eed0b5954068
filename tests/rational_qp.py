r"""An active-set method in rational arithmetic:

    min 1/2 a'Ga - q'a   subject to   l <= a <= u,   sum over plane p of sigma_i a_i = level_p,

G positive semidefinite and possibly singular, each row in at most one plane. Every answer is checked against the
conditions of Karush, Kuhn and Tucker exactly, so what is returned is the minimum whatever path led there.

One iteration: the free rows F move towards the minimum of their own problem, as far as the bounds allow; rows that
reach a bound leave F. Where the minimum is reached, a row whose multiplier has the wrong sign joins F. The objective
never rises; after a step of length zero the next row is chosen at random, so that ties cannot make it cycle for ever.
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import lcm


def minimise(G, q, lower, upper, sigma, groups, start):
    """The minimising point, or None if the objective is unbounded below. ``start`` is feasible; None is no bound.

    G holds integers; the other numbers are Fractions.
    """
    path = _Path(G, q, lower, upper, sigma, groups, list(start))
    rng = random.Random(0)
    for _ in range(2000 + 200 * len(q)):
        direction, is_ray = path.direction()
        if not path.move(direction, is_ray):
            return None
        if path.blocked:
            continue
        wrong = path.wrong_multipliers()
        if not wrong:
            path.verify()
            return path.point
        path.free |= set(rng.choice(wrong) if path.length == 0 else wrong[0])
    raise ArithmeticError("the rational active-set method did not end")


class _Path:
    def __init__(self, G, q, lower, upper, sigma, groups, point):
        self.G, self.q, self.lower, self.upper = G, q, lower, upper
        self.sigma, self.groups, self.point = sigma, groups, point
        self.free = {i for i in range(len(q)) if not self._at(i, lower) and not self._at(i, upper)}
        self.blocked, self.length = False, Fraction(0)

    def _at(self, i, bound):
        return bound[i] is not None and self.point[i] == bound[i]

    def gradient(self):
        support = [(j, a) for j, a in enumerate(self.point) if a]
        denominator = lcm(*(a.denominator for _, a in support))
        scaled = [(j, a.numerator * (denominator // a.denominator)) for j, a in support]
        return [
            Fraction(sum(row[j] * a for j, a in scaled), denominator) - c for row, c in zip(self.G, self.q, strict=True)
        ]

    def direction(self):
        """``(p, is_ray)``: the step to a minimum on the free rows, or a direction in which they fall for ever."""
        F = sorted(self.free)
        planes = sorted({self.groups[i] for i in F if self.groups[i] >= 0})
        gradient = self.gradient()
        normals = [_integers([self.sigma[i] if self.groups[i] == p else Fraction(0) for i in F])[0] for p in planes]
        K = [[self.G[i][j] for j in F] + [row[k] for row in normals] for k, i in enumerate(F)]
        K += [row + [0] * len(planes) for row in normals]
        right, denominator = _integers([-gradient[i] for i in F] + [Fraction(0)] * len(planes))
        solution, is_ray = _solve(K, right)
        return {i: p / denominator for i, p in zip(F, solution, strict=False) if p}, is_ray

    def move(self, direction, is_ray):
        """Go as far as the bounds allow, at most the whole way; False if nothing stops a ray."""
        reach = {}
        for i, p in direction.items():
            end = self.upper[i] if p > 0 else self.lower[i]
            if end is not None:
                reach[i] = (end - self.point[i]) / p
        nearest = min(reach.values(), default=None)
        if is_ray and nearest is None:
            return False
        self.blocked = is_ray or (nearest is not None and nearest < 1)
        self.length = nearest if self.blocked else Fraction(bool(direction))
        for i, p in direction.items():
            self.point[i] += self.length * p
        if self.blocked:
            self.free -= {i for i, r in reach.items() if r == nearest}
        return True

    def wrong_multipliers(self):
        """Sets of rows whose release lowers the objective; none if this point is optimal."""
        gradient, multipliers = self.gradient(), {}
        for i in self.free:
            if self.groups[i] >= 0:
                multipliers[self.groups[i]] = gradient[i] / self.sigma[i]
        wrong = []
        undecided = {}
        for i in range(len(self.q)):
            p = self.groups[i]
            if i in self.free or self.lower[i] == self.upper[i] is not None:
                continue
            if p >= 0 and p not in multipliers:
                undecided.setdefault(p, []).append(i)
            elif self._falls(i, gradient[i] - (multipliers[p] * self.sigma[i] if p >= 0 else 0)):
                wrong.append({i})
        return wrong + [pair for rows in undecided.values() if (pair := self._falling_pair(rows, gradient))]

    def _falls(self, i, slope):
        """Whether row i may move in the direction in which the objective falls."""
        return (slope < 0 and not self._at(i, self.upper)) or (slope > 0 and not self._at(i, self.lower))

    def _falling_pair(self, rows, gradient):
        """A plane without a free row: two rows that may be moved against each other, unless some multiplier suits all.

        Row i asks the multiplier m to be at most (or at least) gradient_i / sigma_i, as it cannot move down (up) along
        sigma.
        """
        ratio = {i: gradient[i] / self.sigma[i] for i in rows}
        can_rise = [i for i in rows if not self._at(i, self.upper if self.sigma[i] > 0 else self.lower)]
        can_fall = [i for i in rows if not self._at(i, self.lower if self.sigma[i] > 0 else self.upper)]
        if not (can_rise and can_fall):
            return None
        low, high = min(can_rise, key=ratio.get), max(can_fall, key=ratio.get)
        return {low, high} if ratio[low] < ratio[high] else None

    def verify(self):
        """The point is feasible and stationary: a proof that it is a minimum (G is positive semidefinite)."""
        for i, a in enumerate(self.point):
            assert self.lower[i] is None or a >= self.lower[i]
            assert self.upper[i] is None or a <= self.upper[i]
        gradient = self.gradient()
        for i in self.free:
            same = [j for j in self.free if self.groups[j] == self.groups[i]]
            if self.groups[i] < 0:
                assert gradient[i] == 0
            else:
                assert all(gradient[i] * self.sigma[j] == gradient[j] * self.sigma[i] for j in same)
        assert not self.wrong_multipliers()


def _integers(numbers):
    """The numbers times their common denominator, and that."""
    denominator = lcm(*(x.denominator for x in numbers)) if numbers else 1
    return [x.numerator * (denominator // x.denominator) for x in numbers], denominator


def _solve(K, right):
    """``(x, False)`` with K x = right, or ``(t, True)`` with t'K = 0 and <t, right> > 0; K is symmetric.

    Elimination without fractions (Bareiss 1968) on [K | right | I]: the part that began as I remembers the combination.
    """
    n = len(K)
    rows = [[*row, right[i], *(int(i == j) for j in range(n))] for i, row in enumerate(K)]
    pivots, previous, top = [], 1, 0
    for column in range(n):
        pivot = next((i for i in range(top, n) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[top], rows[pivot] = rows[pivot], rows[top]
        head, base = rows[top], rows[top][column]
        for i in range(top + 1, n):
            factor = rows[i][column]
            rows[i] = [(base * x - factor * y) // previous for x, y in zip(rows[i], head, strict=True)]
        previous, top = base, top + 1
        pivots.append(column)
    for row in rows[top:]:
        if row[n]:
            return [Fraction(x if row[n] > 0 else -x) for x in row[n + 1 :]], True
    x = [Fraction(0)] * n
    for row, column in reversed(list(zip(rows, pivots, strict=False))):
        rest = sum(row[j] * x[j] for j in range(column + 1, n) if row[j] and x[j])
        x[column] = (row[n] - rest) / Fraction(row[column])
    return x, False
