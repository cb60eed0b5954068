"""The rational judge of hinge models: by hand, and against the tests' own judge, which shares no line with it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter

import numpy as np
import pytest

import pragam
from adversarial import adversarial
from exact_judge import exact_dual, exact_optimum, exact_primal
from pragam.certificate.exact import Judge, Proof, rounded_down, rounded_up, scaled


def prove(rows, signs, upper, lam, w, b, alpha, bias=True):
    judge = Judge(signs, upper, lam, w, b, alpha, bias)
    for row in rows:
        judge.add(list(range(len(row))), scaled(row))
    return judge.proof()


def test_two_points_by_hand():
    """J = lam/2 w^2 + 1/2 ([1 - (w + b)]_+ + [1 - (w - b)]_+), D = a_1 + a_2 - (a_1 + a_2)^2/(2 lam)."""
    proof = prove([[1.0], [-1.0]], [1, -1], [0.5, 0.5], 0.5, [0.25], 0.5, [0.25, 0.25])
    assert proof == Proof(Fraction(1, 64) + Fraction(3, 4), Fraction(1, 4))
    assert proof.gap == Fraction(33, 64) and proof.relative_gap == Fraction(33, 49)


@pytest.mark.parametrize("alpha", [[0.5, 0.25], [0.25, 0.5], [7.0, 0.25], [0.25, -1.0], [-1.0, 9.0]])
def test_alpha_is_moved_into_its_set(alpha):
    proof = prove([[1.0], [-1.0]], [1, -1], [0.5, 0.5], 0.5, [0.0], 0.0, alpha)
    assert 0 <= proof.dual <= Fraction(1, 4)


def test_repeated_entries_add_up():
    judge = Judge([1], [1.0], 1.0, [0.5], 0.0, [1.0], False)
    judge.add([0, 0, 0], scaled([1e16, 1.0, -1e16]))
    assert judge.proof() == Proof(Fraction(1, 8) + Fraction(1, 2), Fraction(1, 2))


def test_a_model_without_a_bias_has_no_intercept():
    with pytest.raises(ValueError, match="must be 0"):
        Judge([1], [1.0], 1.0, [0.5], 0.25, [1.0], False)


def test_lengths_are_checked():
    with pytest.raises(ValueError, match="1 dual variables"):
        Judge([1, -1], [1.0, 1.0], 1.0, [0.5], 0.0, [1.0], True)


def test_a_bound_is_confirmed_to_the_last_bit():
    proof = Proof(Fraction(1, 3), Fraction(1, 3))
    high, low = rounded_up(proof.primal), rounded_down(proof.dual)
    assert low < Fraction(1, 3) < high == nextafter(low, inf)
    assert proof.confirms(high, low)
    assert not proof.confirms(low, low) and not proof.confirms(high, high)


@pytest.mark.parametrize("x", [Fraction(10) ** 400, Fraction(1, 10**400), Fraction(5, 2)])
def test_rounding_is_outward_beyond_the_floats(x):
    assert rounded_up(x) >= x >= rounded_down(x)
    assert rounded_up(-x) >= -x >= rounded_down(-x)


def test_it_agrees_with_the_tests_judge():
    """On hinge problems of every storage and scale; D of another repair may differ, and never exceeds the optimum."""
    compared = 0
    for seed in range(400):
        problem, text, _ = adversarial(seed)
        if not text.startswith("hinge"):
            continue
        A, Q, bias = problem.A, problem.Q, text.startswith("hinge with bias")
        rng = np.random.default_rng(seed)
        alpha = Q.project(rng.random(Q.size) * Q.upper)
        w, b = rng.standard_normal(problem.n_weights), float(rng.standard_normal()) if bias else 0.0
        signs = (-A.scale).astype(int).tolist()
        judge = Judge(signs, Q.upper.tolist(), problem.lam, w.tolist(), b, alpha.tolist(), bias)
        for columns, values in _rows(A.storage):
            judge.add(columns, scaled(values))
        proof = judge.proof()
        compared += 1
        assert proof.primal == exact_primal(problem, w, [b] if bias else [])
        if not bias:
            assert proof.dual == exact_dual(problem, alpha)
        if Q.size <= 12:
            assert proof.dual <= exact_optimum(problem) <= proof.primal
    assert compared > 100


def _rows(storage):
    kind, arrays = storage.rows()
    if kind == "dense":
        return [(list(range(len(row))), row.tolist()) for row in arrays[0]]
    data, indices, ends = arrays
    return [(indices[i:j].tolist(), data[i:j].tolist()) for i, j in pairwise(ends)]


def test_a_solve_is_proved_again():
    X, y = pragam.datasets.load_example()
    problem = pragam.hinge(X, y, lam=1e-3)
    result = pragam.solve(problem, tol=1e-9)
    proof = prove(X.tolist(), y.astype(int).tolist(), [1 / len(y)] * len(y), 1e-3, result.w.tolist(), result.bias,
                  result.alpha.tolist())  # fmt: skip
    assert proof.relative_gap <= 1e-9
    assert proof.confirms(result.certificate.primal, result.certificate.dual)
