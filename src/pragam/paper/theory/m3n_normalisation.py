r"""The primal and dual of the max-margin Markov network, with the 1/n of the paper's other risks.

Problem:    J(w) = lam/2 |w|^2 + (1/n) sum_i max over y of l_i(y) - <w, Df_i(y)>, Df_i(y) = f_i(y_i) - f_i(y). The paper
            prints the dual alone, as the minimum of C/2 |sum alpha Df|^2 - sum alpha l with sums of alpha_i equal to 1.
Algorithm:  All labellings by enumeration, for both values; for the optimum the enumerated problem, one dual variable
            for each labelling, by the default solver.
Guarantee:  D(alpha) = (1/n) sum alpha l - |sum alpha Df|^2 / (2 lam n^2) and w(alpha) = (1/(lam n)) sum alpha Df. With
            C = 1/(lam n) the printed minimum is -n times the maximum of D, which is the minimum of J.
Source:     Taskar, Guestrin and Koller, Max-margin Markov networks, 2003; Saha, Zhang and Vishwanathan, appendix
            "Margin scaled maximum margin Markov network".
Tight:      Yes, equalities.
Corrected:  The 1/n and C = 1/(lam n), which the appendix leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.certificate import certify
from pragam.driver.solve import solve
from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._sequences import Sequences, small_sequences
from pragam.structured import ChainLayout

REFERENCE = "Saha, Zhang and Vishwanathan, appendix, M3N (with 1/n)"
LAMS = (1.0, 1e-2)


def check() -> Iterator[Check]:
    cases = [(own, lam) for own in small_sequences() for lam in LAMS]
    optima = [(own, lam, solve(own.enumerated(lam), tol=1e-10)) for own, lam in cases]
    for part, statement, pairs in (
        ("primal", "J of chain_hinge is that of all labellings.", [p for case in cases for p in _primals(*case)]),
        (
            "dual",
            "D of chain_hinge at a mixture of labellings is as stated.",
            [p for case in cases for p in _duals(*case)],
        ),
        (
            "optimum",
            "J of chain_hinge at the enumerated problem's best w is the largest D.",
            [(certify(own.problem(lam), found.w).primal, found.certificate.dual) for own, lam, found in optima],
        ),
        (
            "printed",
            "With C = 1/(lam n) the printed objective at the best alpha is -n min J.",
            [
                (_printed(own, 1 / (lam * len(own.y)), found.alpha), -len(own.y) * found.certificate.primal)
                for own, lam, found in optima
            ],
        ),
    ):
        yield worst_case(f"m3n_normalisation.{part}", statement, pairs, "==", 1e-9, REFERENCE)


def _primals(own: Sequences, lam: float) -> Iterator[tuple[float, float]]:
    """J at random weights, certified and by enumeration."""
    rng, problem = np.random.default_rng(0), own.problem(lam)
    for size in (0.0, 0.1, 10.0):
        w = size * rng.standard_normal(problem.n_weights)
        best = [float((own.losses(i) + own.differences(i) @ w).max()) for i in range(len(own.y))]
        yield certify(problem, w).primal, float(lam / 2 * w @ w + np.mean(best))


def _duals(own: Sequences, lam: float) -> Iterator[tuple[float, float]]:
    """D at random mixtures of three labellings of all sequences, certified and as stated."""
    rng, problem, (n, length) = np.random.default_rng(1), own.problem(lam), own.y.shape
    layout = ChainLayout(np.full(n, length), own.K)
    for _ in range(3):
        shares, chosen = rng.dirichlet(np.ones(3)), rng.integers(0, len(own.labellings), (3, n))
        alpha = (
            sum(p * layout.indicator(own.labellings[each].ravel()) for p, each in zip(shares, chosen, strict=True)) / n
        )
        per_labelling = np.zeros((n, len(own.labellings)))
        for p, each in zip(shares, chosen, strict=True):
            per_labelling[np.arange(n), each] += p
        steps, loss = _sums(own, per_labelling)
        yield (
            certify(problem, np.zeros(problem.n_weights), alpha).dual,
            loss / n - float(steps @ steps) / (2 * lam * n**2),
        )


def _printed(own: Sequences, C: float, alpha: Vector) -> float:
    """The appendix's objective, for the distributions n alpha_i over labellings."""
    steps, loss = _sums(own, len(own.y) * alpha.reshape(len(own.y), -1))
    return C / 2 * float(steps @ steps) - loss


def _sums(own: Sequences, alpha: Vector) -> tuple[Vector, float]:
    """sum alpha Df and sum alpha l over sequences and labellings."""
    n = range(len(own.y))
    return -sum(alpha[i] @ own.differences(i) for i in n), float(sum(alpha[i] @ own.losses(i) for i in n))
