r"""The rows that a stage of the Newton method works on, and what the others add to everything.

A dual variable is alpha_i = anchor_i + size_i beta_i with beta_i = clip(u_i, low_i, high_i) at the position u_i =
(base_i + tau s_i) / (1 + tau bend_i), base the stage's centre (:mod:`~pragam.solvers.newton.box_form`). A row whose
position is many units outside its box will hardly come back in this stage: its alpha_i stays at a bound, and it leaves
the loops. The others are the active ones. With

    fixed_i = the bound of a row that is not active, and anchor_i of one that is,

alpha = fixed + size beta, where beta now runs over the active rows alone, and the others enter only through A' fixed,
B' fixed and <c, fixed> - g(fixed). Before a stage ends all rows are looked at again; inside a stage active rows are
only added, or they could cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.newton.records import Border, Boxes, Sums
from pragam.operators.base import RowOperator, Vector
from pragam.operators.planes import Planes
from pragam.runtime.threads import n_threads
from pragam.solvers.newton.box_form import BoxForm

#: How far outside its box, in units of beta (or the part of them that matters), a row is left out.
BAND = 20.0
#: A row of the loops over rows takes as long as this many entries of a product (``_kernels/newton/boxes.cpp``).
_ENTRIES = 4
#: More than this share of all rows is not worth a copy of them, nor the memory for it.
_LARGEST_SHARE = 0.3


def threads_for(s: Vector) -> int:
    """How many threads a loop over these rows may use."""
    return n_threads(_ENTRIES * len(s))


@dataclass
class ActiveRows:
    """Some rows, or all (``rows`` is None), in contiguous arrays of their own."""

    rows: NDArray[np.int64] | None
    A: RowOperator
    B: Planes
    c: Vector
    boxes: Boxes
    s: Vector  # c + A w + B b
    beta: Vector
    fixed_adjoint: Vector  # A' fixed + tilt
    fixed_linear: float  # constant + <c, fixed> - g(fixed)
    fixed_totals: Vector  # B' fixed
    totals: Vector  # B' (size beta)
    sums: Sums

    @property
    def is_all(self) -> bool:
        return self.rows is None

    @property
    def share(self) -> Vector:
        """The rows' alpha, from the anchor on."""
        return self.boxes.size * self.beta

    def move(self, t: float, ds: Vector, tau: float) -> Vector:
        """Go t along ds, and beta with it; what that adds to alpha."""
        change, border = np.empty_like(self.beta), Border(self.B.sigma, self.B.group)
        arrays = border, self.c, t, self.s, ds, tau, self.beta, change, self.totals
        self.sums = Sums(*_kernels.get("box_move")(self.boxes, *arrays, threads_for(self.s)))
        return change

    def weights(self, tau: float, blur: float) -> Vector:
        """The rows' weights in the Hessian: that of beta's derivative inside the box, and some of it just outside.

        Only the rows inside belong to the generalised Hessian; but after a change of stage many rows are about to
        enter, and a step that does not see them is soon stopped by them.
        """
        out = np.empty_like(self.beta)
        _kernels.get("box_weights")(self.boxes, self.s, tau, blur, out, threads_for(self.s))
        return out


@dataclass
class Selection:
    """Where all rows stand at given slopes s: what the active rows are chosen from."""

    s: Vector
    beta: Vector
    near: NDArray[np.bool_]  # belongs among the active rows
    fixed: Vector


def select(
    form: BoxForm, s: Vector, base: Vector, tau: float, band: float, keep: NDArray[np.int64] | None = None
) -> Selection:
    """Rows within the band around their boxes, and those to ``keep``."""
    n = len(s)
    found = Selection(s, np.empty(n), np.zeros(n, dtype=np.bool_), np.empty(n))
    if keep is not None:
        found.near[keep] = True
    near = found.near.view(np.uint8)
    boxes = form.boxes._replace(base=base)
    _kernels.get("box_select")(boxes, s, tau, band, form.ends, found.beta, near, found.fixed, threads_for(s))
    return found


def active_rows(form: BoxForm, found: Selection, base: Vector, tau: float) -> ActiveRows:
    """The rows found near, or all if those are many. They may keep and change the arrays of ``found``."""
    A, B, boxes = form.A, form.B, form.boxes._replace(base=base)
    is_few = np.count_nonzero(found.near) <= _LARGEST_SHARE * len(found.near)
    rows = np.flatnonzero(found.near) if is_few else None
    fixed, c, s, beta = form.ends.anchor, form.c, found.s, found.beta
    if rows is not None:
        A, B, fixed, c, s, beta = A.take(rows), B.take(rows), found.fixed, c[rows], s[rows], beta[rows]
        boxes = Boxes(*(x[rows] if x.size else x for x in boxes))
    active = ActiveRows(
        rows, A, B, c, boxes, s, beta,
        form.adjoint(fixed), form.linear(fixed), form.B.rmatvec(fixed),
        np.zeros(len(form.levels)), Sums(0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    active.move(0.0, boxes.base, tau)
    return active
