"""A point of Q moved onto the planes B' alpha = levels, in integers: what rounding left off them is made good."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from pragam.certificate.exact.form import Form
from pragam.certificate.exact.numbers import Numbers, common, plus
from pragam.certificate.exact.sets import Box, Pairs, Simplices, clipped

#: Chains of moves: one for each pair of columns is the rule.
_CHAINS = 1000


def repaired(form: Form, alpha: Numbers) -> Numbers:
    """A feasible point next to alpha, checked to be one. ValueError if none is found."""
    point = form.Q.near(alpha)
    if any(excess(form, point)):
        point = _walked(form, form.Q, point) if isinstance(form.Q, Box) else _chained(form, form.Q, point)
    if any(excess(form, point)) or any(plus(point, form.Q.near(point), -1).values):
        raise ValueError("alpha cannot be moved onto the planes of the biases")
    return point


def excess(form: Form, point: Numbers) -> list[Fraction]:
    """B' alpha - levels, for every plane."""
    found = [-level for level in form.levels.fractions()]
    sums = [0] * len(found)
    for plane, sigma, a in zip(form.plane, form.sigma.values, point.values, strict=True):
        if plane >= 0:
            sums[plane] += sigma * a
    unit = form.sigma.unit * point.unit
    return [f + s * unit for f, s in zip(found, sums, strict=True)]


def _walked(form: Form, Q: Box, point: Numbers) -> Numbers:
    """Of a box: the rows farthest from both their bounds move first. The sigma of a row is 1 or -1."""
    signs = form.sigma.values
    assert form.sigma.unit == 1, "the signs are whole numbers"
    unit = common(point.unit, Q.lower.unit, Q.upper.unit, form.levels.unit)
    values, low, high = list(point.at(unit)), Q.lower.at(unit), Q.upper.at(unit)
    left = [(e / unit).numerator for e in excess(form, point)]
    for j in sorted(range(len(values)), key=lambda j: _outside(values[j], low[j], high[j])):
        plane = form.plane[j]
        if plane >= 0 and left[plane]:
            moved = clipped(values[j] - signs[j] * left[plane], low[j], high[j])
            left[plane] += signs[j] * (moved - values[j])
            values[j] = moved
            if not any(left):
                break
    return Numbers(values, unit)


def _outside(x: int, low: int | None, high: int | None) -> Any:
    """How far x is beyond the nearer of its bounds: negative inside."""
    ends = ([] if low is None else [low - x]) + ([] if high is None else [x - high])
    return max(ends, default=-inf)


def _chained(form: Form, Q: Simplices | Pairs, point: Numbers) -> Numbers:
    """Of simplices and pairs, whose moves take from one column and give to another: along chains of columns."""
    unit = common(point.unit, form.levels.unit, Q.totals.unit)
    values = list(point.at(unit))
    for _ in range(_CHAINS):
        point = Numbers(values, unit)
        left = [(e / unit).numerator for e in excess(form, point)]
        chain = _chain(Q, point, left) if any(left) else []
        if not chain:
            break
        step = min(left[chain[0][0]], -left[chain[-1][1]], *(amount for _, _, amount, _ in chain))
        for _, _, _, signs in chain:
            for j, sign in signs.items():
                values[j] += sign * step
    return Numbers(values, unit)


def _chain(Q: Simplices | Pairs, point: Numbers, left: list[int]) -> list[tuple[int, int, int, dict[int, int]]]:
    """The shortest chain of moves from a column with too much to one with too little: (from, to, amount, signs)."""
    chains: list[tuple[int, list[Any]]] = [(k, []) for k, e in enumerate(left) if e > 0]
    seen = {k for k, _ in chains}
    for k, chain in chains:  # which grows meanwhile
        if left[k] < 0:
            return chain
        for l in range(len(left)):
            if l not in seen:
                amount, signs = max(Q.moves(point, k, l), key=lambda move: move[0], default=(0, {}))
                if amount > 0:
                    seen.add(l)
                    chains.append((l, [*chain, (k, l, amount, signs)]))
    return []
