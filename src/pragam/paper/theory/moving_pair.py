r"""Between two lambdas a pair (w, alpha) can be moved for nothing, and what it leaves of the gap is below a parabola.

Problem:    J_lam(w, b) = lam/2 |w|^2 + R(w, b), R = max over alpha in Q of <alpha, A w + B b + c> - g(alpha), for every
            lam between lam_2 < lam_1: hinges with and without a bias, weighted, squared and smoothed ones, quantiles.
Algorithm:  None: optima at lams between, solved to 1e-13, judge pairs at both ends that are solved to 1e-3 or 1e-8.
Guarantee:  With tau = 1/lam, let w and b be linear in tau and alpha linear in lam between two pairs. Then alpha is
            feasible, v = w(alpha) and c = (w + v)/2 are linear in tau, and for every optimum (w*, b*) at lam
                |w* - c|^2 <= r^2 = tau gap - |w - v|^2 / 4 = |c|^2 + tau (R - <c, alpha> + g(alpha)).
            With t = (tau - tau_1)/(tau_2 - tau_1),
                r^2 <= (1 - t) r_1^2 + t r_2^2 + t (1 - t) bend,
                bend = (tau_2 - tau_1)(R_1 - R_2) - |c_1 - c_2|^2 - tau_1/2 sum_j kappa_j (alpha_1j - alpha_2j)^2.
            So the scores of all rows, at every lam between, lie in the intervals of ``Cell``.
Source:     docs/certificates.md. Segments of the path on which the pair is exact: Hastie, Rosset, Tibshirani and Zhu
            2004. Bounds of validation errors between solved lambdas, from one pair that stays where it is: Shibagaki,
            Suzuki, Karasuyama and Takeuchi 2015, arXiv 1502.02344; Ndiaye et al. 2019, arXiv 1810.05471.
Tight:      Yes: equality at every t where R is linear between the two ends and g is quadratic or 0.
Corrected:  Nothing. The statement is not in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pragam.certificate.moving import Cell, Moving, Pair
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, weighted_hinges
from pragam.problem import Problem
from pragam.risks import hinge, quantile, smoothed_hinge, squared_hinge

REFERENCE = "docs/certificates.md; Hastie, Rosset, Tibshirani and Zhu 2004; Shibagaki et al. 2015"


def check() -> Iterator[Check]:
    ranges = [_range(*case) for case in _cases()]
    yield worst_case(
        "moving_pair.parabola",
        "tau gap - |w - v|^2/4 of the moved pair, less the parabola, is at most 0, in units of |c|^2.",
        ((square - most, 0.0) for found in ranges for square, most in _parabolas(found)),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "moving_pair.tight",
        "Both are equal where no loss has a kink between the two ends, in units of |c|^2.",
        (sides for seed in range(3) for sides in _without_kinks(seed)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "moving_pair.optimum",
        "|w* - c|^2 at the optimum of any lam between is at most r^2 of the cell, in its units.",
        (sides for found in ranges for sides in _distances(found)),
        "<=",
        1e-9,
        REFERENCE,
    )
    for name in ("ends", "finer"):
        yield worst_case(
            f"moving_pair.{name}",
            "Scores of optima of any lam between are inside the intervals of the cell: distances from the middle, in "
            "halves of the width.",
            (sides for found in ranges for sides in _scores(found, name)),
            "<=",
            1e-9,
            REFERENCE,
        )


class Range(NamedTuple):
    """Pairs at both ends, the cell between them, and (lam, optimum) at lams between."""

    problem: Problem
    other: Problem
    results: tuple[Result, Result]
    pairs: tuple[Pair, Pair]
    cell: Cell
    optima: list[tuple[float, Result]]


def _cases() -> Iterator[tuple[Problem, float, float]]:
    """(problem, lam_2 / lam_1, the gap of its pairs)."""
    for bias in (False, True):
        for k, problem in enumerate(hinges(bias, (1e-2,))):
            yield problem, (0.5, 0.9)[k % 2], (1e-3, 1e-8)[k // 2 % 2]
    for problem in weighted_hinges((1e-2,)):
        yield problem, 0.8, 1e-8
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 4))
    y = X[:, 0] + rng.standard_normal(60)
    for bias in (False, True):
        for build in (squared_hinge, smoothed_hinge):
            yield build(X, np.where(y > 0, 1, -1), 0.01, bias=bias), 0.7, 1e-8
        yield quantile(X, y, 0.01, 0.3, bias=bias), 0.7, 1e-3


def _range(problem: Problem, ratio: float, tol: float) -> Range:
    other, moving = problem.at(ratio * problem.lam), Moving(problem, problem.A.storage)
    one, two = (solve(at, tol=tol) for at in (problem, other))
    first, last = (
        moving.pair(at, found.w, found.alpha, found.certificate) for at, found in ((problem, one), (other, two))
    )
    lams = [other.lam, other.lam * ratio**-0.6, problem.lam]
    optima = [(lam, solve(problem.at(lam), tol=1e-13)) for lam in lams]
    return Range(problem, other, (one, two), (first, last), moving.cell(first, last), optima)


def _parabolas(found: Range) -> Iterator[tuple[float, float]]:
    one, two = ((each.w, each.biases, each.alpha) for each in found.results)
    for t in (0.0, 0.1, 0.5, 0.8, 1.0):
        yield _sides(found.problem, one, two, found.other.lam, t)


def _sides(
    problem: Problem, one: tuple[Vector, ...], two: tuple[Vector, ...], last: float, t: float
) -> tuple[float, float]:
    """(r^2 at t, the parabola), in units of the largest |c|^2, of which both are a difference."""
    first, kappa = problem.lam, np.broadcast_to(problem.g.curvature, problem.Q.size)
    tau = (1 - t) / first + t / last
    phi = (first - 1 / tau) / (first - last)
    at = [_left(problem.at(lam), *pair) for lam, pair in ((first, one), (last, two))]
    w, b = ((1 - t) * p + t * q for p, q in zip(one[:2], two[:2], strict=True))
    square, centre, _ = _left(problem.at(1 / tau), w, b, (1 - phi) * one[2] + phi * two[2])
    (r1, c1, R1), (r2, c2, R2) = at
    curved = 0.5 / first * float(kappa @ (one[2] - two[2]) ** 2)
    bend = (1 / last - 1 / first) * (R1 - R2) - float((c1 - c2) @ (c1 - c2)) - curved
    size = max(float(c @ c) for c in (c1, c2, centre))
    return square / size, ((1 - t) * r1 + t * r2 + t * (1 - t) * bend) / size


def _left(problem: Problem, w: Vector, b: Vector, alpha: Vector) -> tuple[float, Vector, float]:
    """(tau gap - |w - v|^2/4, c, R) of a pair."""
    v = problem.w_of_alpha(alpha)
    gap = problem.primal(w, b) - problem.dual(alpha)
    return float(gap / problem.lam - 0.25 * (w - v) @ (w - v)), 0.5 * (w + v), float(problem.risk(w, b))


def _without_kinks(seed: int) -> Iterator[tuple[float, float]]:
    """lam is so large that all margins are violated at both ends."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 3)), np.where(rng.random(20) < 0.5, 1, -1)
    problem = hinge(X, y, 100.0, bias=False)
    one, two = ((0.01 * rng.standard_normal(3), np.empty(0), problem.Q.upper * rng.random(20)) for _ in range(2))
    for t in (0.0, 0.3, 0.5, 1.0):
        yield _sides(problem, one, two, 40.0, t)


def _distances(found: Range) -> Iterator[tuple[float, float]]:
    first, last = found.pairs
    for lam, best in found.optima:
        t = (1 / lam - 1 / first.lam) / (1 / last.lam - 1 / first.lam)
        far = best.w - (1 - t) * first.centre - t * last.centre
        yield float(np.linalg.norm(far) / found.cell.radius), 1.0


def _scores(found: Range, name: str) -> Iterator[tuple[float, float]]:
    X, ends = found.problem.A.storage, found.cell.ends()
    ends = ends if name == "ends" else found.cell.finer(np.arange(len(ends)), ends)
    half = 0.5 * np.ptp(ends, axis=1)
    for _, best in found.optima:
        scores = X.matvec(best.w) + (best.biases[0] if found.problem.n_biases else 0.0)
        far = np.abs(scores - ends.mean(axis=1)) - 1e-6 * (1 + np.abs(scores))  # of an optimum known to 1e-13
        for share in np.divide(far, half, out=np.zeros_like(far), where=half > 0):
            yield float(share), 1.0
