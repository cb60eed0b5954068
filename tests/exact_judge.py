r"""J, D and min J of a stored Problem as rational numbers: the judge of every certificate.

J and D are the package's own rational ones, on the problem's form. Values are Fractions, or the floats inf and -inf
where J has no finite value or no dual point is feasible.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from exact_form import form
from exact_lifted import knows_optimum, lift, off_planes, onto_planes
from pragam.certificate.exact.numbers import Numbers, common, numbers, of_fractions
from pragam.certificate.exact.planes import repaired
from pragam.certificate.exact.sets import Simplices
from rational_qp import minimise


def exact_primal(problem, w, biases=()):
    """J at these weights and biases; inf where an unbounded side makes it so."""
    f, b = form(problem), numbers(biases)
    assert len(b.values) == len(f.levels.values), f"this problem has {len(f.levels.values)} biases"
    try:
        return f.primal(numbers(w), b)
    except ArithmeticError:
        return inf


def exact_dual(problem, alpha):
    """The best D found near alpha: the nearest points of Q, moved onto the planes. None if that fails.

    A second hint where to look is alpha as the certificate repairs it: D of any feasible point is a true bound.
    """
    alpha = np.asarray(alpha, dtype=np.float64).ravel()
    f = form(problem)
    if not np.isfinite(alpha).all():
        return None
    hints = [alpha] if not f.levels.values else [alpha, _repaired(problem, alpha)]
    points = [moved for hint in hints for point in _near(f, numbers(hint)) if (moved := _feasible_near(f, point))]
    return max((f.dual(point) for point in points), default=None)


def _near(f, point):
    """Points of Q next to this one: of simplices also the rows times total / sum."""
    points = [f.Q.near(point)]
    if isinstance(f.Q, Simplices):
        scaled = []
        for total, block in zip(f.Q.totals.fractions(), f.Q.blocks(point.fractions()), strict=True):
            row = [max(a, Fraction(0)) for a in block]
            scaled += [a * total / sum(row) for a in row] if any(row) else [total] + [Fraction(0)] * (len(row) - 1)
        points.append(of_fractions(scaled))
    return points


def _feasible_near(f, point):
    """A point of Q moved onto the planes; None if that fails."""
    if not knows_optimum(f):
        try:
            return repaired(f, point)
        except ValueError:
            return None
    program, start = lift(f), point.fractions()
    if not f.levels.values:
        return point
    moved = best_moves(f, program, start) or onto_planes(program, start)
    return None if moved is None else of_fractions(moved)


def _repaired(problem, alpha):
    try:
        return problem.domain.repair(alpha).point
    except ValueError:  # it is too far outside
        return alpha


def rows_of(f):
    """The rows of A as {column: integer}, repeated entries summed, and their unit."""
    chunks = [([({}, *row) for row in chunk.rows], chunk.unit) for chunk in f.X.chunks()]
    unit = common(Fraction(1), *(unit for _, unit in chunks))
    rows = []
    for found, own in chunks:
        times = (own / unit).numerator
        for row, columns, values in found:
            for j, value in zip(columns, values, strict=True):
                row[j] = row.get(j, 0) + value * times
            rows.append(row)
    places = zip(f.row, f.output, f.scale.values, strict=True)
    return [{k * f.X.d + j: v * s for j, v in rows[i].items() if v} for i, k, s in places], unit * f.scale.unit


def best_moves(f, program, point):
    """The point with one row of each plane that it is off moved onto it, the best for D; None if one has no room.

    D(alpha + t e_j) = D + t (c_j - kappa_j alpha_j - <a_j, u>/lam) - t^2/2 (kappa_j + |a_j|^2/lam),
    u = A' (alpha - origin) + weights of the rest.
    """
    point, c, kappa = list(point), f.c.fractions(), f.kappa.fractions()
    rows, unit = rows_of(f)
    for plane, excess in enumerate(off_planes(program, point)):
        if not excess:
            continue
        u = f.image(of_fractions(point))
        best = None
        for j, row in enumerate(rows):
            if program.groups[j] != plane:
                continue
            t = -excess / program.sigma[j]
            target, low, high = point[j] + t, program.lower[j], program.upper[j]
            if (low is not None and target < low) or (high is not None and target > high):
                continue
            product = sum(v * u.values[k] for k, v in row.items()) * unit * u.unit
            slope = c[j] - kappa[j] * point[j] - product / f.lam
            curvature = kappa[j] + sum(v * v for v in row.values()) * unit**2 / f.lam
            gain = t * slope - t * t / 2 * curvature
            best = (gain, j, target) if best is None or gain > best[0] else best
        if best is None:
            return None
        point[best[1]] = best[2]
    return point


def exact_optimum(problem, near=None):
    """min J = max D by the rational active-set method; -inf if nothing is feasible, inf if J is infinite everywhere.

    ``near`` is an alpha close to the optimum: it shortens the way there and cannot change the answer.
    """
    f = form(problem)
    program = lift(f)
    start = _start(f, program, near)
    if start is None:
        return -inf
    point = _solution(f, program, start)
    return inf if point is None else f.dual(of_fractions(point))


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
    program = lift(f)
    alpha = _solution(f, program, _start(f, program, None))
    w = [-v / f.lam for v in f.image(of_fractions(alpha)).fractions()]
    rows, unit = rows_of(f)
    s = [c + sum(v * w[j] for j, v in row.items()) * unit for c, row in zip(f.c.fractions(), rows, strict=True)]
    if not f.levels.values:
        return Optimum(alpha, w, s, s)
    ends = [
        [x if g == 0 else g * b if abs(b) == inf else x + b * g for x, g in zip(s, program.sigma, strict=True)]
        for b in _best_biases(program, s, 0)
    ]
    return Optimum(alpha, w, *([side(x) for x in zip(*ends, strict=True)] for side in (min, max)))


def exact_biases(problem):
    """(w*, the ends of all best b_k for each plane k) of a box on planes that share no row; smooth, or bounded."""
    f = form(problem)
    program = lift(f)
    alpha = _solution(f, program, _start(f, program, None))
    w = [-v / f.lam for v in f.image(of_fractions(alpha)).fractions()]
    rows, unit = rows_of(f)
    s = [c + sum(v * w[j] for j, v in row.items()) * unit for c, row in zip(f.c.fractions(), rows, strict=True)]
    planes = range(len(f.levels.values))
    if any(f.kappa.values):
        return w, [_smooth_biases(f, program, s, alpha, plane) for plane in planes]
    return w, [_best_biases(program, s, plane) for plane in planes]


def _smooth_biases(f, program, s, alpha, plane):
    """kappa_i alpha_i = s_i + b sigma_i strictly inside the box; at a bound, b is on one side of that."""
    low, high = -inf, inf
    columns = s, program.sigma, program.groups, alpha, program.lower, program.upper, f.kappa.fractions()
    for x, g, group, a, least, most, kappa in zip(*columns, strict=True):
        if group != plane or not g or least == most:
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


def _start(f, program, near):
    """A feasible point of the program, close to ``near`` where its variables are the dual ones; None if none exists."""
    is_plain = all(len(at) == 1 for at in program.places)
    near = np.zeros(len(f.row)) if near is None else np.nan_to_num(near)
    start = f.Q.near(numbers(near)).fractions() if is_plain else list(program.lower)
    return onto_planes(program, start) if program.levels else start


def _solution(f, program, start):
    """A maximum of D, from a feasible point of the program; None if D has none."""
    # lam times the dual, in a unit that makes G a matrix of integers
    own, unit = rows_of(f)
    rows = [_added([own[j] for j in at]) for at in program.places]
    kappa = Numbers(f.kappa.values, f.kappa.unit * f.lam)
    finer = common(unit**2, kappa.unit)
    times, ridge = (unit**2 / finer).numerator, kappa.at(finer)
    pairs = list(zip(rows, program.places, strict=True))
    G = [[dot_rows(a, b) * times + sum(ridge[i] for i in set(x) & set(y)) for b, y in pairs] for a, x in pairs]
    slopes = _slopes(f, rows, unit, program.places)
    point = minimise(G, [q / finer for q in slopes], *program[1:5], start)
    return point if point is None else _marginals(program.places, point, len(f.row))


def _slopes(f, rows, unit, places):
    """lam times the slope of D at alpha = 0: lam c - A (A' (0 - origin) + weights of the rest)."""
    c, still = f.c.fractions(), f.image(Numbers([0] * len(f.row), Fraction(1)))
    slopes = [f.lam * sum((c[j] for j in at), Fraction(0)) for at in places]
    if not any(still.values):
        return slopes
    products = [sum(v * still.values[k] for k, v in row.items()) * unit * still.unit for row in rows]
    return [s - p for s, p in zip(slopes, products, strict=True)]


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
