r"""Models that minimise a loss alone, as quantile regression does: how far from the least loss, with what is proven.

Nothing bounds the least loss over *all* weights from below but a dual point with A' alpha = 0 to the last bit, which no
solver has. What every dual point proves is a bound over a ball. With R the loss, and any lam > 0 and r,

    R(w, b) = J_lam(w, b) - lam/2 |w|^2 >= D_lam(alpha) - lam/2 r^2        for all |w| <= r and all b.

So the problem is posed at a small lam, solved along a path and certified as any other, and the audit says: no model
with |w| <= r has a loss below the bound. R is convex, so with w_0 the audited weights, whatever model w' lies beyond
the ball gains at most |w' - w_0| / (r - |w_0|) times what the best one inside it may gain.

Lengths are measured in columns of unit spread: column j is divided by a power of two next to its standard deviation
(its root mean square where X is sparse), which is exact in floats and changes no loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, inf, sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pragam.auditing.verdict import Bounds, Verdict
from pragam.driver.path import paths
from pragam.driver.result import Result, Status
from pragam.models import LinearModel
from pragam.numerics.rounding import TINY, downward, gamma, upward
from pragam.numerics.vector import Vector
from pragam.operators import check_data
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem
from pragam.samples import Rows

#: The ball's radius in lengths of the audited weights, and in losses where these are small.
_WIDER = 10.0
#: lam/2 r^2 is this share of the tolerance times the loss: half of what min J is bracketed to.
_SHARE = 0.05
#: How often the ball is made wider at most.
_WIDENINGS = 3
#: The path begins at 10^8 times this lam. 2000 rows of 300 columns: alone the last point stalled after 100 s with no
#: bound, and 9 points took 6 s; at the easy sizes of the tests the path costs what the point alone does.
_DECADES = 8
#: Scales are 2^-E .. 2^E: floats whose inverses are floats.
_EXPONENT = 1000


class Ball(NamedTuple):
    """A model posed at a small lam, its samples in columns of unit spread, and the radius r."""

    model: LinearModel
    samples: Rows
    radius: float

    @property
    def words(self) -> str:
        """Among which models the least loss is meant."""
        return f"compared with all models of |w| <= {self.radius:.6g}, in columns divided by 2^k next to their spread"

    @property
    def lams(self) -> list[float]:
        """The path that ends at the model's lam: from a problem that is easy to one that is not, if met alone."""
        lam = self.model.risk.lam  # type: ignore[attr-defined]
        return [lam * 10.0**k for k in range(_DECADES, -1, -1)]

    def best(self, results: Sequence[Result]) -> int:
        """Which point of the path bounds the least loss best: the last one, unless its solve ended too early."""
        bounds = [result.certificate.dual - self._penalty(lam) for result, lam in zip(results, self.lams, strict=True)]
        return len(bounds) - 1 - int(np.argmax(bounds[::-1]))

    def verdict(self, penalised: Verdict, lam: float, w: Vector, best: Vector, status: Status) -> Verdict:
        """What the bounds of J_lam say of the loss: at the model's own w, and of the least one in the ball.

        The loss of any model is at most its J. So that of the best one counts, if it is in the ball, and the model's.
        """
        square = _square(w)
        room = gamma(16) * square + len(w) * TINY
        low = max(0.5 * lam * (square - room) * (1 - gamma(4)), 0.0)
        high = 0.5 * lam * (square + room) * (1 + gamma(4)) + TINY
        given = penalised.objective
        objective = Bounds(max(downward(given.lower, -high), 0.0), upward(given.upper, -low))
        is_inside = sqrt(_square(best)) * (1 + gamma(len(w) + 16)) <= self.radius
        most = min(penalised.optimum.upper, objective.upper) if is_inside else objective.upper
        least = max(downward(penalised.optimum.lower, -self._penalty(lam)), 0.0)  # losses are not negative
        return replace(penalised, objective=objective, optimum=Bounds(min(least, most), most), status=status)

    def _penalty(self, lam: float) -> float:
        """At least lam/2 r^2."""
        return 0.5 * (lam * self.radius) * self.radius * (1 + gamma(8)) + TINY


def ball_of(model: LinearModel, samples: Rows, tol: float) -> Ball:
    """The ball around 0 that is ten times as wide as the model's weights are long, and a lam small enough for it."""
    scale = _exact(samples.X, model.tensors["coef"], _scales(samples.X))
    own = replace(model, tensors={**model.tensors, "coef": model.tensors["coef"] * scale})
    scaled = replace(samples, X=check_data(_divided(samples.X, scale)))
    losses, longest = [], 0.0
    for problem, (w, biases) in zip(own.pose(scaled), own.points(), strict=True):
        length = sqrt(_square(w))
        losses.append(problem.primal(w, biases) - 0.5 * problem.lam * length * length)
        longest = max(longest, length)
    radius = _radius(max(longest, *losses) or 1.0)
    lam = 2 * _SHARE * tol * (max(min(losses), 0.0) / radius) / radius
    # A loss of 0 cannot be less, whatever lam is.
    return Ball(replace(own, risk=own.risk.at(lam if lam > 0 else tol)), scaled, radius)


def solved(ball: Ball, tol: float, max_seconds: float | None) -> tuple[Ball, list[AnyProblem], list[list[Result]]]:
    """(the ball, its problems, their solutions along the path), in a ball that no solution leaves.

    Where one does, models outside are better than all inside, so the ball becomes ten times as wide as that is long, a
    few times at most: where the loss has no minimum, as of separable classes, solutions leave every ball.
    """
    problems, begin = ball.model.pose(ball.samples), perf_counter()
    for more in range(_WIDENINGS, -1, -1):
        left = None if max_seconds is None else max(begin + max_seconds - perf_counter(), 0.0)
        found = paths(problems, ball.lams, tol, max_seconds=left)
        last = [results[-1] for results in found]
        longest = max(sqrt(_square(result.w)) for result in last)
        if not more or longest <= ball.radius or not all(result.converged for result in last):
            break
        radius = _radius(longest)
        risk = ball.model.risk.at(ball.lams[-1] * (ball.radius / radius) ** 2)
        ball = ball._replace(model=replace(ball.model, risk=risk), radius=radius)
    return ball, problems, found


def _radius(length: float) -> float:
    """Ten times as long, in a few digits, so that what is printed is what is meant."""
    return float(f"{_WIDER * length:.4g}")


def _square(w: Vector) -> float:
    with np.errstate(over="ignore"):
        squares = np.square(w)
    return fsum(squares.tolist()) if np.isfinite(squares).all() else inf


def _scales(X: Storage) -> Vector:
    """A power of two for each column, next to its spread; 1 for a column without any."""
    kind, arrays = X.rows()
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "dense":
            spread = np.std(arrays[0], axis=0, dtype=np.float64)
        else:
            data, indices, _ = arrays
            squares = np.bincount(indices, np.square(data.astype(np.float64)), minlength=X.shape[1])
            spread = np.sqrt(squares / max(X.shape[0], 1))
    is_usable = np.isfinite(spread) & (spread > 0)
    exponent = np.round(np.log2(np.where(is_usable, spread, 1.0)))
    return np.ldexp(1.0, np.clip(exponent, -_EXPONENT, _EXPONENT).astype(np.int64))


def _exact(X: Storage, coef: Vector, scale: Vector) -> Vector:
    """The scales by which nothing underflows or overflows; 1 for other columns."""
    kind, arrays = X.rows()
    back = _divided(X, scale)
    with np.errstate(all="ignore"):
        if kind == "dense":
            is_same = (back * scale == arrays[0]).all(axis=0)
        else:
            differs = back.data * scale[arrays[1]] != arrays[0]
            is_same = np.bincount(arrays[1], differs, minlength=X.shape[1]) == 0
        is_same &= (coef * scale / scale == coef).all(axis=0)
    return np.where(is_same, scale, 1.0)


def _divided(X: Storage, scale: Vector) -> Any:
    """X in other units, as float64."""
    kind, arrays = X.rows()
    if kind == "dense":
        return arrays[0].astype(np.float64) / scale
    data, indices, indptr = arrays
    return sparse.csr_array((data.astype(np.float64) / scale[indices], indices, indptr), shape=X.shape)
