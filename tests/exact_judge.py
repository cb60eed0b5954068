r"""J, D and min J of a stored Problem as rational numbers: the judge of every certificate.

    J(w, b)  = lam/2 |w|^2 + max over the box of <alpha, A w + c - b sigma> - sum_i kappa_i/2 alpha_i^2  +  b z
    D(alpha) = <c, alpha> - sum_i kappa_i/2 alpha_i^2 - |A' alpha|^2 / (2 lam),  alpha in Q

Sums over the entries of A run over integers (see exact_form); fractions appear once per sum. Values are Fractions, or
the floats inf and -inf where J has no finite value or Q is empty.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, lcm
from typing import NamedTuple

import numpy as np

from exact_form import Ints, align, dot, form, ints, power
from rational_qp import minimise


def exact_primal(problem, w, biases=()):
    """J at these weights and, for a box with a plane, at this bias; inf where an unbounded side makes it so."""
    f = form(problem)
    w = ints(w)
    squares = Fraction(sum(v * v for v in w.values)) * power(2 * w.exponent)
    scores, levels = _scores(f, w, biases)
    risk = _simplices_support(f, scores) if f.simplices else _box_support(f, scores)
    return inf if risk == inf else f.lam * squares / 2 + risk + levels


def _scores(f, w, biases):
    """A w + c - b sigma, and b z."""
    product = Ints([dot(row, w.values) for row in f.rows], f.rows_exponent + w.exponent)
    if f.simplices or not f.n_planes:
        assert np.size(biases) == 0 or not np.any(biases), "this problem has no bias"
        a, c, exponent = align(product, f.c)
        return Ints([x + y for x, y in zip(a, c, strict=True)], exponent), 0
    b = ints(biases)
    assert len(b.values) == 1, "this problem has one bias"
    a, c, shift, exponent = align(product, f.c, f.sigma.times(b))
    level = f.levels.fractions()[0] * b.fractions()[0]
    return Ints([x + y - t for x, y, t in zip(a, c, shift, strict=True)], exponent), level


def _box_support(f, scores):
    """max over the box of <alpha, s> - sum_i kappa_i/2 alpha_i^2.

    With t = kappa alpha, 2 kappa times the value of a row is 2 t s - t^2 at t = s clipped to kappa [l, u].
    """
    if any(f.kappa):
        sides = zip(*(x.fractions() for x in (scores, f.lower, f.upper)), f.kappa, strict=True)
        return sum(_row_support(*row) for row in sides)
    low, high, exponent = align(f.lower, f.upper)
    total = 0
    for x, a, b in zip(scores.values, low, high, strict=True):
        if (x > 0 and b is None) or (x < 0 and a is None):
            return inf
        total += x * b if x > 0 else x * a if x < 0 else 0
    return Fraction(total) * power(exponent + scores.exponent)


def _row_support(s, low, high, kappa):
    """max over [low, high] of a s - kappa/2 a^2; None is no bound."""
    if kappa:
        t = s
        t = kappa * high if high is not None and s > kappa * high else t
        t = kappa * low if low is not None and s < kappa * low else t
        return t * (2 * s - t) / (2 * kappa)
    end = high if s > 0 else low
    return 0 if s == 0 else inf if end is None else end * s


def _simplices_support(f, scores):
    """sum_i max over alpha_i >= 0, sum alpha_i = total_i of <alpha_i, s_i> - kappa/2 |alpha_i|^2."""
    K, s = f.simplices, scores.values
    blocks = [s[i : i + K] for i in range(0, len(s), K)]
    if not any(f.kappa):
        total = sum(t * max(block) for t, block in zip(f.levels.values, blocks, strict=True))
        return Fraction(total) * power(f.levels.exponent + scores.exponent)
    unit = power(scores.exponent)
    totals = f.levels.fractions()
    return sum(_smoothed_simplex([x * unit for x in b], t, f.kappa[0]) for t, b in zip(totals, blocks, strict=True))


def _smoothed_simplex(s, total, kappa):
    """alpha = (s - theta)_+ / kappa, theta by the sorted scores (Held, Wolfe and Crowder 1974)."""
    if total == 0:
        return 0
    s = sorted(s, reverse=True)
    theta, running = None, 0
    for r, x in enumerate(s, 1):
        running += x
        guess = (running - kappa * total) / r
        if x > guess:
            theta = guess
    alpha = [max(x - theta, 0) / kappa for x in s]
    return sum(a * (x - kappa * a / 2) for a, x in zip(alpha, s, strict=True))


def exact_dual(problem, alpha):
    """The best D found near alpha in Q: alpha clipped, then moved onto its planes, in rationals. None if that fails."""
    alpha = np.asarray(alpha, dtype=np.float64).ravel()
    f = form(problem)
    if not np.isfinite(alpha).all():
        return None
    if f.simplices:
        point = [Fraction(a) for a in alpha.tolist()]
        return max(dual_value(f, _rescaled(f, point)), dual_value(f, _filled(f, point)))
    point = clipped(f, [Fraction(a) for a in alpha.tolist()])
    if not f.n_planes:
        return dual_value(f, point)
    excess = off_planes(f, point)[0]
    moved = _best_single_move(f, point, excess) if excess else dual_value(f, point)
    if moved is not None:
        return moved
    point = onto_planes(f, point)
    return None if point is None else dual_value(f, point)


def dual_value(f, point):
    """D at a point of Fractions that lies in Q."""
    scaled, denominator = _common(point)
    u = _adjoint(f, scaled)
    unit = power(f.rows_exponent) / denominator
    linear = Fraction(sum(c * a for c, a in zip(f.c.values, scaled, strict=True))) * power(f.c.exponent) / denominator
    smooth = Fraction(sum(k * a * a for k, a in zip(f.kappa, scaled, strict=True)), 2 * denominator**2)
    return linear - smooth - sum(v * v for v in u) * unit**2 / (2 * f.lam)


def _common(point):
    denominator = lcm(*(a.denominator for a in point)) if point else 1
    return [a.numerator * (denominator // a.denominator) for a in point], denominator


def _adjoint(f, scaled):
    """A' alpha over the integers."""
    u = [0] * f.n_weights
    for row, a in zip(f.rows, scaled, strict=True):
        if a:
            for j, value in row.items():
                u[j] += value * a
    return u


def clipped(f, point):
    low, high = f.lower.fractions(), f.upper.fractions()
    return [
        b if b is not None and x > b else a if a is not None and x < a else x
        for x, a, b in zip(point, low, high, strict=True)
    ]


def off_planes(f, point):
    """sum sigma_i alpha_i - level, for every plane."""
    excess = [-level for level in f.levels.fractions()]
    for group, s, a in zip(f.groups, f.sigma.fractions(), point, strict=True):
        if group >= 0:
            excess[group] += s * a
    return excess


def _rescaled(f, point):
    """Each row of a product of simplices, negative entries dropped, times total / sum."""
    K, out = f.simplices, []
    for i, total in enumerate(f.levels.fractions()):
        row = [max(a, Fraction(0)) for a in point[i * K : (i + 1) * K]]
        mass = sum(row)
        out += [a * total / mass for a in row] if mass else [total] + [Fraction(0)] * (K - 1)
    return out


def _filled(f, point):
    """Each row of a product of simplices, negative entries dropped, its largest entry changed by what is missing."""
    K, out = f.simplices, []
    for i, total in enumerate(f.levels.fractions()):
        row = [max(a, Fraction(0)) for a in point[i * K : (i + 1) * K]]
        top = row.index(max(row))
        row[top] += total - sum(row)
        out += row if row[top] >= 0 else [total] + [Fraction(0)] * (K - 1)
    return out


def _best_single_move(f, point, excess):
    """max D over the moves of one row onto the plane; None if no row has the room.

    D(alpha + t e_j) = D + t (c_j - kappa_j alpha_j - <a_j, A'alpha>/lam) - t^2/2 (kappa_j + |a_j|^2/lam).
    """
    scaled, denominator = _common(point)
    u = _adjoint(f, scaled)
    unit = power(f.rows_exponent)
    low, high, sigma, c = (x.fractions() for x in (f.lower, f.upper, f.sigma, f.c))
    best = None
    for j, row in enumerate(f.rows):
        if not sigma[j]:
            continue
        t = -excess / sigma[j]
        target = point[j] + t
        if (low[j] is not None and target < low[j]) or (high[j] is not None and target > high[j]):
            continue
        slope = c[j] - f.kappa[j] * point[j] - Fraction(dot(row, u), denominator) * unit**2 / f.lam
        curvature = f.kappa[j] + sum(v * v for v in row.values()) * unit**2 / f.lam
        gain = t * slope - t * t / 2 * curvature
        best = gain if best is None or gain > best else best
    return None if best is None else dual_value(f, point) + best


def onto_planes(f, point):
    """A point of the box moved onto the planes, the rows with most room first; None if the planes are out of reach."""
    point, excess = list(point), off_planes(f, point)
    low, high, sigma = f.lower.fractions(), f.upper.fractions(), f.sigma.fractions()

    def room(j):
        end = low[j] if (sigma[j] > 0) == (excess[f.groups[j]] > 0) else high[j]
        return inf if end is None else abs(sigma[j] * (end - point[j]))

    movable = [j for j, group in enumerate(f.groups) if group >= 0]
    for j in sorted(movable, key=room, reverse=True):
        e = excess[f.groups[j]]
        step = min(abs(e), room(j)) if e else 0
        if step:
            signed = step if e > 0 else -step
            point[j] -= signed / sigma[j]
            excess[f.groups[j]] -= signed
    return None if any(excess) else point


def exact_optimum(problem, near=None):
    """min J = max D by the rational active-set method; -inf if Q is empty, inf if J is infinite everywhere.

    ``near`` is an alpha close to the optimum: it shortens the way there and cannot change the answer.
    """
    f = form(problem)
    start = _feasible(f, near)
    if start is None:
        return -inf
    point = _solution(f, start)
    return inf if point is None else dual_value(f, point)


class Optimum(NamedTuple):
    """A maximum of D, w*, and the ends of each row's slope c_i + <a_i, w*> - b sigma_i over all best biases b."""

    alpha: list
    w: list
    least: list
    greatest: list


def exact_solution(problem):
    """The optimum of a bounded box, cut by one plane or none, with kappa = 0.

    Where a row's slopes are positive (negative), alpha_i is at its upper (lower) bound in every optimum.
    """
    f = form(problem)
    alpha = _solution(f, _feasible(f, None))
    scaled, denominator = _common(alpha)
    u, unit = _adjoint(f, scaled), -power(f.rows_exponent) / denominator / f.lam
    s = [c + dot(row, u) * unit * power(f.rows_exponent) for c, row in zip(f.c.fractions(), f.rows, strict=True)]
    w = [v * unit for v in u]
    if not f.n_planes:
        return Optimum(alpha, w, s, s)
    sigma = f.sigma.fractions()
    ends = [
        [x if g == 0 else -g * b if abs(b) == inf else x - b * g for x, g in zip(s, sigma, strict=True)]
        for b in _best_biases(f, s)
    ]
    return Optimum(alpha, w, *([side(x) for x in zip(*ends, strict=True)] for side in (min, max)))


def _best_biases(f, s):
    """The ends of {b : the sum over the box of max alpha (s - b sigma) + b z is least}."""
    kinks, slope = [], f.levels.fractions()[0]
    for x, g, low, high in zip(s, *(v.fractions() for v in (f.sigma, f.lower, f.upper)), strict=True):
        slope -= max(g * low, g * high)
        if g and low < high:
            kinks.append((x / g, abs(g) * (high - low)))
    first = -inf if slope >= 0 else None
    for kink, step in sorted(kinks):
        slope += step  # right of the kink
        if slope >= 0 and first is None:
            first = kink
        if slope > 0:
            return first, kink
    return first, inf


def _feasible(f, near):
    """A point of Q close to ``near``; None if Q is empty."""
    near = np.zeros(len(f.rows)) if near is None else np.nan_to_num(near)
    start = clipped(f, [Fraction(a) for a in near.ravel().tolist()])
    return onto_planes(f, start) if f.n_planes else start


def _solution(f, start):
    """A maximum of D, from a point of Q; None if D has none."""
    # lam times the dual, in units that make G a matrix of integers
    kappa = ints([float(k) for k in f.kappa]).times(ints(float(f.lam)))
    gram = [[dot_rows(a, b) for b in f.rows] for a in f.rows]
    exponent = min(2 * f.rows_exponent, kappa.exponent)
    shift, ridge = 2 * f.rows_exponent - exponent, kappa.at(exponent)
    G = [[(v << shift) + (ridge[i] if i == j else 0) for j, v in enumerate(row)] for i, row in enumerate(gram)]
    q = [c * f.lam / power(exponent) for c in f.c.fractions()]
    sides = (x.fractions() for x in (f.lower, f.upper, f.sigma))
    return minimise(G, q, *sides, f.groups, start)


def dot_rows(a, b):
    a, b = (a, b) if len(a) <= len(b) else (b, a)
    return sum(v * b[j] for j, v in a.items() if j in b)
