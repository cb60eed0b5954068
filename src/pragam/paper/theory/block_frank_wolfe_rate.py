r"""The O(n / k) rate of block-coordinate Frank-Wolfe for the structured hinge.

Problem:    J(w) = lam/2 |w|^2 + sum_i totals_i max over labellings y of loss_i(y) + <w, psi_i(y)>: sequences, with and
            without weights. D is a quadratic over a product of n simplices, one for each example.
Algorithm:  bcfw, one visit an iteration: an example drawn uniformly at random, its loss-augmented best labelling, exact
            line search.
Guarantee:  After k visits, in expectation over the draws,

                D* - D(p_k) <= 2 n / (k + 2 n) (C + D* - D(p_0)),     C = sum_i totals_i^2 diam_i^2 / lam,

            diam_i the largest distance between psi_i of two labellings of example i. C is the sum over the blocks of
            their curvature constants. With totals_i = 1/n and |psi_i| <= R it is at most 4 R^2 / (lam n). And no
            step by exact line search makes D smaller.
Source:     Lacoste-Julien, Jaggi, Schmidt and Pletscher, Block-coordinate Frank-Wolfe optimization for structural SVMs,
            ICML 2013, Theorem 2 and Appendix A.
Tight:      Not known. The expectation is measured as the mean of 12 runs, and the worst share of the bound is reported.
Corrected:  Nothing. The solver visits the examples in random order, sweep by sweep, for which no better rate is proved;
            the theorem is about independent draws, and so is the measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np

from pragam.driver.solve import solve
from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.problem import Problem
from pragam.solvers import Bcfw
from pragam.solvers.block_ascent.bcfw import visit
from pragam.structured import chain_hinge

REFERENCE = "Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013, Theorem 2"
RUNS, VISITS = 12, 60


def check() -> Iterator[Check]:
    measured = [(problem, [_duals(problem, seed) for seed in range(RUNS)]) for problem in _sequences()]
    yield worst_case(
        "block_frank_wolfe_rate.expected",
        "After k visits the mean of D* - D is at most 2 n/(k + 2 n) (C + D* - D_0).",
        (pair for problem, runs in measured for pair in _pairs(problem, np.array(runs))),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "block_frank_wolfe_rate.monotone",
        "No visit makes D smaller: the largest loss, relative to D*, is rounding.",
        ((-min(two - one for one, two in pairwise(run)) / max(run), 0.0) for _, runs in measured for run in runs),
        "<=",
        1e-12,
        REFERENCE,
    )


def _sequences() -> Iterator[Problem]:
    rng = np.random.default_rng(40)
    lengths = np.array([2, 1, 3, 2])
    X, y = rng.standard_normal((lengths.sum(), 2)), rng.integers(2, size=lengths.sum())
    yield chain_hinge(X, y, lengths, lam=0.1)
    yield chain_hinge(X, y, lengths, lam=1.0, sample_weight=[2.0, 1.0, 0.5, 1.0])


def _duals(problem: Problem, seed: int) -> list[float]:
    """D after 0, 1, .. visits of examples drawn at random; the last one from the dual point itself."""
    rng, method = np.random.default_rng(seed), Bcfw()
    state = method.init(problem, rng, None, 0.0)
    duals = [_dual(problem, state.w, state.losses)]
    for i in rng.integers(problem.Q.structure.n, size=VISITS):
        visit(problem, state, int(i))
        duals.append(_dual(problem, state.w, state.losses))
    return [*duals[:-1], problem.dual(method.candidate(problem, state)[1])]


def _dual(problem: Problem, w: Vector, losses: Vector) -> float:
    """D from the expected losses and w(p), which the method keeps."""
    return float(problem.Q.totals @ losses) - 0.5 * problem.lam * float(w @ w)


def _pairs(problem: Problem, duals: Vector) -> Iterator[tuple[float, float]]:
    # A certified primal value is above D*, so what is measured is no smaller than the error.
    best = solve(problem, "qp-bmrm", tol=1e-10).certificate.primal
    n, curvature = problem.Q.structure.n, _curvature(problem)
    for k, dual in enumerate(duals.mean(axis=0)):
        yield best - dual, 2 * n / (k + 2 * n) * (curvature + best - float(duals[0, 0]))


def _curvature(problem: Problem) -> float:
    """C, from all labellings."""
    model, total = problem.Q.structure, 0.0
    for i in range(model.n):
        vectors = []
        for labels in product(range(model.K), repeat=int(model.lengths[i])):
            psi = np.zeros(problem.n_weights)
            indices, values = model.features_of(i, np.array(labels))
            psi[indices] = values
            vectors.append(psi)
        stack = np.array(vectors)
        total += model.totals[i] ** 2 * float(((stack[:, None] - stack) ** 2).sum(axis=2).max())
    return total / problem.lam
