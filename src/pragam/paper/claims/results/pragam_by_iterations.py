"""PRAGAM against the two methods with a rate of 1/eps, by iterations, each of which reads all examples."""

from __future__ import annotations

from functools import partial

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import LS_BMRM, PEGASOS_N, PRAGAM
from pragam.paper.claims.spans import faster, reach
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place
from pragam.paper.claims.wording import at_accuracies

_PLACE = Place("Section 5", "Results", 2, 3)


def judge(rival: str, experiment: Experiment, data: str) -> Finding:
    """Confirmed if PRAGAM needs fewer iterations at more than half of the accuracies."""
    table = {
        eps: {solver: reach(experiment, data, solver, eps, "iterations") for solver in (PRAGAM, rival)}
        for eps in THRESHOLDS.accuracies
    }
    return Finding(faster(table, PRAGAM, rival), at_accuracies(table, "iterations"))


CLAIMS = tuple(
    Claim(
        f"PRAGAM converges in fewer iterations (each over all examples) than {rival}.",
        _PLACE,
        partial(judge, rival),
        "every",
    )
    for rival in (LS_BMRM, PEGASOS_N)
)
