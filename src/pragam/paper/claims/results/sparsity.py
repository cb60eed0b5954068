r"""The paper's explanation of PRAGAM's late accuracy: its dual variables are not sparse, those of all others are.

The explanation needs four things to be true, and each is a claim of its own here:

1. the premise: in mid-run PRAGAM's alpha is dense, the others' is not;
2. across solvers: the denser the support when the accuracy arrives, the later it arrives;
3. at equal objective: PRAGAM's accuracy arrives at a lower err_t than that of most others. If it does not, its
   accuracy is late because its objective is, and nothing else needs explaining;
4. within a run: accuracy rises as the support shrinks, for every solver.

Support counts are recorded for our solvers only; LIBLINEAR keeps its dual variables to itself. Whether a thresholded
alpha predicts sooner is an experiment of its own: :mod:`pragam.paper.claims.experiments.thresholded_alpha`.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from pragam.compare.experiment import Experiment, Floats, Run
from pragam.paper.claims.solvers import PAPER, PRAGAM, WITHOUT_BIAS, complete, others, run_of
from pragam.paper.claims.spans import UNKNOWN, Span, arrival_index, fair_target, sooner
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, Claim, Finding, Place, every, most
from pragam.paper.claims.wording import numbered


def premise(experiment: Experiment, data: str) -> Finding:
    """Confirmed if PRAGAM's support is dense at the low accuracy, or at the end, and that of no other solver is."""
    n = experiment.data[data].n
    shares = {}
    for solver in PAPER:
        run = run_of(experiment, data, solver)
        if run is not None and np.isfinite(share := run.support[_midway(experiment, run)] / n):
            shares[solver] = float(share)
    if PRAGAM not in shares or len(shares) < 3:
        return Finding("undecided", "The support is not recorded for PRAGAM and two others.")
    dense = {solver: share >= THRESHOLDS.dense for solver, share in shares.items()}
    answer: Answer = "confirmed" if dense.pop(PRAGAM) and not any(dense.values()) else "refuted"
    words = f"Share of the rows with alpha > 0 at err_t = {THRESHOLDS.low:g} J*, or at the end of the run"
    return Finding(answer, f"{words}: {numbered(shares.items(), '.3f')}; dense is {THRESHOLDS.dense:g}.")


def across_solvers(experiment: Experiment, data: str) -> Finding:
    """Confirmed if time of arrival and support at arrival have a rank correlation of at least 0.5, refuted if <= 0."""
    target, _ = fair_target(experiment, data)
    points = []
    for run in _recorded(experiment, data):
        if run.seconds.size and (at := arrival_index(run, target)) is not None:
            points.append((float(run.clock[at]), float(run.support[at])))
    if len(points) < 4:
        return Finding("undecided", f"{len(points)} solvers with a recorded support arrive; a correlation takes 4.")
    rho = _rank_correlation(*np.array(points).T)
    words = f"Rank correlation of the time of arrival with the support there, over {len(points)} solvers: {rho:.2f}."
    if np.isnan(rho):
        return Finding("undecided", f"{words} The support or the time is the same for all.")
    return Finding(_related(rho), words)


def at_equal_objective(experiment: Experiment, data: str) -> Finding:
    """Confirmed if PRAGAM's err_t at arrival is less than half of that of most others."""
    target, _ = fair_target(experiment, data)
    errors = {solver: _error_at_arrival(experiment, run_of(experiment, data, solver), target) for solver in PAPER}
    answer = most(sooner(errors[PRAGAM], errors[solver], THRESHOLDS.competitive) for solver in others(PRAGAM))
    words = ", ".join(f"{solver} {_error_text(error)}" for solver, error in errors.items())
    return Finding(answer, f"err_t / J* from which the test accuracy stays above {target:.4f}: {words}.")


def within_runs(experiment: Experiment, data: str) -> Finding:
    """Confirmed if support and accuracy have a rank correlation of at most -0.5 over the points of every run."""
    rhos = {}
    for run in _recorded(experiment, data):
        if len(run.iteration) >= THRESHOLDS.fit_points and np.ptp(run.accuracy) > 0:
            # A support that never changes explains nothing.
            rhos[run.solver] = _rank_correlation(run.support, run.accuracy) if np.ptp(run.support) > 0 else 0.0
    if PRAGAM not in rhos or len(rhos) < 3:
        return Finding("undecided", "Support and accuracy over a run are not known for PRAGAM and two others.")
    answer = every(_related(-rho) for rho in rhos.values())
    return Finding(answer, f"Rank correlation of support and accuracy within a run: {numbered(rhos.items(), '.2f')}.")


def _recorded(experiment: Experiment, data: str) -> list[Run]:
    """Runs without a bias whose support and accuracy are known at every point, also of solvers not in the paper."""
    runs = (run for run in experiment.runs if run.data == data and run.problem == WITHOUT_BIAS and run.has_points)
    return [run for run in map(complete, runs) if np.isfinite([run.support, run.accuracy]).all()]


def _midway(experiment: Experiment, run: Run) -> int:
    """The first point at the low accuracy, or the last one."""
    reached = np.flatnonzero(experiment.relative_error(run) <= THRESHOLDS.low)
    return int(reached[0]) if len(reached) else len(run.iteration) - 1


def _error_at_arrival(experiment: Experiment, run: Run | None, target: float) -> Span:
    """err_t / J* where the accuracy arrives; where it has not, somewhere below the last one."""
    if run is None or np.isnan(target) or not np.isfinite(run.accuracy).any():
        return UNKNOWN
    at = arrival_index(run, target)
    error = float(experiment.relative_error(run)[-1 if at is None else at])
    if np.isnan(error):
        return UNKNOWN
    return Span(0.0 if at is None else error, error)


def _error_text(error: Span) -> str:
    if not error.is_known:
        return "unknown"
    return f"{error.high:.2g}" if error.low == error.high else f"< {error.high:.2g}"


def _rank_correlation(x: Floats, y: Floats) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(spearmanr(x, y).statistic)


def _related(rho: float) -> Answer:
    if rho >= THRESHOLDS.correlation:
        return "confirmed"
    return "refuted" if rho <= 0 else "undecided"


_PLACE = Place("Section 5", "Results", 4, 4)
CLAIMS = (
    Claim("Late accuracy by lack of sparsity (1): in mid-run PRAGAM alone is not sparse.", _PLACE, premise),
    Claim(
        "Late accuracy by lack of sparsity (2): the denser the support, the later the accuracy.", _PLACE, across_solvers
    ),
    Claim(
        "Late accuracy by lack of sparsity (3): at equal objective PRAGAM is less accurate.", _PLACE, at_equal_objective
    ),
    Claim(
        "Late accuracy by lack of sparsity (4): within each run accuracy rises as the support shrinks.",
        _PLACE,
        within_runs,
    ),
)
