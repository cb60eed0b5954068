"""In the end all solvers predict equally well."""

from __future__ import annotations

import numpy as np

from pragam.compare.experiment import Experiment
from pragam.paper.claims.solvers import PAPER, run_of
from pragam.paper.claims.spans import fair_target, has_converged
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, Claim, Finding, Place, every
from pragam.paper.claims.wording import numbered


def judge(experiment: Experiment, data: str) -> Finding:
    """Confirmed if the last accuracy of every solver is within a standard error of the optimum's.

    A solver that differs refutes it only if it has converged: otherwise this was not its end.
    """
    target, tolerance = fair_target(experiment, data)
    if not np.isfinite(target):
        return Finding("undecided", "There are no test rows, or the optimum is not known.")
    last = {solver: _last(experiment, data, solver) for solver in PAPER}
    answer = every(_similar(accuracy, ended, target, tolerance) for accuracy, ended in last.values())
    unfinished = [solver for solver, (_, ended) in last.items() if not ended]
    words = f"The optimum has {target + tolerance:.4f}, within {tolerance:.4f}; at the end of their runs "
    words += numbered(((solver, accuracy) for solver, (accuracy, _) in last.items()), ".4f")
    return Finding(answer, f"{words}. Not within {THRESHOLDS.converged:g} of J*: {', '.join(unfinished) or 'none'}.")


def _last(experiment: Experiment, data: str, solver: str) -> tuple[float, bool]:
    run = run_of(experiment, data, solver)
    return (np.nan, False) if run is None else (float(run.accuracy[-1]), has_converged(experiment, run))


def _similar(accuracy: float, ended: bool, target: float, tolerance: float) -> Answer:
    if target <= accuracy <= target + 2 * tolerance:
        return "confirmed"
    return "refuted" if ended and np.isfinite(accuracy) else "undecided"


CLAIMS = (
    Claim(
        "In the end all solvers have very similar test accuracy.", Place("Section 5", "Results", 4, 5), judge, "every"
    ),
)
