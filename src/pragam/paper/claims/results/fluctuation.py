"""J of the raw iterates goes up and down: why the paper draws the least so far.

Pegasos answers with the mean of its iterates, so its raw iterate is another vector (``Run.iterate``).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pragam.compare.experiment import Experiment, Floats, Run
from pragam.paper.claims.solvers import LS_BMRM, PEGASOS_1, PEGASOS_N, run_and_reference
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, Claim, Finding, Place


def raw_objective(run: Run) -> Floats:
    """J of the raw iterates: the answer's where both are the same."""
    return np.where(np.isnan(run.iterate), run.primal, run.iterate)


def judge(solver: str, experiment: Experiment, data: str) -> Finding:
    """Confirmed if, in the second half of the points, J - J* of an iterate is 10 times the least so far."""
    found = run_and_reference(experiment, data, solver)
    if found is None or len(found[0].iteration) < THRESHOLDS.fit_points:
        return Finding("undecided", f"{solver} has no run of {THRESHOLDS.fit_points} points with a reference.")
    run, reference = found
    # With J* anywhere in [dual, primal], errors this far above the dual value are known to within a tenth.
    error = raw_objective(run) - reference.dual
    least = np.minimum.accumulate(error)
    clear = least >= THRESHOLDS.above_reference * (reference.primal - reference.dual)
    clear[: len(clear) // 2] = False
    if not clear.any():
        return Finding("undecided", f"The errors of {solver} are too near to the width of the reference.")
    ratio = float((error[clear] / least[clear]).max())
    answer: Answer = "confirmed" if ratio >= THRESHOLDS.fluctuation else "refuted"
    words = f"In the second half of {solver}'s {len(clear)} points J - J* of an iterate is up to {ratio:.3g} times"
    return Finding(answer, f"{words} the least so far; drastic is {THRESHOLDS.fluctuation:g}.")


CLAIMS = tuple(
    Claim(
        f"J(w_t) of {solver} fluctuates drastically.",
        Place("Section 5", "Results", 2, 2),
        partial(judge, solver),
        "some",
    )
    for solver in (PEGASOS_N, PEGASOS_1, LS_BMRM)
)
