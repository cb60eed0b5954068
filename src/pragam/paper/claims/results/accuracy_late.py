"""PRAGAM's weights predict well only late.

A run has arrived when the test accuracy of its best weights so far stays within a standard error of the optimum's.
"""

from __future__ import annotations

from functools import partial

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import BY_ITERATIONS, PAPER, PRAGAM, others
from pragam.paper.claims.spans import Unit, arrival, fair_target, sooner
from pragam.paper.claims.verdict import Claim, Finding, Place, most
from pragam.paper.claims.wording import listed


def judge(unit: Unit, experiment: Experiment, data: str) -> Finding:
    """Confirmed if more than half of the paper's other solvers arrive sooner."""
    among = BY_ITERATIONS if unit == "iterations" else PAPER
    target, _ = fair_target(experiment, data)
    spans = {solver: arrival(experiment, data, solver, target, unit) for solver in among}
    answer = most(sooner(spans[solver], spans[PRAGAM]) for solver in others(PRAGAM, among))
    return Finding(
        answer, f"{unit.capitalize()} until the test accuracy stays above {target:.4f}: {listed(spans, unit)}."
    )


_PLACE = Place("Section 5", "Results", 4, 3)
CLAIMS = (
    Claim(
        "By iterations over all examples, most solvers reach the final test accuracy before PRAGAM.",
        _PLACE,
        partial(judge, "iterations"),
    ),
    Claim("By time, most solvers reach the final test accuracy before PRAGAM.", _PLACE, partial(judge, "seconds")),
)
