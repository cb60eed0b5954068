r"""Where a row is at every optimum of the problem that never saw it, from the pair of all rows.

Problem:    J(w, b) = lam/2 |w|^2 + sum_j h_j(s_j), s_j = 1 - y_j (<x_j, w> + b),
            h_j(s) = max over alpha in [0, u_j] of alpha s - kappa_j alpha^2 / 2, and J_i = J - h_i(s_i): hinges,
            squared and smoothed ones, with a bias and without.
Algorithm:  None: optima of both problems, solved to 1e-13, judge what the pair of all rows says.
Guarantee:  (1) No margin below 1 rises: y_i (<x_i, w'> + b') <= y_i (<x_i, w> + b) for any optima (w, b) of J and
            (w', b') of J_i, if the second is below 1 and u_i > 0. (2) With alpha' = alpha - alpha_i e_i + delta on the
            plane and q = A'(alpha' - alpha),
                J_i(w, b) - D_i(alpha') = J(w, b) - D(alpha) - h_i(s_i(w, b)) + alpha_i s_i(v, b)
                                          - kappa_i alpha_i^2 / 2 + |q|^2 / (2 lam)
                                          - sum_j delta_j (s_j(v, b) - kappa_j alpha_j - kappa_j delta_j / 2).
            (3) So the score of row i at every optimum of J_i lies in the interval of ``Span``.
Source:     docs/leave-one-out.md. The span, |q| of the best delta: Vapnik and Chapelle 2000. Leaving out by bounds:
            Okumura, Suzuki and Takeuchi 2015, arXiv:1504.02870.
Tight:      (2) is an equality. (1) is one where the row is beyond the reach of all others.
Corrected:  Nothing. The statements are not in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.certificate import certify
from pragam.certificate.left_out import MarginProblem, Span, has_margins, without_row
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.risks import hinge, smoothed_hinge, squared_hinge

REFERENCE = "docs/leave-one-out.md; Vapnik and Chapelle 2000; Okumura, Suzuki and Takeuchi 2015"


def check() -> Iterator[Check]:
    solved = [(problem, solve(problem, tol=1e-14)) for problem in _problems()]
    yield worst_case(
        "leave_one_out_span.removal",
        "No margin below 1 rises when its row is left out: margins after and before.",
        (sides for problem, whole in solved for sides in _margins(problem, whole)),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "leave_one_out_span.gap",
        "The gap of the moved pair is that of all rows and what each term says.",
        (_gaps(problem, whole, i) for problem, whole in solved for i in range(0, problem.Q.size, 5)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "leave_one_out_span.scores",
        "Scores of rows left out are inside their intervals: distances from the middle, in halves of the width.",
        (sides for problem, whole in solved for sides in _scores(problem, whole)),
        "<=",
        1e-9,
        REFERENCE,
    )


def _problems() -> Iterator[MarginProblem]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 4))
    y = np.where(X[:, 0] + rng.standard_normal(40) > 0, 1, -1)
    for bias in (False, True):
        for lam in (0.1, 0.003):
            for problem in (
                hinge(X, y, lam, bias),
                squared_hinge(X, y, lam, bias),
                smoothed_hinge(X, y, lam, 0.3, bias),
            ):
                assert has_margins(problem)
                yield problem


def _left_out(problem: MarginProblem) -> Iterator[tuple[int, Result]]:
    """Some rows, and the solutions without them."""
    for i in range(0, problem.Q.size, 5):
        yield i, solve(without_row(problem, i), tol=1e-13)


def _margin(problem: MarginProblem, result: Result, i: int) -> float:
    return float(1 - (problem.scores(result.w) + problem.B.matvec(result.biases))[i])


def _margins(problem: MarginProblem, whole: Result) -> Iterator[tuple[float, float]]:
    """(after, before) of the rows below their kink."""
    for i, result in _left_out(problem):
        before = _margin(problem, whole, i)
        if before < 1 - 1e-4:
            yield _margin(problem, result, i), before


def _gaps(problem: MarginProblem, whole: Result, i: int) -> tuple[float, float]:
    """Both sides of (2), of pairs away from the optimum."""
    rng = np.random.default_rng(i)
    own, w, b = without_row(problem, i), 1.1 * whole.w, 0.9 * whole.biases
    alpha = problem.domain.project(0.9 * whole.alpha + 0.1 * problem.domain.sample(rng))
    moved = own.domain.project(Span(problem, w, alpha, certify(problem, w, alpha, b)).without(i))
    v, delta = problem.w_of_alpha(alpha), moved - alpha
    t = problem.scores(v) + problem.B.matvec(b)
    kappa, q = np.broadcast_to(problem.g.curvature, t.shape), problem.A.rmatvec(delta)
    delta[i] = 0.0
    lost = problem.risk(w, b) - own.risk(w, b)
    right = problem.primal(w, b) - problem.dual(alpha) - lost + alpha[i] * t[i] - 0.5 * kappa[i] * alpha[i] ** 2
    right += float(-delta @ (t - kappa * alpha - 0.5 * kappa * delta) + q @ q / (2 * problem.lam))
    return own.primal(w, b) - own.dual(moved), right


def _scores(problem: MarginProblem, whole: Result) -> Iterator[tuple[float, float]]:
    """(|score - middle| / half the width, 1) of rows left out, from a pair away from the optimum."""
    rng = np.random.default_rng(0)
    w, alpha = 1.001 * whole.w, problem.domain.project(0.999 * whole.alpha + 0.001 * problem.domain.sample(rng))
    span = Span(problem, w, alpha, certify(problem, w, alpha))
    for i, result in _left_out(problem):
        (low, high), sign = span.bounds(np.array([i]))[0], -problem.A.scale[i]
        if np.isfinite(high - low):
            score = float(sign * _margin(problem, result, i))
            yield abs(score - 0.5 * (low + high)) / (0.5 * (high - low)), 1.0
