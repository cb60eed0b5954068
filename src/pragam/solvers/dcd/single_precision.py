r"""w in single precision, for coordinate ascent to a low accuracy on data with many columns.

Sweeps are then limited by the bandwidth of the caches, so weights in float32 are up to twice as fast. The rest stays in
double precision: alpha, the slopes and, unless the rows are a copy in single precision themselves
(:mod:`pragam.solvers.dcd.single_rows`), every sum. If w is rounded, a slope s_i = c_i + <a_i, w> is wrong by at most
eps |a_i| |w|, and lam/2 |w|^2 <= J(w). A row's gap changes with s_i at a rate of at most width_i, the size of its box;
so all gaps are together wrong by at most

    eps max_i |a_i| sqrt(2 J(w) / lam) sum_i width_i.

Each update of w adds a rounding of its own, and those from when w was larger stay; but those of many entries cancel.
Well above that gap a sweep does the same in both precisions. Not so at large C R^2, the mean of the widths times that
of the curvatures q_i: there w goes to and fro in large steps, and ends much smaller than it was.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from pragam._kernels.coordinate.records import CURVATURE
from pragam.problem import BoxProblem
from pragam.solvers.choice.hardness import box_sizes
from pragam.solvers.dcd.single_rows import dealt
from pragam.solvers.dcd.sweep import WorkingSet

#: The least number of columns that is worth it: 256 kB of float64. A core's own cache is hardly larger, and the rows
#: pass through it too.
_COLUMNS = 2**15
#: What the roundings of all updates may come to, in units of that bound. A hundredth was seen on text at the paper's
#: lam. Should it be more, a certificate fails and double precision takes over.
_UPDATES = 4.0
#: The largest C R^2 at which that is trusted: on rcv1 at C R^2 = 1000 the roundings came to 18 times the bound.
_HARDEST = 10.0
#: A lower tolerance takes many sweeps over few rows, which are copied: single precision is not worth it there.
_TOL = 1e-5


def rounding(problem: BoxProblem, work: WorkingSet, tol: float) -> float | None:
    """What w in single precision may change of the gap, over sqrt(J); None where it is not worth it."""
    if not work.rows.has_values or work.w.size < _COLUMNS or tol < _TOL:
        return None
    largest, widths = float(problem.A.row_norms().max()), float(box_sizes(problem).sum())
    if widths / work.size * float(work.table[:, CURVATURE].mean()) > _HARDEST:
        return None
    return float(np.finfo(np.float32).eps) * largest * widths * sqrt(2 / problem.lam)


def begin(problem: BoxProblem, work: WorkingSet) -> None:
    """Go on in single precision: w, and the rows if they come from memory and a copy of them can be made."""
    if (copy := problem.keep("dealt rows", lambda: dealt(work))) is not None:
        work.read(copy.rows, copy.order)
    work.w = work.w.astype(np.float32)


def end(problem: BoxProblem, work: WorkingSet) -> None:
    """Go on with the rows of the problem, now that w is in double precision."""
    if work.order is not None:
        work.read(problem.A.contiguous_rows(), None)


def serves(rounding: float, size: float, tol: float) -> bool:
    """Whether w in single precision does for this tolerance, at a J of this size."""
    return _UPDATES * rounding <= tol * sqrt(size) < inf
