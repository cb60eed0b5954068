r"""Would PRAGAM predict well sooner if its alpha were sparse?

The paper explains PRAGAM's late accuracy by its dual variables, none of which is zero on the way. If that is the cause,
then making them sparse should help. For every iterate k the test accuracy of three vectors is measured:

    w_k                  PRAGAM's primal iterate, the one of least J so far, as the paper does,
    w(alpha_k)           the weights of its dual iterate,
    w(S alpha_k)         the same, with every alpha_i below a tenth of the largest set to 0.

The bound 1/n is no measure of "small": PRAGAM starts at alpha = 0 and may stay far below 1/n for long.

A sequence has arrived at the iteration from which on it stays within a standard error of the optimum's accuracy. The
last two vectors differ in sparsity alone: the explanation is confirmed if the thresholded one arrives sooner.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pragam.compare.experiment import Floats
from pragam.driver.solve import solve
from pragam.paper.claims.spans import Span, sooner
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Verdict
from pragam.paper.theory._trace import trace
from pragam.risks import hinge
from pragam.solvers import Pragam

SMALL = 0.1
STEPS = 500
REFERENCE = "Section 5, Results, paragraph 4, sentence 4"


class Accuracies(NamedTuple):
    """One entry an iterate: test accuracies, and the shares of the rows with alpha > 0."""

    primal: Floats
    dual: Floats
    thresholded: Floats
    support: Floats
    thresholded_support: Floats


def verdict(X: Any, y: ArrayLike, X_test: Any, y_test: ArrayLike, lam: float, name: str, steps: int = STEPS) -> Verdict:
    """On this data set, with that many iterations of PRAGAM and one solve to 1e-6 for the optimum's accuracy."""
    problem = hinge(X, y, lam=lam, bias=False)
    p = _accuracy(X_test, np.asarray(y_test), solve(problem, tol=1e-6).w)
    target = p - THRESHOLDS.standard_errors * float(np.sqrt(p * (1 - p) / len(np.asarray(y_test))))
    return judged(measured(problem, X_test, np.asarray(y_test), steps), target, name)


def judged(accuracies: Accuracies, target: float, name: str) -> Verdict:
    spans = {kind: _arrival(getattr(accuracies, kind), target) for kind in ("primal", "dual", "thresholded")}
    middle = len(accuracies.support) // 2
    words = (
        f"Iterations until the test accuracy stays above {target:.4f}: w {spans['primal'].text('iterations')}, "
        f"w(alpha) {spans['dual'].text('iterations')}, thresholded {spans['thresholded'].text('iterations')}; "
        f"at iteration {middle} a share of {accuracies.support[middle]:.3f} of alpha is not 0, "
        f"{accuracies.thresholded_support[middle]:.3f} after thresholding."
    )
    sentence = "PRAGAM's dual iterate predicts well sooner if its small entries are set to 0."
    return Verdict(sentence, REFERENCE, name, sooner(spans["thresholded"], spans["dual"]), words)


def measured(problem: Any, X_test: Any, y_test: Floats, steps: int) -> Accuracies:
    rows = []
    best, least = 0.0, np.inf
    for it in trace(problem, Pragam(), steps):
        if it.certificate.primal < least:
            best, least = _accuracy(X_test, y_test, it.w), it.certificate.primal
        sparse_alpha = np.where(it.alpha < SMALL * it.alpha.max(), 0.0, it.alpha)
        weights = [problem.w_of_alpha(alpha) for alpha in (it.alpha, sparse_alpha)]
        supports = [float((alpha > 0).mean()) for alpha in (it.alpha, sparse_alpha)]
        rows.append([best, *(_accuracy(X_test, y_test, w) for w in weights), *supports])
    return Accuracies(*np.array(rows).T)


def _accuracy(X: Any, y: Floats, w: Floats) -> float:
    return float((np.where(X @ w > 0, 1.0, -1.0) == y).mean())


def _arrival(accuracy: Floats, target: float) -> Span:
    below = np.flatnonzero(accuracy < target)
    index = int(below[-1]) + 1 if len(below) else 0
    return Span(index, index) if index < len(accuracy) else Span(len(accuracy) - 1, np.inf)
