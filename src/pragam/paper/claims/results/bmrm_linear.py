r"""Bundle methods look linear in practice, although their bound is 1/t.

Two curves with two parameters each are fitted by least squares to log err_t over the recorded points:

    linear convergence:   log err_t = a - b t,
    a power of t:         log err_t = a - p log t,        p = 1 is the bound.

The measure is R^2, the explained share of the variance. Only points count whose err_t is clear of the reference's width
and below a tenth of the first: the start of a run, often flat, is neither.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from pragam.compare.experiment import Experiment, Floats
from pragam.paper.claims.solvers import LS_BMRM, QP_BMRM, run_and_reference
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Place


class Fit(NamedTuple):
    slope: float
    r2: float


def straight_line(x: Floats, y: Floats) -> Fit:
    """The least-squares line of y over x; its R^2 is 1 if y is constant."""
    slope, offset = np.polyfit(x, y, 1)
    total = float(((y - y.mean()) ** 2).sum())
    return Fit(float(slope), 1 - float(((y - slope * x - offset) ** 2).sum()) / total if total > 0 else 1.0)


def judge(solver: str, experiment: Experiment, data: str) -> Finding:
    """Confirmed if the line in t explains 0.95 of the variance and more than the line in log t."""
    found = run_and_reference(experiment, data, solver)
    if found is None:
        return Finding("undecided", f"There is no run of {solver} with a reference.")
    run, reference = found
    error = experiment.error(run)[1]
    clear = (error >= THRESHOLDS.above_reference * (reference.primal - reference.dual)) & (run.iteration > 0)
    clear &= error <= error[0] / THRESHOLDS.start
    t, error = run.iteration[clear], error[clear]
    fallen = np.log10(error[0] / error[-1]) if len(error) else 0.0
    if len(t) < THRESHOLDS.fit_points or fallen < THRESHOLDS.decades:
        words = f"{solver} has {len(t)} clear points after its start, over {fallen:.1f} powers of 10;"
        return Finding("undecided", f"{words} a fit takes {THRESHOLDS.fit_points} over {THRESHOLDS.decades:g}.")
    linear, power = straight_line(t, np.log10(error)), straight_line(np.log(t), np.log(error))
    words = (
        f"err_t of {solver} falls by {fallen:.1f} powers of 10 from iteration {t[0]:,.0f} to {t[-1]:,.0f}: "
        f"R^2 = {linear.r2:.3f} as a factor of 10 every {-1 / linear.slope:,.0f} iterations, "
        f"{power.r2:.3f} as t^{power.slope:.2f}."
    )
    if power.r2 >= linear.r2:
        return Finding("refuted", words)
    return Finding("confirmed" if linear.r2 >= THRESHOLDS.linear_fit else "undecided", words)


CLAIMS = tuple(
    Claim(f"{solver} seems to converge linearly.", Place("Section 6", "", 1, 3), partial(judge, solver), "most")
    for solver in (QP_BMRM, LS_BMRM)
)
