"""The smoothed primal of the excessive gap technique."""

from __future__ import annotations

from pragam.paper.theory._trace import Iterate
from pragam.problem import Problem


def excessive_gap(problem: Problem, iterate: Iterate) -> float:
    r"""J_mu(w) - D(alpha), relative to the larger of the two, at pragam's mu and prox centre,

    with J_mu(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c> - mu/2 |alpha - centre|^2, for g = 0.
    """
    w, mu, centre = iterate.w, iterate.state.mu, iterate.state.centre
    scores = problem.A.matvec(w) + problem.c
    alpha = problem.prox(scores + mu * centre, mu)
    shift = alpha - centre
    smoothed = problem.constant + 0.5 * problem.lam * float(w @ w) + float(problem.tilt @ w)
    smoothed += float(scores @ alpha) - 0.5 * mu * float(shift @ shift)
    dual = iterate.certificate.dual
    return (smoothed - dual) / max(abs(smoothed), abs(dual))
