r"""At every optimum the rows whose alpha is strictly inside its box have scores next to their kinks.

Problem:    J(w, b) = lam/2 |w|^2 + sum_j max over alpha in [l_j, u_j] of alpha s_j - kappa_j alpha^2 / 2,
            s = A w + B b + c: hinges with and without a bias, dense and sparse, weighted, squared and smoothed ones.
Algorithm:  None: optima, solved to 1e-14, judge pairs (w, alpha) that were moved away from them.
Guarantee:  With v = w(alpha), c = (w + v)/2, any m_j from 0 to min(alpha_j - l_j, u_j - alpha_j) and any optimum
            (w*, b*) with scores s*,
                lam |w* - c|^2 + sum_j m_j |s_j* - kappa_j alpha_j| <= gap - lam/4 |w - v|^2 + sum_j kappa_j m_j^2 / 2.
            So the scores of all rows lie in the intervals of ``Region``: by the sphere and the mean of the kinks, and
            by any combination of kinks.
Source:     docs/certificates.md. The sphere without the losses: Ndiaye, Fercoq, Gramfort and Salmon 2017, with half of
            its r^2 by the dual's own curvature. The losses are gaps of Fenchel and Young, alpha_j -+ m_j put into them.
Tight:      Yes: equality where every alpha_j is half-way and no score changes its sign between w and w*.
Corrected:  Nothing. The statement is not in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.certificate import certify
from pragam.certificate.region import region
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, weighted_hinges
from pragam.problem import Problem
from pragam.risks import hinge, smoothed_hinge, squared_hinge

REFERENCE = "docs/certificates.md; Ndiaye, Fercoq, Gramfort and Salmon 2017"


def check() -> Iterator[Check]:
    solved = [(problem, solve(problem, tol=1e-14)) for problem in _problems()]
    pairs = [(problem, best, pair) for problem, best in solved for pair in _moved(problem, best)]
    yield worst_case(
        "kink_inequality.optimum",
        "lam |w* - c|^2 + sum m_j |s_j* - kappa_j alpha_j| - sum kappa_j m_j^2 / 2 is at most gap - lam/4 |w - v|^2, "
        "in units of the gap.",
        (_sides(problem, best, *pair) for problem, best, pair in pairs),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "kink_inequality.tight",
        "Both sides are equal where every alpha_j is half-way and every margin is violated, in units of the gap.",
        (_half_way(seed) for seed in range(5)),
        "==",
        1e-9,
        REFERENCE,
    )
    for name, how in (("anchors", "the sphere and the means of kinks"), ("combinations", "combinations of kinks")):
        yield worst_case(
            f"kink_inequality.{name}",
            f"Scores of optima are inside the intervals by {how}: distances from the middle, in halves of the width.",
            (found for problem, best, pair in pairs for found in _scores(problem, best, *pair, name)),
            "<=",
            1e-9,
            REFERENCE,
        )


def _problems() -> Iterator[Problem]:
    for bias in (False, True):
        yield from hinges(bias, (1e-1, 1e-3))
    yield from weighted_hinges()
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 4))
    y = np.where(X[:, 0] + rng.standard_normal(60) > 0, 1, -1)
    for bias in (False, True):
        yield squared_hinge(X, y, 0.01, bias=bias)
        yield smoothed_hinge(X, y, 0.01, gamma=0.3, bias=bias)


def _moved(problem: Problem, best: Result) -> Iterator[tuple[Vector, Vector, Vector]]:
    """(w, alpha, biases), ever nearer to the optimum."""
    rng = np.random.default_rng(0)
    for t in (0.3, 1e-2, 1e-3):
        w = best.w + t * np.linalg.norm(best.w) / len(best.w) ** 0.5 * rng.standard_normal(len(best.w))
        alpha = problem.domain.project((1 - t) * best.alpha + t * problem.domain.sample(rng))
        yield w, alpha, best.biases + t * rng.standard_normal(len(best.biases))


def _sides(problem: Problem, best: Result, w: Vector, alpha: Vector, biases: Vector) -> tuple[float, float]:
    """Both sides of the inequality, in units of the gap; of an optimum that is known to some 1e-14 of J."""
    v = problem.w_of_alpha(alpha)
    gap = problem.primal(w, biases) - problem.dual(alpha)
    kappa = np.broadcast_to(problem.g.curvature, alpha.shape)
    m = np.maximum(np.minimum(alpha - problem.Q.lower, problem.Q.upper - alpha), 0.0)
    m = np.where(kappa > 0, np.minimum(m, np.sqrt(gap / len(m)) / np.sqrt(np.where(kappa > 0, kappa, 1.0))), m)
    scores = problem.scores(best.w) + problem.B.matvec(best.biases)
    far = best.w - 0.5 * (w + v)
    left = problem.lam * far @ far + m @ np.abs(scores - kappa * alpha) - 0.5 * kappa @ m**2
    right = gap - 0.25 * problem.lam * (w - v) @ (w - v)
    return float(left / gap), float(right / gap)


def _half_way(seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 3)), np.where(rng.random(20) < 0.5, 1, -1)
    problem = hinge(X, y, 100.0, bias=False)  # so w is small, and all rows cost something
    best = solve(problem, tol=1e-14)
    return _sides(problem, best, best.w * 1.5, 0.5 * problem.Q.upper, np.empty(0))


def _scores(
    problem: Problem, best: Result, w: Vector, alpha: Vector, biases: Vector, name: str
) -> Iterator[tuple[float, float]]:
    """(|score - middle| / half the width, 1) of all rows of X."""
    X = problem.A.storage
    place = region(problem, w, alpha, certify(problem, w, alpha, biases))
    ends = place.decisions(X) if name == "anchors" else place.combined(X)
    if ends is None or not np.isfinite(ends).all():
        return
    scores = X.matvec(best.w) + (best.biases[0] if problem.n_biases else 0.0)
    half = 0.5 * np.ptp(ends[:, 0], axis=1)
    for far in np.abs(scores - ends[:, 0].mean(axis=1)) / half:
        yield float(far), 1.0
