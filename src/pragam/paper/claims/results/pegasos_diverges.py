"""Pegasos on adult9: the paper's figures say that it diverged there."""

from __future__ import annotations

from functools import partial

import numpy as np

from pragam.compare.experiment import Experiment
from pragam.paper.claims.results.fluctuation import raw_objective
from pragam.paper.claims.solvers import PEGASOS_1, PEGASOS_N, run_of
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place


def judge(solver: str, experiment: Experiment, data: str) -> Finding:
    """Confirmed if at the end both the iterates and the answers are worse than w = 0; refuted if neither is.

    The end is the last tenth of the points, by their median. J(0) = 1 for the hinge loss.
    """
    run = run_of(experiment, data, solver)
    if run is None:
        return Finding("undecided", f"There is no run of {solver}.")
    last = max(len(run.iteration) // 10, 1)
    raw, answered = (float(np.median(values[-last:])) for values in (raw_objective(run), run.primal))
    worse = [not value < THRESHOLDS.zero_value for value in (raw, answered)]  # a NaN is worse, too
    words = (
        f"After {run.iteration[-1]:,.0f} iterations J is {raw:.4g} for the iterates and {answered:.4g} for the answers"
    )
    words += f" of {solver}; J(0) is {THRESHOLDS.zero_value:g}."
    if worse[0] != worse[1]:
        return Finding("undecided", words)
    return Finding("confirmed" if all(worse) else "refuted", words)


CLAIMS = tuple(
    Claim(
        f"{solver} diverges on adult9: in the end it is worse than w = 0.",
        Place("Appendix D", "figures over iterations and time", 0, 0),
        partial(judge, solver),
        only=("adult9", "a9a"),
    )
    for solver in (PEGASOS_N, PEGASOS_1)
)
