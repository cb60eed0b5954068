"""PRAGAM by the clock: slow to low accuracy, competitive beyond. The spread over the repeats counts."""

from __future__ import annotations

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import LIBLINEAR, PAPER, PRAGAM, others
from pragam.paper.claims.spans import earliest, faster, reach, sooner
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place, most, opposite
from pragam.paper.claims.wording import at_accuracies


def slow_at_first(experiment: Experiment, data: str) -> Finding:
    """Confirmed if more than half of the paper's other solvers reach the low accuracy sooner."""
    spans = {solver: reach(experiment, data, solver, THRESHOLDS.low, "seconds") for solver in PAPER}
    answer = most(sooner(spans[solver], spans[PRAGAM]) for solver in others(PRAGAM))
    return Finding(answer, at_accuracies({THRESHOLDS.low: spans}, "seconds"))


def competitive_later(experiment: Experiment, data: str) -> Finding:
    """Confirmed if PRAGAM takes at most twice as long as the best but LIBLINEAR, at most of the high accuracies."""
    rivals = others(LIBLINEAR, others(PRAGAM))
    table = {}
    for eps in THRESHOLDS.high:
        best = earliest(reach(experiment, data, solver, eps, "seconds") for solver in rivals)
        table[eps] = {PRAGAM: reach(experiment, data, PRAGAM, eps, "seconds"), "the best other": best}
    slower = faster(table, "the best other", PRAGAM, THRESHOLDS.competitive)
    return Finding(opposite(slower), at_accuracies(table, "seconds"))


CLAIMS = (
    Claim(
        f"PRAGAM is slow to low accuracy: most solvers reach {THRESHOLDS.low:g} sooner.",
        Place("Section 5", "Results", 3, 2),
        slow_at_first,
    ),
    Claim(
        f"At higher accuracy PRAGAM is competitive: within {THRESHOLDS.competitive:g} times of the best but LIBLINEAR.",
        Place("Section 5", "Results", 3, 3),
        competitive_later,
    ),
)
