"""Projection, support function and repair, judged in rational arithmetic on small sets that hypothesis shrinks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pragam.numerics.rounding import U
from pragam.polytopes import Box, BoxPlane, Pairs, Simplices, project_box_plane

from .strategies import (
    blocks_of,
    boxes,
    exact,
    exact_dot,
    exact_smooth_support,
    exact_support,
    exponents,
    pairs,
    quarters,
    sides_of,
    simplices,
    vectors,
)

SETS = st.one_of(boxes(), simplices(), pairs())
#: A result may be off by this many roundings of the largest number that it was computed from.
ROUNDINGS = Fraction(64 * U)


def largest(*vectors_):
    return Fraction(max(float(np.abs(x).max(initial=0.0)) for x in vectors_))


def size_of(Q):
    return largest(Q.lower, Q.upper) if isinstance(Q, Box) else largest(Q.totals)


def off_planes(Q, alpha):
    """<sigma, alpha> - z, or of every simplex its sum minus its total, or of pairs what their sums are off."""
    alpha = exact(alpha)
    if isinstance(Q, Simplices):
        return [sum(block) - total for block, total in zip(blocks_of(Q, alpha), exact(Q.totals), strict=True)]
    if isinstance(Q, Pairs):
        sums = [map(sum, sides_of(wrong, row)) for wrong, row in zip(Q.wrong, blocks_of(Q, alpha), strict=True)]
        return [
            off for (p, q), t in zip(sums, exact(Q.totals), strict=True) for off in (p - q, max(p - t, Fraction(0)))
        ]
    return [exact_dot(exact(Q.sigma), alpha) - Fraction(Q.z)] if isinstance(Q, BoxPlane) else []


def in_bounds(Q, alpha):
    if not isinstance(Q, Box):
        return all(a >= 0 for a in alpha)
    return all(low <= a <= high for low, a, high in zip(exact(Q.lower), alpha, exact(Q.upper), strict=True))


@settings(max_examples=200)
@given(SETS)
def test_a_projection_is_a_member_and_no_member_lies_beyond_it(drawn):
    """The variational inequality for all members at once: max over a in Q of <v - p, a> is <v - p, p>."""
    Q, member, v = drawn
    p = Q.project(v)
    assert in_bounds(Q, exact(p))
    weight = largest(Q.sigma) if isinstance(Q, BoxPlane) else 1
    assert all(abs(e) <= ROUNDINGS * weight * size_of(Q) * Q.size for e in off_planes(Q, p))
    step = [a - b for a, b in zip(exact(v), exact(p), strict=True)]
    rounding = ROUNDINGS * Q.size**2 * largest(v, p, member) * (largest(p) + size_of(Q))
    assert exact_support(Q, step) - exact_dot(step, exact(p)) <= rounding


@settings(max_examples=200)
@given(SETS)
def test_a_member_is_its_own_projection(drawn):
    Q, member, v = drawn
    near = ROUNDINGS * Q.size * size_of(Q)
    assert largest(Q.project(member) - member) <= near
    p = Q.project(v)
    assert largest(Q.project(p) - p) <= near


@settings(max_examples=200)
@given(boxes(plane=True), st.data())
def test_the_methods_of_projection_agree_in_any_metric(drawn, data):
    Q, _, v = drawn
    d = data.draw(vectors(Q.size, st.sampled_from([1.0, 2.0, 0.5, 8.0])))
    answers = [
        project_box_plane(v, Q.lower, Q.upper, Q.sigma, Q.z, d, method=method)
        for method in ("newton", "median", "sort")
    ]
    start = data.draw(quarters) * 2.0 ** data.draw(exponents)
    answers.append(project_box_plane(v, Q.lower, Q.upper, Q.sigma, Q.z, d, start=start))
    for other in answers[1:]:
        assert largest(other - answers[0]) <= ROUNDINGS * Q.size * size_of(Q)


@settings(max_examples=200)
@given(SETS, st.data())
def test_the_support_function_is_the_largest_product_with_a_member(drawn, data):
    Q, member, s = drawn
    true = exact_support(Q, exact(s))
    size = Q.size * largest(s) * size_of(Q)
    value = Q.support(s)
    level = abs(Fraction(Q.multiplier(s)) * Fraction(Q.z)) if isinstance(Q, BoxPlane) else 0
    assert abs(Fraction(value) - true) <= ROUNDINGS * (size + 2 * level)
    assert exact_dot(exact(member), exact(s)) <= true
    vertex = Q.maximise_linear(s)
    assert in_bounds(Q, exact(vertex))
    assert abs(exact_dot(exact(vertex), exact(s)) - true) <= ROUNDINGS * size
    weight = largest(Q.sigma) if isinstance(Q, BoxPlane) else 1
    assert all(abs(e) <= ROUNDINGS * weight * size_of(Q) * Q.size for e in off_planes(Q, vertex))


@settings(max_examples=200)
@given(SETS, st.sampled_from([0.0, 0.5, 2.0]), st.integers(0, 3), st.data())
def test_a_support_bound_is_one_for_all_scores_that_near_and_tight(drawn, kappa, room, data):
    """Without room and curvature it is the support function but for rounding."""
    Q, member, s = drawn
    s = s * data.draw(st.sampled_from([1.0, 0.1]))  # one that rounds
    slack = np.full(Q.size, room / 4 * float(np.abs(s).max()))
    value, rounding = Q.support_bound(s, slack, kappa)
    signs = data.draw(vectors(Q.size, st.sampled_from([1, -1, 0])))
    for t in (exact(s), [Fraction(x) + Fraction(r) * int(k) for x, r, k in zip(s, slack, signs, strict=True)]):
        points = [member] if kappa else [member, Q.maximise_linear(np.array(t, dtype=float))]
        for a in map(exact, points):
            if not any(off_planes(Q, a)):
                assert exact_dot(a, t) - Fraction(kappa) / 2 * exact_dot(a, a) <= Fraction(value)
        if not kappa:
            assert exact_support(Q, t) <= Fraction(value)
        elif not isinstance(Q, Box):
            assert exact_smooth_support(Q, t, Fraction(kappa)) <= Fraction(value)
    if kappa == room == 0:
        level = abs(Fraction(Q.multiplier(s)) * Fraction(Q.z)) if isinstance(Q, BoxPlane) else 0
        excess = Fraction(value) - exact_support(Q, exact(s))
        assert excess <= ROUNDINGS * (Q.size * largest(s) * size_of(Q) + 2 * level) + Fraction(2) ** -1000
        assert rounding >= 0


@settings(max_examples=200)
@given(boxes(), st.data())
def test_a_repaired_point_is_exactly_feasible(drawn, data):
    """A point off by up to 4 units of 2^-40 or of 2^-52 of the box's size; a real move of one row makes it exact."""
    Q, member, _ = drawn
    assume((Q.lower < Q.upper).any())
    off = data.draw(vectors(Q.size, st.integers(-4, 4))) * float(size_of(Q)) * data.draw(st.sampled_from([2.0**-40, U]))
    point, rows, slack, feasible, _ = Q.repair(member + off)
    assert in_bounds(Q, exact(point))
    if not isinstance(Q, BoxPlane):
        assert feasible and not rows.size
        assert largest(point - member) <= largest(off) * (1 + Fraction(4 * U)) + Fraction(U) * size_of(Q)
        return
    (residual,) = off_planes(Q, point)
    if not feasible:  # only next to a vertex of the box, where no row can move both ways
        room = np.where(Q.sigma == 0, 0.0, np.minimum(point - Q.lower, Q.upper - point))
        assert largest(room) <= ROUNDINGS * Q.size * size_of(Q)
        return
    assert len(rows) <= 1 and (rows.size or residual == 0)
    if rows.size:
        (j,), real = rows.tolist(), exact(point)
        move = -residual / Fraction(Q.sigma[j])
        real[j] += move
        assert abs(move) <= Fraction(slack[0]) and in_bounds(Q, real)
    # Nothing is moved farther than the largest entry of sigma asks for, relative to the least.
    used = np.abs(Q.sigma[Q.sigma != 0])
    ratio = Fraction(float(used.max() / used.min())) if used.size else 1
    assert largest(point - member) <= 4 * Q.size * ratio * (largest(off) + Fraction(8 * U) * size_of(Q))


@settings(max_examples=200)
@given(simplices(), st.data())
def test_repaired_simplices_are_exactly_feasible(drawn, data):
    Q, member, _ = drawn
    off = data.draw(vectors(Q.size, st.integers(-4, 4))) * np.repeat(Q.totals, Q.K) * 2.0**-40
    point, rows, slack, feasible, _ = Q.repair(member + off)
    allowed = np.zeros(Q.size)
    allowed[rows] = slack
    assert feasible and min(exact(point)) >= 0
    for i, mass in enumerate(exact(Q.totals)):
        block = slice(i * Q.K, (i + 1) * Q.K)
        near, room = exact(point[block]), exact(allowed[block])
        real = [a * mass / sum(near) if mass else a for a in near]
        assert sum(real) == mass
        assert all(abs(a - b) <= r for a, b, r in zip(real, near, room, strict=True))
        assert max(room) <= ROUNDINGS * mass
    assert largest(point - member) <= 2 * Q.K * (largest(off) + Fraction(8 * U) * size_of(Q))


@settings(max_examples=200)
@given(pairs(), st.data())
def test_repaired_pairs_are_exactly_feasible(drawn, data):
    """Both sides of every row, times real factors, have the same sum of at most the total."""
    Q, member, _ = drawn
    off = data.draw(vectors(Q.size, st.integers(-4, 4))) * np.repeat(Q.totals, Q.K) * 2.0**-40
    point, rows, slack, feasible, _ = Q.repair(member + off)
    allowed = np.zeros(Q.size)
    allowed[rows] = slack
    assert feasible and min(exact(point)) >= 0
    given = zip(Q.wrong, exact(Q.totals), blocks_of(Q, exact(point)), blocks_of(Q, exact(allowed)), strict=True)
    for wrong, total, near, room in given:
        least, most = Fraction(0), total  # the masses that both sides can be scaled to
        for side, moves in zip(sides_of(wrong, near), sides_of(wrong, room), strict=True):
            mass = sum(side)
            reach = min((r * mass / a for a, r in zip(side, moves, strict=True) if a), default=Fraction(0))
            least, most = max(least, mass - reach), min(most, mass + reach)
            assert all(r <= ROUNDINGS * total for r in moves)
        assert least <= most
    assert largest(point - member) <= 2 * Q.K * (largest(off) + Fraction(8 * U) * size_of(Q))


@pytest.mark.parametrize("far", [1.01e-6, 1.0])
def test_what_is_farther_outside_is_refused_and_what_is_nearer_is_not(far):
    """REPAIRABLE is 1e-6 of the set's size, on either side of a box, of a plane, of a simplex and of pairs."""
    near = 0.99e-6
    cube, plane = Box(np.zeros(2), np.ones(2)), BoxPlane(np.zeros(2), np.ones(2), np.ones(2), 1.0)
    simplex, pair = Simplices([1.0], 2), Pairs([1.0], [[True, False]])
    directions = {
        cube: [(np.array([1.0, 0.5]), np.array([1.0, 0.0])), (np.array([0.0, 0.5]), np.array([-1.0, 0.0]))],
        plane: [(np.array([0.5, 0.5]), np.array([side * 3.0, 0.0])) for side in (-1, 1)],  # its size is 2 + |z|
        simplex: [(np.array([0.5, 0.5]), np.array([side * 1.0, 0.0])) for side in (-1, 1)],
        pair: [(np.array([0.5, 0.5]), np.array([1.0, 0.0])), (np.ones(2), np.ones(2)), (np.zeros(2), -np.ones(2))],
    }
    for Q, cases in directions.items():
        for member, direction in cases:
            assert Q.repair(member + near * direction).feasible
            with pytest.raises(ValueError, match="alpha is not in Q"):
                Q.repair(member + far * direction)
