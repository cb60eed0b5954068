r"""Q as a box whose variables lie on at most one plane each, as rational_qp needs it, and points moved onto the planes.

alpha is the sum, over the lifted variables, of their value at each of their ``places``.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import NamedTuple

from pragam.certificate.exact.sets import Box, Simplices


class Lifted(NamedTuple):
    """Bounds (None: infinite) and planes of variables of which each adds to the dual variables ``places``."""

    places: list
    lower: list
    upper: list
    sigma: list
    groups: list
    levels: list


def knows_optimum(f):
    """Whether every dual variable lies on one plane at the most, as the exact optimum needs it."""
    return not f.levels.values or isinstance(f.Q, Box)


def lift(f):
    """Of a box: itself, on the model's planes. Every simplex is a plane, so there is no room for those of biases."""
    assert knows_optimum(f), "the judge knows no optimum of simplices or pairs on planes"
    if isinstance(f.Q, Box):
        places = [(j,) for j in range(len(f.row))]
        return Lifted(places, f.Q.lower.fractions(), f.Q.upper.fractions(), f.sigma.fractions(), f.plane,
                      f.levels.fractions())  # fmt: skip
    return _simplices(f.Q) if isinstance(f.Q, Simplices) else _pairs(f.Q)


def _simplices(Q):
    totals = Q.totals.fractions()
    m = len(totals) * Q.K
    each = [i // Q.K for i in range(m)]
    upper = [totals[i] for i in each]
    return Lifted([(j,) for j in range(m)], [Fraction(0)] * m, upper, [Fraction(1)] * m, each, totals)


def _pairs(Q):
    """A mass for every pair of an example, and one for none: a simplex of that total."""
    places, upper, each = [], [], []
    for i, (total, wrong) in enumerate(zip(Q.totals.fractions(), Q.wrong, strict=True)):
        K = len(wrong)
        pairs = [(i * K + a, i * K + c) for a in range(K) for c in range(K) if wrong[a] and not wrong[c]]
        places += [(), *pairs]
        upper += [total] * (1 + len(pairs))
        each += [i] * (1 + len(pairs))
    m = len(places)
    return Lifted(places, [Fraction(0)] * m, upper, [Fraction(1)] * m, each, Q.totals.fractions())


def off_planes(program, point):
    """sum sigma_i alpha_i - level, for every plane."""
    excess = [-level for level in program.levels]
    for group, s, a in zip(program.groups, program.sigma, point, strict=True):
        if group >= 0:
            excess[group] += s * a
    return excess


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
