"""PRAGAM-b, which has a bias: as accurate as the others or better, and sooner there than PRAGAM."""

from __future__ import annotations

from functools import partial

import numpy as np

from pragam.compare.claims.solvers import PAPER, PRAGAM, PRAGAM_B, run_of
from pragam.compare.claims.spans import Unit, arrival, fair_target, has_converged, sooner
from pragam.compare.claims.thresholds import THRESHOLDS
from pragam.compare.claims.verdict import Claim, Finding, Place
from pragam.compare.claims.wording import listed, numbered
from pragam.compare.experiment import Experiment


def as_accurate(experiment: Experiment, data: str) -> Finding:
    """Confirmed if, converged, it is at most a standard error below the best last accuracy of the others."""
    biased = run_of(experiment, data, PRAGAM_B)
    tolerance = fair_target(experiment, data)[1]
    runs = {solver: run_of(experiment, data, solver) for solver in PAPER}
    last = {solver: float(run.accuracy[-1]) for solver, run in runs.items() if run is not None}
    known = [accuracy for accuracy in last.values() if np.isfinite(accuracy)]
    if biased is None or not known or not np.isfinite([tolerance, biased.accuracy[-1]]).all():
        return Finding("undecided", "pragam-b or all others have no test accuracy, or the optimum is not known.")
    words = numbered([(PRAGAM_B, float(biased.accuracy[-1])), *last.items()], ".4f")
    words = f"Last test accuracies: {words}; the standard error is {tolerance:.4f}."
    if not has_converged(experiment, biased):
        return Finding(
            "undecided", f"{words} pragam-b has not come within {THRESHOLDS.converged:g} of its own optimum."
        )
    return Finding("confirmed" if biased.accuracy[-1] >= max(known) - tolerance else "refuted", words)


def arrives_sooner(unit: Unit, experiment: Experiment, data: str) -> Finding:
    """Confirmed if it comes sooner within a standard error of the accuracy of the optimum without a bias."""
    target, _ = fair_target(experiment, data)
    spans = {solver: arrival(experiment, data, solver, target, unit) for solver in (PRAGAM_B, PRAGAM)}
    words = f"{unit.capitalize()} until the test accuracy stays above {target:.4f}: {listed(spans, unit)}."
    return Finding(sooner(spans[PRAGAM_B], spans[PRAGAM]), words)


_SOONER = Place("Section 5", "Results", 5, 3)
CLAIMS = (
    Claim(
        "The test accuracy of PRAGAM-b is higher than or similar to that of the others.",
        Place("Section 5", "Results", 5, 2),
        as_accurate,
        "every",
    ),
    Claim(
        "PRAGAM-b reaches the same test accuracy in fewer iterations than PRAGAM.",
        _SOONER,
        partial(arrives_sooner, "iterations"),
    ),
    Claim(
        "PRAGAM-b reaches the same test accuracy in less time than PRAGAM.", _SOONER, partial(arrives_sooner, "seconds")
    ),
)
