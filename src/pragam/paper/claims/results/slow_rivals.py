"""pegasos-1 and ls-bmrm take long. An iteration of pegasos-1 reads one example, that of the others all n."""

from __future__ import annotations

from functools import partial

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import LS_BMRM, PEGASOS_1, PRAGAM
from pragam.paper.claims.spans import Unit, faster, reach
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place
from pragam.paper.claims.wording import at_accuracies


def judge(
    rival: str, unit: Unit, factor: float, where: tuple[float, ...], experiment: Experiment, data: str
) -> Finding:
    """Confirmed if PRAGAM is ahead by the factor at more than half of these accuracies."""
    table = {eps: {solver: reach(experiment, data, solver, eps, unit) for solver in (rival, PRAGAM)} for eps in where}
    answer = faster(table, PRAGAM, rival, factor)
    words = at_accuracies(table, unit)
    if rival == PEGASOS_1 and unit == "iterations":
        words += f" A pass over the data is {experiment.data[data].n:,} iterations of pegasos-1."
    return Finding(answer, words)


def _long(rival: str) -> Claim:
    return Claim(
        f"{rival} takes long to high accuracy: over {THRESHOLDS.long:g} times as long as PRAGAM.",
        Place("Section 5", "Results", 3, 3),
        partial(judge, rival, "seconds", THRESHOLDS.long, THRESHOLDS.high),
    )


CLAIMS = (
    Claim(
        f"pegasos-1 is very slow by iterations, each of one example: over {THRESHOLDS.far:g} times those of PRAGAM.",
        Place("Section 5", "Results", 2, 5),
        partial(judge, PEGASOS_1, "iterations", THRESHOLDS.far, THRESHOLDS.accuracies),
        "every",
    ),
    _long(LS_BMRM),
    _long(PEGASOS_1),
)
