"""The bundle method with the full QP against the other methods whose iterations read all examples."""

from __future__ import annotations

from pragam.compare.claims.solvers import LS_BMRM, PEGASOS_N, PRAGAM, QP_BMRM
from pragam.compare.claims.spans import earliest, reach, sooner
from pragam.compare.claims.thresholds import THRESHOLDS
from pragam.compare.claims.verdict import Claim, Finding, Place, most
from pragam.compare.claims.wording import at_accuracies
from pragam.compare.experiment import Experiment

_RIVALS = (PRAGAM, LS_BMRM, PEGASOS_N)


def judge(experiment: Experiment, data: str) -> Finding:
    """Confirmed if it is ahead of PRAGAM, ls-bmrm and pegasos-n at more than half of the accuracies."""
    table = {}
    for eps in THRESHOLDS.accuracies:
        table[eps] = {solver: reach(experiment, data, solver, eps, "iterations") for solver in (QP_BMRM, *_RIVALS)}
    answer = most(sooner(spans[QP_BMRM], earliest(spans[solver] for solver in _RIVALS)) for spans in table.values())
    return Finding(answer, at_accuracies(table, "iterations"))


CLAIMS = (
    Claim(
        "qp-bmrm is fast too: it needs fewer iterations than PRAGAM, ls-bmrm and pegasos-n.",
        Place("Section 5", "Results", 2, 4),
        judge,
    ),
)
