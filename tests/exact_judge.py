r"""J, D and min J of a stored Problem as rational numbers: the judge of every certificate.

exact_form has the two objectives. Sums over the entries of A run over integers; fractions appear once per sum. Values
are Fractions, or the floats inf and -inf where J has no finite value or no dual point is feasible.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, lcm
from typing import NamedTuple

import numpy as np

from exact_form import form
from exact_numbers import Ints, align, dot, ints, power
from exact_sets import BoxSet, Lifted, onto_columns
from rational_qp import minimise


def exact_primal(problem, w, biases=()):
    """J at these weights and biases; inf where an unbounded side makes it so."""
    f = form(problem)
    w, b = ints(w), ints(biases) if np.size(biases) else Ints([], 0)
    assert len(b.values) == f.n_planes, f"this problem has {f.n_planes} biases"
    product = Ints([dot(row, w.values) for row in f.rows], f.rows_exponent + w.exponent)
    moved = [s * b.values[g] if g >= 0 else 0 for s, g in zip(f.sigma.values, f.groups, strict=True)]
    plain = _sum(product, Ints(moved, f.sigma.exponent + b.exponent))
    risk = f.Q.support(_sum(plain, f.c), f.kappa)
    if risk == inf:
        return inf
    fixed = _dot(f.rest_weights, w) + _dot(f.rest_levels, b) - _dot(f.origin, plain)
    return f.rest_value + f.lam * _dot(w, w) / 2 + fixed + risk


def _sum(x, y):
    a, b, exponent = align(x, y)
    return Ints([p + q for p, q in zip(a, b, strict=True)], exponent)


def _dot(x, y):
    return Fraction(sum(p * q for p, q in zip(x.values, y.values, strict=True))) * power(x.exponent + y.exponent)


def exact_dual(problem, alpha):
    """The best D found near alpha: the nearest points of Q, moved onto the planes. None if that fails.

    A second hint where to look is alpha as the certificate repairs it: D of any feasible point is a true bound.
    """
    alpha = np.asarray(alpha, dtype=np.float64).ravel()
    f = form(problem)
    if not np.isfinite(alpha).all():
        return None
    hints = [alpha] if f.n_planes == 0 else [alpha, _repaired(problem, alpha)]
    points = [point for hint in hints for point in f.Q.near([Fraction(a) for a in hint.tolist()])]
    if f.n_planes:
        points = [moved for point in points if (moved := _onto_planes(f, point)) is not None]
    return max((dual_value(f, point) for point in points), default=None)


def _onto_planes(f, point):
    """A point of Q moved onto the planes; None if that fails."""
    if not knows_optimum(f):
        columns = lambda x: [a + b for a, b in zip(off_planes(planes, x), planes.levels, strict=True)]  # noqa: E731
        planes = Lifted([], [], [], f.sigma.fractions(), f.groups, f.planes())
        return onto_columns(f.Q, point, planes.levels, columns)
    program = _program(f)
    return best_moves(f, program, point) or onto_planes(program, point)


def knows_optimum(f):
    """Whether every dual variable lies on one plane at the most, as the exact optimum needs it."""
    return f.n_planes == 0 or isinstance(f.Q, BoxSet)


def _repaired(problem, alpha):
    try:
        return problem.domain.repair(alpha).point
    except ValueError:  # it is too far outside
        return alpha


def dual_value(f, point):
    """D at a feasible point of Fractions."""
    moved, denominator = _common([a - o for a, o in zip(point, f.origin.fractions(), strict=True)])
    unit = power(f.rows_exponent) / denominator
    fixed = f.rest_weights.fractions() if any(f.rest_weights.values) else None
    u = _adjoint(f, moved)
    square = (
        sum(v * v for v in u) * unit**2
        if fixed is None
        else sum((v * unit + r) ** 2 for v, r in zip(u, fixed, strict=True))
    )
    scaled, denominator = _common(point)
    linear = Fraction(sum(c * a for c, a in zip(f.c.values, scaled, strict=True))) * power(f.c.exponent) / denominator
    smooth = Fraction(sum(k * a * a for k, a in zip(f.kappa, scaled, strict=True)), 2 * denominator**2)
    return f.rest_value + linear - smooth - square / (2 * f.lam)


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


def off_planes(program, point):
    """sum sigma_i alpha_i - level, for every plane."""
    excess = [-level for level in program.levels]
    for group, s, a in zip(program.groups, program.sigma, point, strict=True):
        if group >= 0:
            excess[group] += s * a
    return excess


def best_moves(f, program, point):
    """The point with one row of each plane that it is off moved onto it, the best for D; None if one has no room.

    D(alpha + t e_j) = D + t (c_j - kappa_j alpha_j - <a_j, u>/lam) - t^2/2 (kappa_j + |a_j|^2/lam),
    u = A' (alpha - origin) + weights.
    """
    point, c = list(point), f.c.fractions()
    for plane, excess in enumerate(off_planes(program, point)):
        if not excess:
            continue
        scaled, denominator = _common([a - o for a, o in zip(point, f.origin.fractions(), strict=True)])
        unit, fixed = power(f.rows_exponent), f.rest_weights.fractions()
        u = [v * unit / denominator + r for v, r in zip(_adjoint(f, scaled), fixed, strict=True)]
        best = None
        for j, row in enumerate(f.rows):
            if program.groups[j] != plane:
                continue
            t = -excess / program.sigma[j]
            target, low, high = point[j] + t, program.lower[j], program.upper[j]
            if (low is not None and target < low) or (high is not None and target > high):
                continue
            slope = c[j] - f.kappa[j] * point[j] - sum(v * u[k] for k, v in row.items()) * unit / f.lam
            curvature = f.kappa[j] + sum(v * v for v in row.values()) * unit**2 / f.lam
            gain = t * slope - t * t / 2 * curvature
            best = (gain, j, target) if best is None or gain > best[0] else best
        if best is None:
            return None
        point[best[1]] = best[2]
    return point


def onto_planes(program, point):
    """A point of the box moved onto the planes, the rows with most room first; None if the planes are out of reach."""
    point, excess = list(point), off_planes(program, point)
    low, high, sigma, groups = program.lower, program.upper, program.sigma, program.groups

    def room(j):
        end = low[j] if (sigma[j] > 0) == (excess[groups[j]] > 0) else high[j]
        return inf if end is None else abs(sigma[j] * (end - point[j]))

    movable = [j for j, group in enumerate(groups) if group >= 0]
    for j in sorted(movable, key=room, reverse=True):
        e = excess[groups[j]]
        step = min(abs(e), room(j)) if e else 0
        if step:
            signed = step if e > 0 else -step
            point[j] -= signed / sigma[j]
            excess[groups[j]] -= signed
    return None if any(excess) else point


def exact_optimum(problem, near=None):
    """min J = max D by the rational active-set method; -inf if nothing is feasible, inf if J is infinite everywhere.

    ``near`` is an alpha close to the optimum: it shortens the way there and cannot change the answer.
    """
    f = form(problem)
    program = _program(f)
    start = _feasible(f, program, near)
    if start is None:
        return -inf
    point = _solution(f, program, start)
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
    program = _program(f)
    alpha = _solution(f, program, _feasible(f, program, None))
    moved, denominator = _common([a - o for a, o in zip(alpha, f.origin.fractions(), strict=True)])
    unit, fixed = power(f.rows_exponent) / denominator, f.rest_weights.fractions()
    w = [-(v * unit + r) / f.lam for v, r in zip(_adjoint(f, moved), fixed, strict=True)]
    step = power(f.rows_exponent)
    s = [c + sum(v * w[j] for j, v in row.items()) * step for c, row in zip(f.c.fractions(), f.rows, strict=True)]
    if not f.n_planes:
        return Optimum(alpha, w, s, s)
    ends = [
        [x if g == 0 else g * b if abs(b) == inf else x + b * g for x, g in zip(s, program.sigma, strict=True)]
        for b in _best_biases(program, s, 0)
    ]
    return Optimum(alpha, w, *([side(x) for x in zip(*ends, strict=True)] for side in (min, max)))


def exact_biases(problem):
    """(w*, the ends of all best b_k for each plane k) of a box on planes that share no row; smooth, or bounded."""
    f = form(problem)
    program = _program(f)
    alpha = _solution(f, program, _feasible(f, program, None))
    moved, denominator = _common(alpha)
    unit, step = power(f.rows_exponent) / denominator, power(f.rows_exponent)
    w = [-v * unit / f.lam for v in _adjoint(f, moved)]
    s = [c + sum(v * w[j] for j, v in row.items()) * step for c, row in zip(f.c.fractions(), f.rows, strict=True)]
    if any(f.kappa):
        return w, [_smooth_biases(f, program, s, alpha)]
    return w, [_best_biases(program, s, plane) for plane in range(f.n_planes)]


def _smooth_biases(f, program, s, alpha):
    """kappa_i alpha_i = s_i + b sigma_i strictly inside the box; at a bound, b is on one side of that."""
    low, high = -inf, inf
    for x, g, a, least, most, kappa in zip(s, program.sigma, alpha, program.lower, program.upper, f.kappa, strict=True):
        if not g or least == most:
            continue
        kink = (kappa * a - x) / g
        if a != least and (most is None or a != most):
            return kink, kink
        if (a == least) == (g > 0):  # s + b sigma <= kappa l, or >= kappa u
            high = min(high, kink)
        else:
            low = max(low, kink)
    return low, high


def _best_biases(program, s, plane):
    """The ends of {b : the sum over the rows on the plane of max alpha (s + b sigma) - b level is least}."""
    kinks, slope = [], -program.levels[plane]
    for x, g, low, high, group in zip(s, program.sigma, program.lower, program.upper, program.groups, strict=True):
        if group != plane:
            continue
        slope += min(g * low, g * high)
        if g and low < high:
            kinks.append((-x / g, abs(g) * (high - low)))
    first = -inf if slope >= 0 else None
    for kink, step in sorted(kinks):
        slope += step  # right of the kink
        if slope >= 0 and first is None:
            first = kink
        if slope > 0:
            return first, kink
    return first, inf


def _program(f):
    return f.Q.lift(f.sigma.fractions(), f.groups, f.planes())


def _feasible(f, program, near):
    """A feasible point of the program, close to ``near`` where its variables are the dual ones; None if none exists."""
    is_plain = all(len(at) == 1 for at in program.places)
    near = np.zeros(len(f.rows)) if near is None else np.nan_to_num(near)
    start = f.Q.near([Fraction(a) for a in near.ravel().tolist()])[0] if is_plain else list(program.lower)
    return onto_planes(program, start) if program.levels else start


def _solution(f, program, start):
    """A maximum of D, from a feasible point of the program; None if D has none."""
    # lam times the dual, in units that make G a matrix of integers
    rows = [_added([f.rows[j] for j in at]) for at in program.places]
    kappa = ints([float(k) for k in f.kappa]).times(ints(float(f.lam)))
    exponent = min(2 * f.rows_exponent, kappa.exponent)
    shift, ridge = 2 * f.rows_exponent - exponent, kappa.at(exponent)
    pairs = list(zip(rows, program.places, strict=True))
    G = [[(dot_rows(a, b) << shift) + sum(ridge[i] for i in set(x) & set(y)) for b, y in pairs] for a, x in pairs]
    point = minimise(G, [q / power(exponent) for q in _slopes(f, rows, program.places)], *program[1:5], start)
    return point if point is None else _marginals(program.places, point, len(f.rows))


def _slopes(f, rows, places):
    """lam times the slope of D at alpha = 0: lam c + A (A' origin - weights)."""
    c, step = f.c.fractions(), power(f.rows_exponent)
    origin, denominator = _common(f.origin.fractions())
    still = [v * step / denominator - r for v, r in zip(_adjoint(f, origin), f.rest_weights.fractions(), strict=True)]
    slopes = [f.lam * sum((c[j] for j in at), Fraction(0)) for at in places]
    if not any(still):
        return slopes
    return [s + sum(v * still[k] for k, v in row.items()) * step for s, row in zip(slopes, rows, strict=True)]


def _added(rows):
    out = {}
    for row in rows:
        for j, value in row.items():
            out[j] = out.get(j, 0) + value
    return out


def _marginals(places, values, m):
    """alpha of the lifted variables."""
    alpha = [Fraction(0)] * m
    for at, value in zip(places, values, strict=True):
        for j in at:
            alpha[j] += value
    return alpha


def dot_rows(a, b):
    a, b = (a, b) if len(a) <= len(b) else (b, a)
    return sum(v * b[j] for j, v in a.items() if j in b)
