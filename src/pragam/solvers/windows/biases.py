r"""The plane of the bias: kept by multipliers, as in dcd, and reached exactly where D is to be proven.

The sweeps maximise F (:mod:`pragam.solvers.dcd.multipliers`), whose rows are a_i + sigma_i m. The mean m is that of a
sample, the first rows; lift = A m and the lengths are found when a row is first met, so none of this takes a reading.

After a pass the residual r = <sigma, alpha> - level is some rows' worth. Block 0 is met last and takes it: its part of
alpha is moved onto the plane that the others leave it, before its share of A' alpha is gathered. What a certificate
still repairs, by the rounding of r, is the row of least alpha, where many are 0 one of the first rows too. Where it is
another one, as with quantiles, A' alpha takes a reading.
"""

from __future__ import annotations

import numpy as np

from pragam._kernels.coordinate.records import NO_PLANES, Planes
from pragam.operators.base import Vector
from pragam.operators.data_rows import Met
from pragam.polytopes import BoxPlane
from pragam.problem import DataProblem
from pragam.solvers.dcd.multipliers import Multipliers, centred2, penalty
from pragam.solvers.windows.table import Table

#: The mean of so many rows is m, but of no more than this share of all.
_SAMPLE, _SHARE = 1000, 0.05
#: Repairs after which alpha no longer changes.
_REPAIRS = 4


def n_sampled(problem: DataProblem) -> int:
    """The rows whose mean is taken."""
    n = problem.A.storage.shape[0]
    return min(_SAMPLE, max(int(_SHARE * n), 1), n)


def multipliers_from(problem: DataProblem, w: Vector, alpha: Vector, scores: Vector | None) -> Multipliers:
    """The state at the start: at the best bias for the scores A w + c, which are not needed without one. The planes
    have no terms: the table lays these out for the variables at hand."""
    if scores is None:
        return Multipliers(NO_PLANES, np.empty(0), np.empty(0))
    A, sigma, norms = problem.A, problem.B.sigma, problem.A.row_norms()
    rows = np.arange(n_sampled(problem))
    duals, own = A.of_rows(rows, A.storage.take(rows))
    some = sigma[duals]
    total = float(some @ some)
    centre = own.rmatvec(some) / -total if total > 0 else np.zeros(problem.n_weights)
    centre2 = float(centre @ centre)
    shorter = norms[duals] ** 2 - centred2(norms[duals], some, own.matvec(centre), centre2)
    gained = float(shorter.sum()) / total if total > 0 else 0.0  # by the mean, for each sigma^2
    length2 = np.maximum(norms**2 - gained * sigma**2, 0.0)
    kappa = np.broadcast_to(problem.g.curvature, problem.Q.size)
    planes = Planes(NO_PLANES.terms, None, np.zeros(2), np.zeros(1), penalty(problem, length2, kappa), centre2)
    multipliers = Multipliers(planes, problem.levels, centre)
    multipliers.settle(w, problem.B.rmatvec(alpha) - problem.levels)
    multipliers.biases = np.nan_to_num(problem.best_biases(scores), nan=0.0)
    return multipliers


def meet(table: Table, met: Met, duals: slice) -> None:
    """Find the lifts of a block that is met for the first time."""
    if table.multipliers.count and duals.start < duals.stop and np.isnan(table.lift[duals.start]):
        table.lift[duals] = met.A.matvec(table.multipliers.centre)


def weights(table: Table, lam: float) -> Vector:
    """The weights of the model: w, moved by the mean as far as alpha is off the plane. A copy."""
    multipliers = table.multipliers
    if not multipliers.count:
        return table.w.copy()
    return table.w - float(multipliers.residuals[0]) / lam * multipliers.centre


def land(problem: DataProblem, table: Table, met: Met, duals: slice) -> bool:
    """Move the variables of this block so that alpha is on the plane, as a certificate takes it. Whether it could."""
    cut = problem.cut
    if not isinstance(cut, BoxPlane):
        return True
    alpha, before = table.alpha, table.alpha[duals].copy()
    alpha[duals] = 0.0
    rest = cut.z - float(cut.sigma @ alpha)
    try:
        own = BoxPlane(cut.lower[duals], cut.upper[duals], cut.sigma[duals], rest)
        alpha[duals] = own.onto_face(before)
    except ValueError:  # too much for one block
        alpha[duals] = before
        return False
    point = alpha
    for _ in range(_REPAIRS):
        repaired = cut.repair(point).point
        if np.array_equal(repaired, point):
            break
        point = repaired
    others = slice(0, duals.start), slice(duals.stop, None)
    if not all(np.array_equal(point[those], alpha[those]) for those in others):
        alpha[duals] = before
        return False
    alpha[duals] = point[duals]
    table.w -= met.A.rmatvec(alpha[duals] - before) / problem.lam
    table.refresh()
    return True


def project(problem: DataProblem, table: Table) -> None:
    """Move alpha onto the plane by any of its variables: w is no longer that of alpha."""
    alpha = problem.domain.repair(problem.domain.onto_face(table.alpha)).point
    table.alpha[:] = problem.domain.repair(alpha).point
