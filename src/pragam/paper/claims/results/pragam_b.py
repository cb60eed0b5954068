"""PRAGAM-b, which has a bias: as accurate as the others or better, and sooner there than PRAGAM."""

from __future__ import annotations

from functools import partial

import numpy as np

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import PAPER, PRAGAM, PRAGAM_B, run_and_reference, run_of
from pragam.paper.claims.spans import Unit, arrival, fair_target, has_converged, sooner
from pragam.paper.claims.verdict import Answer, Claim, Finding, Place
from pragam.paper.claims.wording import listed, numbered


def as_accurate(experiment: Experiment, data: str) -> Finding:
    """Confirmed if its optimum is at most a standard error below the best last accuracy of the others."""
    mine, whose = _at_the_optimum(experiment, data)
    tolerance = fair_target(experiment, data)[1]
    runs = {solver: run_of(experiment, data, solver) for solver in PAPER}
    last = {solver: float(run.accuracy[-1]) for solver, run in runs.items() if run is not None}
    known = [accuracy for accuracy in last.values() if np.isfinite(accuracy)]
    if not known or not np.isfinite([tolerance, mine]).all():
        return Finding(
            "undecided", "The test accuracy of the optimum with a bias, or without, or of all others is unknown."
        )
    words = f"Last test accuracies: {whose} {mine:.4f}, {numbered(last.items(), '.4f')}; "
    answer: Answer = "confirmed" if mine >= max(known) - tolerance else "refuted"
    return Finding(answer, f"{words}the standard error is {tolerance:.4f}.")


def _at_the_optimum(experiment: Experiment, data: str) -> tuple[float, str]:
    """The last accuracy of PRAGAM-b if it has converged, else that of the optimum it converges to; NaN if unknown."""
    found = run_and_reference(experiment, data, PRAGAM_B)
    if found is None:
        return np.nan, PRAGAM_B
    run, reference = found
    if has_converged(experiment, run):
        return float(run.accuracy[-1]), PRAGAM_B
    return (
        reference.accuracy if reference.is_reached else np.nan
    ), "the optimum with a bias, where pragam-b is not yet,"


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
