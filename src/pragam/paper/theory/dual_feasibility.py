r"""Every solver proposes a point of Q in every iteration, the primal ones too.

Problem:    All risks.
Algorithm:  Every solver that fits the problem. Pegasos has no dual point of its own. pegasos-n takes the mean
            of the vertices behind its subgradients. pegasos-1 takes, for each row, the mean over the visits to
            that row.
Guarantee:  alpha_t is in Q for every t, up to the rounding that the certificate allows.
Source:     Saha, Zhang and Vishwanathan, eq. 10 and 18: the adjoint is a lower bound only on Q.
Tight:      Not applicable.
Corrected:  Nothing. The paper gives Pegasos no dual point, and so no gap.
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, other_risks, weighted_hinges
from pragam.paper.theory._trace import trace
from pragam.polytopes.base import FEASIBLE
from pragam.solvers import Dcd, LsBmrm, Pegasos1, PegasosN, Pragam, QpBmrm

REFERENCE = "Saha, Zhang and Vishwanathan, eq. 10 and 18"


def check() -> Iterator[Check]:
    problems = [*hinges(False, (1e-2,)), *hinges(True, (1e-2,)), *other_risks(), *weighted_hinges()]
    for solver in (Pragam(), QpBmrm(), LsBmrm(), PegasosN(), Pegasos1(), Dcd()):
        pairs = [
            (problem.Q.violation(iterate.alpha), FEASIBLE)
            for problem in problems
            if not solver.missing(problem)
            for iterate in trace(problem, solver, 20)
        ]
        yield worst_case(
            f"dual_feasibility.{solver.name}",
            f"Every alpha that {solver.name} proposes lies in Q, relative to the size of Q.",
            pairs,
            "<=",
            0.0,
            REFERENCE,
        )
