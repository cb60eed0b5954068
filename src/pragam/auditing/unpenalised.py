r"""Models that minimise a loss alone, as quantile regression does: how far from the least loss, with what is proven.

Nothing bounds the least loss over *all* weights from below but a dual point with A' alpha = 0 to the last bit, which no
solver has. What every dual point proves is a bound over a ball. With R the loss, and any lam > 0 and r,

    R(w, b) = J_lam(w, b) - lam/2 |w|^2 >= D_lam(alpha) - lam/2 r^2        for all |w| <= r and all b.

So the problem is posed at a small lam, solved and certified as any other, and the audit says: no model with |w| <= r
has a loss below the bound. Outside the ball R is convex: with w_0 the audited weights, whatever model w' lies beyond it
gains at most |w' - w_0| / (r - |w_0|) times what the best one inside it may gain.

Lengths are measured in columns of unit spread: column j is divided by a power of two next to its standard deviation
(its root mean square where X is sparse), which is exact in floats and changes no loss.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pragam.auditing.verdict import Bounds, Verdict
from pragam.models import LinearModel
from pragam.numerics.rounding import TINY, downward, gamma
from pragam.numerics.vector import Vector
from pragam.operators import check_data
from pragam.operators.storage import Storage
from pragam.samples import Rows

#: The ball's radius in lengths of the audited weights, and in losses where these are small.
_WIDER = 10.0
#: lam/2 r^2 is this share of the tolerance times the loss: half of what min J is bracketed to.
_SHARE = 0.05
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
        return (
            f"compared with all models of |w| <= {self.radius:.6g} in columns divided by 2^k, their spread, by the "
            f"same problem with lam = {self.model.risk.lam:.3g}"  # type: ignore[attr-defined]
        )


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
    radius = _WIDER * max(longest, *losses) or 1.0
    lam = 2 * _SHARE * tol * (max(min(losses), 0.0) / radius) / radius
    # A loss of 0 cannot be less, whatever lam is.
    return Ball(replace(own, risk=own.risk.at(lam if lam > 0 else tol)), scaled, radius)


def without_penalty(verdict: Verdict, lam: float, w: Vector, radius: float) -> Verdict:
    """What the bounds of J_lam say of the loss: at the model's own point, and of the least one in the ball."""
    square = _square(w)
    room = gamma(16) * square + len(w) * TINY
    low, high = 0.5 * lam * (square - room) * (1 - gamma(4)), 0.5 * lam * (square + room) * (1 + gamma(4)) + TINY
    objective = Bounds(
        max(downward(verdict.objective.lower, -high), 0.0), -downward(-verdict.objective.upper, max(low, 0.0))
    )
    penalty = 0.5 * lam * radius * radius * (1 + gamma(8)) + TINY
    least = max(downward(verdict.optimum.lower, -penalty), 0.0)  # losses are not negative
    # The loss of any model is at most its J, and the audited one is in the ball.
    best = min(verdict.optimum.upper, objective.upper)
    return replace(verdict, objective=objective, optimum=Bounds(least, best))


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
