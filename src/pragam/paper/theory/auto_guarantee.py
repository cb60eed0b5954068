r"""The default solver keeps PRAGAM's worst case on any data.

Problem:    Any piecewise linear risk over a bounded Q, to a relative gap tol: eps = tol J*, J* > 0.
Algorithm:  auto: fast paths without a bound of their own, then PRAGAM with adapted L from the point they have reached.
            On a small problem the first path is newton-dense. The others follow if it gets nowhere, after three calls
            of it at the latest.
Guarantee:  Let L' >= L be the bound on the Lipschitz constant of grad D that is computed without the spectrum. The fast
            paths end after at most 3 sqrt(4 L' D_2 / (tol J(0))) passes over the data, or 20 if that is more. Since
            J(0) >= J*, this is no more than PRAGAM's own bound would need with L'. (Where biases of labels make a
            projection a search of its own, some 100 reads of the dual variables an iteration count as passes too.)
            PRAGAM then needs at most
            sqrt(8 L D_2' / eps) accepted steps and ceil(log2(L/L_0)) + 1 others, with three passes each, where D_2' is
            the diameter about its starting point. Two costs are added: the starts of the paths, and the passes between
            two certificates, since the driver checks only there. The passes of newton-dense count towards the limit,
            but the limit does not cut its calls short. They are three calls of at most 60 Newton steps, five passes
            each, so at most 900 passes where the limit is below that. The check requires the bound without them, which
            is stronger.
Source:     pragam_rate (mu_k <= 8 L/(k+2)^2) and the rule in pragam.solvers.choice.auto.
Tight:      No: where a fast path works, it is ahead by orders of magnitude. Here newton-dense solves every
            hinge in one call, and qp-bmrm the rest. pragam_rate checks PRAGAM's own part.
Corrected:  Nothing. The statement is not in the paper, which asks for such a solver in its last sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2, sqrt

import numpy as np

from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hadamard_problem, hinges, lipschitz, matrix, other_risks
from pragam.problem import Problem
from pragam.risks import hinge, max_affine

REFERENCE = "pragam.solvers.choice.auto, after Saha, Zhang and Vishwanathan, section 4.1"
TOLERANCES = (1e-2, 1e-4, 1e-6)
#: Starts of the paths: a product each for the weights, the scores, the centre, the row weights and the bias.
_STARTS = 12.0
#: Passes before auto computes its limit.
_FREE = 20.0


def check() -> Iterator[Check]:
    pairs = [pair for problem in _problems() for tol in TOLERANCES for pair in _passes(problem, tol)]
    yield worst_case(
        "auto_guarantee.passes",
        "auto certifies tol within its bound on passes over the data.",
        pairs,
        "<=",
        0.0,
        REFERENCE,
    )


def _problems() -> Iterator[Problem]:
    for bias in (False, True):
        yield from hinges(bias, lams=(1e-10, 1e-4, 1.0, 1e3))
        yield from _hard_hinges(bias)
    yield from other_risks()
    for d, lam in ((16, 0.1), (64, 1e-2)):
        problem = hadamard_problem(d, lam)
        yield max_affine(matrix(problem).T, problem.c + 1.0, lam)


def _hard_hinges(bias: bool) -> Iterator[Problem]:
    """Correlated columns, columns of very different length, separable data."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 8))
    y = np.where(X[:, 0] + rng.standard_normal(60) > 0, 1.0, -1.0)
    common = rng.standard_normal((60, 1))
    for data in (X + 30 * common, X * np.logspace(-3, 3, 8), X + 4 * np.outer(y, np.eye(8)[0])):
        for lam in (1e-8, 1e-3):
            yield hinge(data, y, lam, bias=bias)


def _passes(problem: Problem, tol: float) -> Iterator[tuple[float, float]]:
    """(passes used, passes promised). The first is inf if tol was not certified."""
    result = solve(problem, "auto", tol=tol)
    unseen = np.diff(result.history.passes).max(initial=0.0)
    used = float(result.history.passes[-1]) if result.converged else np.inf
    optimum = result.certificate.dual
    norm = problem.A.norm_bound()
    fast = 3 * sqrt(
        4 * norm**2 / problem.lam * problem.Q.radius2() / (tol * problem.primal(np.zeros(problem.n_weights)))
    )
    L = lipschitz(problem)
    accepted = sqrt(8 * L * _diameter2(problem) / (tol * optimum))
    first = float(problem.A.row_norms().max()) ** 2 / problem.lam
    others = max(ceil(log2(L / first)), 0) + 1
    yield used, max(fast, _FREE) + 3 * (accepted + others) + unseen + _STARTS


def _diameter2(problem: Problem) -> float:
    """The worst-case D_2'. PRAGAM may start anywhere in Q, and |alpha - centre| <= 2 max |alpha|."""
    return 4 * problem.Q.radius2()
