"""LIBLINEAR against all others. One of its iterations is a pass of coordinate steps over the examples."""

from __future__ import annotations

from functools import partial

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import BY_ITERATIONS, LIBLINEAR, PAPER, others
from pragam.paper.claims.spans import Unit, earliest, faster, reach
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place
from pragam.paper.claims.wording import at_accuracies


def judge(unit: Unit, experiment: Experiment, data: str) -> Finding:
    """Confirmed if it is ahead of the best other solver by the factor "far" at more than half of the accuracies."""
    rivals = others(LIBLINEAR, BY_ITERATIONS if unit == "iterations" else PAPER)
    table = {}
    for eps in THRESHOLDS.accuracies:
        best = earliest(reach(experiment, data, solver, eps, unit) for solver in rivals)
        table[eps] = {LIBLINEAR: reach(experiment, data, LIBLINEAR, eps, unit), "the best other": best}
    return Finding(faster(table, LIBLINEAR, "the best other", THRESHOLDS.far), at_accuracies(table, unit))


_FACTOR = f"{THRESHOLDS.far:g} times"
CLAIMS = (
    Claim(
        f"LIBLINEAR needs far fewer iterations ({_FACTOR}; one is a pass over the examples) than all others.",
        Place("Section 5", "Results", 2, 4),
        partial(judge, "iterations"),
        "every",
    ),
    Claim(
        f"LIBLINEAR is much faster ({_FACTOR}) than all others.",
        Place("Section 5", "Results", 3, 4),
        partial(judge, "seconds"),
        "every",
    ),
)
