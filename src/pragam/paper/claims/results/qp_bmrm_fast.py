"""The bundle method with the full QP against the other methods whose iterations read all examples."""

from __future__ import annotations

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import LS_BMRM, PEGASOS_N, PRAGAM, QP_BMRM
from pragam.paper.claims.spans import earliest, faster, reach
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place
from pragam.paper.claims.wording import at_accuracies

_RIVALS = (PRAGAM, LS_BMRM, PEGASOS_N)


def judge(experiment: Experiment, data: str) -> Finding:
    """Confirmed if it is ahead of PRAGAM, ls-bmrm and pegasos-n at more than half of the accuracies."""
    table = {
        eps: {solver: reach(experiment, data, solver, eps, "iterations") for solver in (QP_BMRM, *_RIVALS)}
        for eps in THRESHOLDS.accuracies
    }
    best = {
        eps: {QP_BMRM: spans[QP_BMRM], "best": earliest(spans[solver] for solver in _RIVALS)}
        for eps, spans in table.items()
    }
    return Finding(faster(best, QP_BMRM, "best"), at_accuracies(table, "iterations"))


CLAIMS = (
    Claim(
        "qp-bmrm is fast too: it needs fewer iterations (over all examples) than PRAGAM, ls-bmrm and pegasos-n.",
        Place("Section 5", "Results", 2, 4),
        judge,
    ),
)
