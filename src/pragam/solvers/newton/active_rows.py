r"""The rows that a stage of the Newton method works on, and what the others add to everything.

A dual variable is alpha_i = lower_i + width_i beta_i with beta_i = clip(u_i, 0, 1) at the position u_i = base_i +
tau s_i, base the stage's centre. A row whose position is many widths outside its box will hardly come back in this
stage: its beta_i stays 0 or 1, and it leaves the loops. The others are the active ones. With

    fixed_i = upper_i for a row that is not active and has beta_i = 1, else lower_i,

alpha = fixed + width beta, where beta now runs over the active rows alone, and the others enter only through A' fixed,
<c, fixed> and <sigma, fixed>. Before a stage ends all rows are looked at again; inside a stage active rows are only
added, or they could cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import BoxPlane
from pragam.problem import BoxProblem

#: How far outside its box, in widths (or the part of them that matters), a row is left out.
BAND = 20.0
#: More than this share of all rows is not worth a copy of them, nor the memory for it.
_LARGEST_SHARE = 0.3


class Sums(NamedTuple):
    """Over the active rows."""

    proximal: float  # width (beta - base)^2
    hinge: float  # width [s]_+
    linear: float  # c width beta
    plane: float  # sigma width beta
    moved: float  # 1 for each row whose alpha changed


@dataclass
class ActiveRows:
    """Some rows, or all (``rows`` is None), in contiguous arrays of their own."""

    rows: NDArray[np.int64] | None
    A: RowOperator
    c: Vector
    sigma: Vector  # zeros without a plane
    width: Vector
    s: Vector  # c + A w - bias sigma
    base: Vector
    beta: Vector
    fixed_adjoint: Vector  # A' fixed
    fixed_linear: float  # <c, fixed>
    fixed_plane: float  # <sigma, fixed>
    sums: Sums

    @property
    def is_all(self) -> bool:
        return self.rows is None

    @property
    def share(self) -> Vector:
        """The filled part of the rows' alpha."""
        return self.width * self.beta

    def move(self, t: float, ds: Vector, tau: float) -> Vector:
        """Go t along ds, to beta = clip(base + tau s, 0, 1); what that adds to alpha."""
        change = np.empty_like(self.beta)
        arguments = (t, self.s, ds, self.base, self.width, self.c, self.sigma, tau, self.beta, change)
        self.sums = Sums(*_kernels.get("box_move")(*arguments))
        return change

    def weights(self, tau: float, blur: float) -> Vector:
        """The rows' weights in the Hessian: their widths inside the box, and some of it just outside.

        Only the rows inside belong to the generalised Hessian; but after a change of stage many rows are about to
        enter, and a step that does not see them is soon stopped by them.
        """
        out = np.empty_like(self.beta)
        _kernels.get("box_weights")(self.s, self.base, self.width, tau, blur, out)
        return out


@dataclass
class Selection:
    """Where all rows stand at given slopes s: what the active rows are chosen from."""

    s: Vector
    beta: Vector
    near: NDArray[np.bool_]  # belongs among the active rows
    fixed: Vector


def select(
    problem: BoxProblem, s: Vector, base: Vector, tau: float, band: float, keep: NDArray[np.int64] | None = None
) -> Selection:
    """Rows within the band around their boxes, and those to ``keep``."""
    Q = problem.Q
    found = Selection(s, np.empty(Q.size), np.zeros(Q.size, dtype=np.bool_), np.empty(Q.size))
    if keep is not None:
        found.near[keep] = True
    near = found.near.view(np.uint8)
    _kernels.get("box_select")(s, base, tau, band, Q.lower, Q.upper, found.beta, near, found.fixed)
    return found


def active_rows(problem: BoxProblem, found: Selection, base: Vector, tau: float) -> ActiveRows:
    """The rows found near, or all if those are many. They may keep and change the arrays of ``found``."""
    A, Q, c = problem.A, problem.domain, problem.c
    sigma = Q.sigma if isinstance(Q, BoxPlane) else np.zeros(Q.size)
    rows = np.flatnonzero(found.near) if np.count_nonzero(found.near) <= _LARGEST_SHARE * Q.size else None
    here, part, fixed = (slice(None), A, Q.lower) if rows is None else (rows, A.take(rows), found.fixed)
    active = ActiveRows(
        rows, part, c[here], sigma[here], Q.upper[here] - Q.lower[here], found.s[here], base[here], found.beta[here],
        problem.adjoint(fixed) if fixed.any() else problem.tilt.copy(), problem.constant + float(c @ fixed),
        float(sigma @ fixed),
        Sums(0.0, 0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    active.move(0.0, active.base, tau)
    return active
