r"""A certificate holds as real numbers, every rounding error counted.

Problem:    The binary hinge on data that punish rounding: offsets of up to 1e6 deviations, columns scaled from 1e-6 to
            1e6, lam from 1e-9 to 1, with and without a bias.
Algorithm:  The default solver, to tolerances from 1e-2 to 1e-9, and a few steps of coordinate ascent.
Guarantee:  primal >= J(w, b) and dual <= D(alpha), for the floats as stored. The slack is at most a tenth of the gap
            or 2e-13 J, or the status is ROUNDING.
Source:     Higham, Accuracy and Stability of Numerical Algorithms (2002), chapters 3 and 4; docs/certificates.md.
Tight:      No, these are worst-case bounds of rounding. benchmarks/certificate_slack.py measures what they cost.
Corrected:  Nothing. The statement is not in the paper, which computes gaps in floating point and does not bound the
            rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from pragam.driver.result import Result, Status
from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.problem import Problem
from pragam.risks import hinge

REFERENCE = "Higham 2002, chapters 3 and 4"


def check() -> Iterator[Check]:
    runs = [run for seed in range(8) for run in _runs(seed)]
    yield worst_case(
        "certificate_rounding.primal",
        "primal - J(w, b) >= 0 in rational arithmetic, in units of J.",
        ((float((Fraction(r.certificate.primal) - J) / J), 0.0) for r, J, _ in runs),
        ">=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "certificate_rounding.dual",
        "D(alpha) - dual >= 0 in rational arithmetic, in units of J; without a bias, where alpha needs no repair.",
        ((float((D - Fraction(r.certificate.dual)) / J), 0.0) for r, J, D in runs if not r.biases.size),
        ">=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "certificate_rounding.slack",
        "What is due to rounding, in units of a tenth of the gap or 2e-13 of J, whichever is larger.",
        ((_slack(r), 1.0) for r, _, _ in runs if r.status is not Status.ROUNDING),
        "<=",
        0.0,
        REFERENCE,
    )


def _slack(result: Result) -> float:
    proof = result.certificate
    return proof.slack / max(0.1 * proof.gap, 2e-13 * proof.primal)


def _runs(seed: int) -> Iterator[tuple[Result, Fraction, Fraction]]:
    """Results with their exact J(w, b) and D(alpha)."""
    rng = np.random.default_rng(seed)
    n, d = 24, 4
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-6, 6, d)
    X += 10.0 ** rng.uniform(0, 6) * X.std(axis=0) * rng.integers(0, 2, d)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    lam = float(10.0 ** rng.uniform(-9, 0) * np.mean(np.sum(X * X, axis=1)))
    for bias in (False, True):
        problem = hinge(X, y, lam, bias=bias, sample_weight=rng.random(n))
        for solver, tol, max_iter in (("auto", 10.0 ** rng.uniform(-9, -2), None), ("dcd", 1e-6, 3)):
            result = solve(problem, solver, tol=tol, max_iter=max_iter, max_seconds=2)
            yield result, *_exact(problem, X, y, result)


def _exact(problem: Problem, X: np.ndarray, y: np.ndarray, result: Result) -> tuple[Fraction, Fraction]:
    """J(w, b) and D(alpha) of the hinge, in rational arithmetic."""
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    w, alpha, upper = ([Fraction(v) for v in x.tolist()] for x in (result.w, result.alpha, problem.Q.upper))
    b, lam, signs = Fraction(result.bias), Fraction(problem.lam), [int(v) for v in y]
    scores = [sum(v * t for v, t in zip(row, w, strict=True)) + b for row in rows]
    losses = (u * max(Fraction(0), 1 - s * t) for u, s, t in zip(upper, signs, scores, strict=True))
    primal = lam / 2 * sum(t * t for t in w) + sum(losses, Fraction(0))
    sums = [sum(a * s * row[j] for a, s, row in zip(alpha, signs, rows, strict=True)) for j in range(X.shape[1])]
    return primal, sum(alpha, Fraction(0)) - sum(t * t for t in sums) / (2 * lam)
