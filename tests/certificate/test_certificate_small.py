"""Certificates of tiny problems in rational arithmetic: they are true, and no looser than rounding makes them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pragam
from exact_judge import exact_dual, exact_optimum, exact_primal
from polytopes.strategies import quarters
from posed import posed
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane
from problem_strategies import problems, problems_on_planes

#: How much of the size of its terms a certified value may lose to rounding. 1e-15 is what float64 has.
LOST = Fraction(2) ** -44


def sizes(problem, w, alpha, biases):
    """The sizes of the terms of J and of D, as real numbers."""
    Q, B, lam, kappa = problem.Q, problem.B, Fraction(problem.lam), Fraction(problem.g.curvature)
    A = np.array([problem.A.rmatvec(e) for e in np.eye(Q.size)])  # of small dyadic numbers, hence exact
    rest_weights = np.zeros(problem.n_weights) if problem.rest.weights is None else problem.rest.weights
    rest_levels = np.zeros(problem.n_biases) if problem.rest.levels is None else problem.rest.levels
    bounds = np.maximum(np.abs(Q.lower), np.abs(Q.upper)) if isinstance(Q, Box) else np.repeat(Q.totals, Q.K)
    origin = np.zeros(Q.size) if problem.origin is None else problem.origin
    moved = [product(s, biases[g]) if problem.n_biases else 0 for s, g in zip(B.sigma, B.group, strict=True)]
    rows = [sum(map(product, row, w)) + shift for row, shift in zip(A, moved, strict=True)]
    primal = lam * sum(map(product, w, w)) + kappa * sum(map(product, bounds, bounds))
    primal += sum(map(product, rest_levels, biases)) + sum(map(product, rest_weights, w))
    primal += sum(map(product, bounds, rows)) + sum(map(product, bounds, problem.c)) + sum(map(product, origin, rows))
    reach = [abs(Fraction(a)) + abs(Fraction(o)) for a, o in zip(alpha, origin, strict=True)]
    columns = [sum(map(product, column, reach)) for column in A.T]
    dual = sum(map(product, problem.c, alpha)) + kappa * sum(map(product, alpha, alpha))
    value, fixed = abs(Fraction(problem.rest.value)), sum(abs(Fraction(x)) for x in rest_weights)
    return primal + value, dual + value + (sum(columns) + fixed) ** 2 / lam


def product(a, b):
    return abs(Fraction(a) * Fraction(b))


@settings(max_examples=300)
@given(st.one_of(problems(), problems_on_planes()), st.one_of(st.none(), quarters))
def test_a_certificate_is_true_and_tight(posed, bias):
    problem, alpha, w = posed
    biases = None if bias is None or not problem.n_biases else np.linspace(bias, -bias, problem.n_biases)
    proof = pragam.certify(problem, w, alpha, biases)
    primal, dual, best = exact_primal(problem, w, proof.biases), exact_dual(problem, alpha), exact_optimum(problem)
    assert proof.rigorous and proof.exact
    assert proof.dual <= dual <= best <= primal <= proof.primal
    largest = sizes(problem, w, alpha, proof.biases)
    tiny = Fraction(2) ** -1000
    assert Fraction(proof.primal) - primal <= LOST * largest[0] + tiny
    if proof.dual == -np.inf:  # the exact one is below all floats, or next to the least
        assert dual - LOST * largest[1] <= -Fraction(np.finfo(np.float64).max)
    else:
        assert dual - Fraction(proof.dual) <= LOST * largest[1] + tiny


@settings(max_examples=100)
@given(st.one_of(problems(), problems_on_planes()))
def test_without_a_bias_given_none_is_better(posed):
    """The certified bias is a minimum of J over b: no other one is better by more than rounding."""
    problem, alpha, w = posed
    best = pragam.certify(problem, w, alpha)
    if not problem.n_biases:
        assert best.biases.size == 0
        return
    size = sizes(problem, w, alpha, best.biases)[0]
    b = best.biases
    for other in (b + 1, b - 1, b * 1.01, b * 0.99, 0.0 * b, b + np.arange(len(b))):
        assert exact_primal(problem, w, b) <= exact_primal(problem, w, other) + LOST * size


@pytest.mark.parametrize("solver", ["auto", "dcd", "newton", "newton-dense"])
def test_a_vertex_of_the_box_on_the_plane_is_certified(solver):
    """The optimum (0, 1) is at bounds in every row, so that no row can take what rounding might have lost."""
    Q = BoxPlane([0.0, 0.0], [1.0, 1.0], [1.0, 2.0], 2.0)
    result = pragam.solve(posed(ScaledRows(np.eye(2), np.ones(2)), np.array([-1.0, 3.0]), Q, 1.0), solver)
    assert result.converged and result.certificate.primal == pytest.approx(2.5, rel=1e-6)


#: 3 alpha_1 + 3 alpha_2 = 1: no two floats lie on that plane, so that a repaired point still has to move by a real
#: number. The third row is fixed at 1, and cancels what the first two add up to.
THIRDS = BoxPlane([0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [3.0, 3.0, 0.0], 1.0)
NEAR = THIRDS.repair(np.array([1 / 6, 1 / 6, 1.0])).point


def test_the_last_move_onto_the_plane_counts_in_the_linear_term():
    """D = alpha_1 + alpha_2 - c_3 = 1/3 - c_3, of which the floats at hand give more."""
    third = float(NEAR[0] + NEAR[1])
    off = Fraction(NEAR[0]) + Fraction(NEAR[1]) - Fraction(1, 3)
    assert off > 0
    problem = posed(ScaledRows(np.zeros((3, 1)), np.ones(3)), np.array([1.0, 1.0, -third]), THIRDS, 1.0)
    proof = pragam.certify(problem, np.zeros(1), NEAR)
    true = Fraction(1, 3) - Fraction(third)
    assert true - 4 * off <= Fraction(proof.dual) <= true <= Fraction(proof.primal)


def test_the_last_move_onto_the_plane_counts_in_the_weights():
    """A' alpha = alpha_1 + alpha_2 - a_3 is 0 for the floats at hand, and not for the point on the plane."""
    third = float(NEAR[0] + NEAR[1])
    A = ScaledRows(np.array([[1.0], [1.0], [-third]]), np.ones(3))
    problem = posed(A, np.zeros(3), THIRDS, 2.0**-100)
    true = -((Fraction(1, 3) - Fraction(third)) ** 2) * 2**99
    proof = pragam.certify(problem, np.zeros(1), NEAR)
    assert 4 * true <= Fraction(proof.dual) <= true <= Fraction(proof.primal)
