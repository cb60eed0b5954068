"""Rational arithmetic judges the bounds of an audit: each end of each interval, on small and hostile problems."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from audited import RECORDS, overlapping, targets

import pragam
from exact_judge import exact_optimum, exact_primal, exact_solution
from pragam.auditing import audit_model
from pragam.auditing.claim import claim_of
from pragam.auditing.predictions import compared, optimum_scores
from pragam.auditing.schemes import OneVsOne
from pragam.certificate.exact import judge
from pragam.certificate.floor import primal_floor
from pragam.models import LinearModel
from pragam.risks import Hinge
from pragam.samples import Rows

CASES = [
    {"loss": loss, "penalised": penalised, "multi_class": scheme, "n_classes": n_classes}
    for loss in ("hinge", "squared_hinge")
    for penalised in (False, True)
    for scheme, n_classes in (("ovr", 2), ("ovr", 3), ("ovo", 3))
] + [
    {"loss": "hinge", "penalised": penalised, "multi_class": "crammer_singer", "n_classes": n_classes}
    for penalised in (False, True)
    for n_classes in (2, 3)
]
#: The judge knows no optimum of simplices on planes.
JUDGED = [case for case in CASES if case["penalised"] or case["multi_class"] != "crammer_singer"]


def weights_of(case, d, seed, scale=1.0, lam=0.03):
    """Random weights that fit the case: nobody trained them."""
    rng = np.random.default_rng(seed)
    n_classes = case["n_classes"]
    outputs = 1 if n_classes == 2 else n_classes
    coef, intercept = rng.standard_normal((outputs, d)) / scale, rng.standard_normal(outputs) / scale
    settings = {key: value for key, value in case.items() if key != "n_classes"}
    return pragam.Weights(
        coef=coef, intercept=intercept, lam=lam * scale**2, **settings, intercept_scaling=0.25 * scale
    )


@pytest.mark.parametrize("case", JUDGED, ids=lambda case: "-".join(map(str, case.values())))
@pytest.mark.parametrize("seed", range(3))
def test_every_end_is_true(case, seed):
    X, y, weights = overlapping(n=12, d=3, n_classes=case["n_classes"], seed=seed)
    audit = pragam.audit(weights_of(case, 3, seed), X, y, weights)
    points = claim_of(weights_of(case, 3, seed), X, y, weights).model.points()
    values, least = [], []
    for point, verdict, problem in zip(points, audit.verdicts, audit.problems, strict=True):
        value, optimum = exact_primal(problem, *point), exact_optimum(problem)
        assert Fraction(verdict.objective.lower) <= value <= Fraction(verdict.objective.upper)
        assert Fraction(verdict.optimum.lower) <= optimum <= Fraction(verdict.optimum.upper)
        assert Fraction(verdict.above.lower) <= value - optimum <= Fraction(verdict.above.upper)
        values.append(value)
        least.append(optimum)
    excess = sum(values) - sum(least)
    assert Fraction(audit.above.lower) <= excess <= Fraction(audit.above.upper)
    assert Fraction(audit.relative.lower) <= excess / sum(least) <= Fraction(audit.relative.upper)
    assert audit.relative.upper - audit.relative.lower <= 1e-6 * (1 + audit.relative.upper)


@pytest.mark.parametrize(("risk", "kind"), RECORDS, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("seed", range(2))
def test_every_end_is_true_of_every_risk_of_rows(risk, kind, seed):
    """Judged without the problems themselves: from the record's plain statement, by the judge that stands alone.

    min J lies between the exact D and J of a solve, which is all that is used of it.
    """
    X, y, weights = overlapping(n=15, d=3, n_classes=2 if kind == "two" else 3, seed=seed)
    y = targets(kind, X, y, seed)
    samples, rng = Rows.of(X, y, weights), np.random.default_rng(seed)
    labels = risk.learn(samples)
    sizes = LinearModel.sizes(risk, labels)
    coef, intercept = rng.standard_normal((sizes["rows"], 3)), rng.standard_normal(sizes["outputs"])
    model = LinearModel.of_weights(risk, labels, coef, intercept, given={"weights": weights})
    audit = audit_model(model, samples, tol=1e-6)
    excess = [Fraction(0), Fraction(0)]
    stated = risk.stated(samples, labels)
    for own, problem, point, verdict in zip(stated, audit.problems, model.points(), audit.verdicts, strict=True):
        best = pragam.solve(problem, tol=1e-8)
        value = judge(own.risk, X, own.y, *point, best.alpha, own.weights).primal
        near = judge(own.risk, X, own.y, best.w, best.biases, best.alpha, own.weights)
        assert Fraction(verdict.objective.lower) <= value <= Fraction(verdict.objective.upper)
        assert Fraction(verdict.optimum.lower) <= near.primal and near.dual <= Fraction(verdict.optimum.upper)
        assert Fraction(verdict.above.lower) <= value - near.dual
        assert value - near.primal <= Fraction(verdict.above.upper)
        assert verdict.objective.upper - verdict.objective.lower <= 1e-12 * verdict.objective.upper
        excess = [excess[0] + value - near.primal, excess[1] + value - near.dual]
    assert Fraction(audit.above.lower) <= excess[1] and excess[0] <= Fraction(audit.above.upper)
    assert audit.total.rigorous and audit.relative.upper - audit.relative.lower <= 1e-6 * (1 + audit.relative.upper)


@pytest.mark.parametrize("scale", [1e-120, 1e-9, 1.0, 1e9, 1e120])
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_the_floor_is_true_and_tight_at_any_scale(scale, case):
    X, y, weights = overlapping(n=20, d=4, n_classes=case["n_classes"])
    claim = claim_of(weights_of(case, 4, 0, scale), scale * X, y, weights)
    for problem, point in zip(claim.model.pose(claim.samples), claim.model.points(), strict=True):
        floor, value = primal_floor(problem, *point), exact_primal(problem, *point)
        assert value * (1 - Fraction(1e-13)) <= Fraction(floor) <= value


def test_the_floor_is_true_where_scores_cancel():
    """Rows whose products are 1e16 times their sums: plain products have no digit right."""
    rng = np.random.default_rng(0)
    big = rng.standard_normal((10, 3)) * 1e16
    X, y = np.hstack([big, -big, rng.standard_normal((10, 2))]), np.arange(10) % 2
    w = np.concatenate([np.ones(6), rng.standard_normal(2)])
    problem = pragam.hinge(X, y, lam=0.1)
    floor, value = primal_floor(problem, w, np.array([0.3])), exact_primal(problem, w, [0.3])
    assert value * (1 - Fraction(1e-6)) <= Fraction(floor) <= value
    assert value <= Fraction(pragam.certify(problem, w, bias=0.3).primal)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_decides_as_is_proven(seed):
    """Its exact scores are in their intervals, so no count of agreements can be wrong."""
    X, y, weights = overlapping(n=14, d=3, seed=seed)
    samples, said = Rows.of(X, y, weights), np.random.default_rng(seed).standard_normal((len(y), 1))
    model = LinearModel.of_weights(Hinge(lam=0.05, bias=False), np.array([0, 1]), np.zeros((1, 3)), np.zeros(1))
    (problem,) = model.pose(samples)
    low, high = optimum_scores(model, samples, [(problem, pragam.solve(problem, tol=1e-3, max_iter=2))])
    w = exact_solution(problem).w
    exact = [sum(Fraction(x) * v for x, v in zip(row.tolist(), w, strict=True)) for row in X]
    ends = zip(low[:, 0], high[:, 0], exact, strict=True)
    assert all(Fraction(least) <= value <= Fraction(most) for least, most, value in ends)
    counts = compared(model, said, low, high)
    same = sum(bool(value > 0) == bool(score > 0) for value, (score,) in zip(exact, said, strict=True))
    assert counts.agree <= same and counts.differ <= len(y) - same and sum(counts) == len(y)


def test_votes_are_counted_as_libsvm_does():
    """Three classes, pairs (0, 1), (0, 2), (1, 2), in a circle: a vote each, and the first class wins."""
    model = LinearModel.of_weights(OneVsOne(), np.arange(3), np.zeros((3, 1)), np.zeros(3))
    circle, for_the_last = np.array([[1.0, -1.0, 1.0]]), np.array([[1.0, -1.0, -1.0]])
    assert compared(model, circle, circle, circle) == (1, 0, 0)
    assert compared(model, circle, circle - [0, 0, 2], circle) == (0, 0, 1)  # the last pair is open
    assert compared(model, for_the_last, circle, np.array([[1.0, 1.0, 1.0]])) == (0, 1, 0)  # the second pair is open
