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
from pragam.operators import CrammerSinger, ScaledRows
from pragam.polytopes import BoxPlane, Simplices
from problem_strategies import problems

#: How much of the size of its terms a certified value may lose to rounding. 1e-15 is what float64 has.
LOST = Fraction(2) ** -44


def entries(A):
    """A as a matrix; for differences of classes, whose roundings count where they cancel, what these are made of."""
    if isinstance(A, CrammerSinger):
        X = A.storage.matmat(np.eye(A.storage.shape[1]))
        return np.repeat(np.tile(X, A.K), A.K, axis=0)
    return np.array([A.rmatvec(e) for e in np.eye(A.shape[0])])  # of small dyadic numbers, hence exact


def sizes(problem, w, alpha, biases):
    """The sizes of the terms of J and of D, as real numbers."""
    Q, lam, kappa = problem.domain, Fraction(problem.lam), Fraction(problem.g.curvature)
    if isinstance(Q, Simplices):
        bounds, shift, level = np.repeat(Q.totals, Q.K), np.zeros(Q.size), 0
    else:
        bounds = np.maximum(np.abs(Q.lower), np.abs(Q.upper))
        b = float(biases.sum())
        shift, level = (b * Q.sigma, abs(Fraction(b) * Fraction(Q.z))) if isinstance(Q, BoxPlane) else (0 * bounds, 0)
    A = entries(problem.A)
    rows = [sum(abs(Fraction(a) * Fraction(x)) for a, x in zip(row, w, strict=True)) for row in A.tolist()]
    scores = [r + abs(Fraction(c)) + abs(Fraction(t)) for r, c, t in zip(rows, problem.c, shift, strict=True)]
    bounds, alpha = [Fraction(x) for x in bounds], [abs(Fraction(x)) for x in alpha]
    primal = lam * sum(Fraction(x) ** 2 for x in w) + level + kappa * sum(u * u for u in bounds)
    primal += sum(u * s for u, s in zip(bounds, scores, strict=True))
    columns = [sum(abs(Fraction(a)) * x for a, x in zip(column, alpha, strict=True)) for column in A.T.tolist()]
    dual = sum(abs(Fraction(c)) * x for c, x in zip(problem.c, alpha, strict=True))
    return primal, dual + kappa * sum(x * x for x in alpha) + sum(columns) ** 2 / lam


@settings(max_examples=200)
@given(problems(), st.one_of(st.none(), quarters))
def test_a_certificate_is_true_and_tight(posed, bias):
    problem, alpha, w = posed
    proof = pragam.certify(problem, w, alpha, bias if problem.n_biases else None)
    primal, dual, best = exact_primal(problem, w, proof.biases), exact_dual(problem, alpha), exact_optimum(problem)
    assert proof.rigorous and proof.exact
    assert proof.dual <= dual <= best <= primal <= proof.primal
    largest = sizes(problem, w, alpha, proof.biases)
    tiny = Fraction(2) ** -1000
    assert Fraction(proof.primal) - primal <= LOST * largest[0] + tiny
    assert dual - Fraction(proof.dual) <= LOST * largest[1] + tiny


@settings(max_examples=100)
@given(problems())
def test_without_a_bias_given_none_is_better(posed):
    """The certified bias is a minimum of J over b: no other one is better by more than rounding."""
    problem, alpha, w = posed
    best = pragam.certify(problem, w, alpha)
    if not problem.n_biases:
        assert best.biases.size == 0
        return
    size = sizes(problem, w, alpha, best.biases)[0]
    (b,) = best.biases.tolist()
    for other in (b + 1, b - 1, b * 1.01, b * 0.99, 0.0):
        assert exact_primal(problem, w, [b]) <= exact_primal(problem, w, [other]) + LOST * size


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
