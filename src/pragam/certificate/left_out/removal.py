r"""What the optima of the whole problem say of a row that is left out.

*Its margin does not rise.* Let (w, b) be any optimum of J = J_i + h_i, with the margin m of row i, and (w', b') any
optimum of J_i, with the margin m'. Adding up

    J_i(w, b) + h_i(1 - m) <= J_i(w', b') + h_i(1 - m')        and        J_i(w', b') <= J_i(w, b)

leaves h_i(1 - m) <= h_i(1 - m'). Where m < 1 and the row has a weight, h_i(1 - m) > 0, and h_i is strictly monotone
there: so m' <= m. Neither optimum has to be unique, nor b. So a row on the wrong side of the plane at one optimum of
the whole problem is wrong once it is left out; only a margin of exactly 0 says nothing of the sign.

*A row that no optimum feels.* If m > 1 at every optimum of J, each of them is one of J_i, and there are no others:
alpha_i = 0 in the dual, so both have one value, J_i >= min J everywhere, and J = J_i wherever m >= 1. The optima of
J_i are a convex set. One outside those of J could be reached from one inside on a segment of optima of J_i, whose
first part has m >= 1 and is therefore of optima of J; at the last point of these m > 1 still, so the segment goes on
in them: there is no last one. A row without a weight is felt by none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.left_out.margins import MarginProblem
from pragam.operators.base import Vector


def after_removal(problem: MarginProblem, ends: Vector) -> tuple[Vector, NDArray[np.bool_]]:
    """(bounds, which rows are felt), from ``ends``, between which the score <x_i, w*> + b* of each row lies at every
    optimum of the whole problem.

    The bounds (n, 2) hold its score at every optimum of the problem without it: they are ``ends`` where no optimum
    feels the row; else infinite on the side of which nothing is said, or on both.
    """
    sign = -problem.A.scale
    low, high = np.where(sign > 0, ends[:, 0], -ends[:, 1]), np.where(sign > 0, ends[:, 1], -ends[:, 0])
    felt = (low <= 1) & (problem.Q.upper > 0)
    margins = np.stack([np.where(felt, -np.inf, low), np.where(felt & (high >= 1), np.inf, high)], axis=1)
    return by_sign(sign, margins), felt


def by_sign(sign: Vector, margins: Vector) -> Vector:
    """(n, 2): intervals of scores from those of margins, which are the scores times ``sign``; and back."""
    return np.where((sign > 0)[:, None], margins, -margins[:, ::-1])
