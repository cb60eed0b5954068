"""What dual coordinate descent remembers, and how w follows alpha in it.

The w of all rows is that of their alpha, up to the roundings of its updates. While a copy of some rows is swept over,
it stays where it was, with the alpha that it belongs to, and the copy has its own. What the driver certifies is w of
the whole alpha as it is now: that of all rows, less what has changed since, or anew where roundings might show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.solvers.base import State
from pragam.solvers.dcd import single_precision as single
from pragam.solvers.dcd.equality import Equality
from pragam.solvers.dcd.momentum import Momentum
from pragam.solvers.dcd.sweep import ALPHA, SLOPE, Swept, WorkingSet
from pragam.solvers.packed import Packed

#: At the end of a sweep the gap is this much less than the sum of the gaps as met, beside sqrt(rate): measured on text.
HINDSIGHT = 1.1
#: The active rows look done at this share of the tolerance.
DONE = 0.9
#: w is computed anew for a certificate where the roundings of its updates might come to this share of the tolerance.
_ROUNDING = 0.1

_UNSWEPT = Swept(gap=inf, gain=0.0, drift2=inf, turns=0, free=0, before=inf, met=0, last=0)

_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)


@dataclass
class DcdState(State):
    packed: Packed  # the problem that is solved; what has a row each is in its order
    whole: WorkingSet
    work: WorkingSet  # all rows, or the copy of some
    equality: Equality
    tol: float
    seed: int  # of the next sweep
    dual: float  # D(alpha), by the gains of the sweeps
    copied: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # which rows the copy holds
    momentum: Momentum = field(default_factory=Momentum)
    swept: Swept = _UNSWEPT  # what the last sweep told
    rate: float | None = None  # by how much it has reduced the gap; None if the one before met others
    relative_gap: float = inf  # what it and alpha's distance from the plane let expect, for the rows met
    is_full: bool = False  # whether it met all rows
    is_plain: bool = True  # whether it was without momentum
    full_at: float = 0.0  # passes at the last full sweep
    fresh_at: float = 0.0  # passes when w of all rows was last computed anew
    single_rounding: float = inf  # what w in single precision may change of the gap, over sqrt(J)
    size: float = inf  # of J, as far as that is known
    was_offered: bool = False  # whether w in single precision has been a candidate; if it goes on, that did not do
    copy_credit: float = 0.0  # entries met by sweeps over some rows, less the price of copies
    recalls: int = 0  # how often all rows came back
    hold: int = 0  # sweeps before rows may be set aside again
    copy_limit: float = inf  # rows with more entries will be too large for a copy
    face_credit: float = 0.0  # work of the sweeps less that of the face solves
    face_at: float = 0.0  # passes at the last face solve

    @property
    def is_copy(self) -> bool:
        return self.work is not self.whole

    @property
    def is_single(self) -> bool:
        """Whether w of all rows is in single precision."""
        return self.whole.w.dtype == np.float32

    @property
    def is_rounded(self) -> bool:
        """Whether the updates of w of all rows, each with a rounding of its own, may have spoilt it."""
        if self.is_single:
            return not single.serves(self.single_rounding, self.size, self.tol)
        return _EPS * self.whole.size * (self.passes - self.fresh_at) > _ROUNDING * self.tol

    @property
    def looks_done(self) -> bool:
        """Whether the active rows, some others being set aside, need no more work."""
        return not self.is_full and self.is_plain and (self.work.n_active == 0 or self.relative_gap <= DONE * self.tol)

    def note(self, swept: Swept) -> None:
        """What a sweep has told, and what follows for the gap."""
        self.swept = swept
        self.rate = None if swept.before == inf else min(swept.gap / max(swept.before, _TINY), 1.0)
        gap = swept.gap * (1.0 if self.rate is None else self.rate**0.5) / HINDSIGHT
        if self.equality.active:
            gap += (1.0 + abs(self.equality.bias)) * abs(self.equality.residual)
        self.size = max(abs(self.dual + gap), abs(self.dual), _TINY)
        self.relative_gap = inf if gap == inf else gap / self.size


def all_alpha(state: DcdState) -> Vector:
    """alpha, of all rows."""
    alpha = state.whole.alpha.copy()
    if state.is_copy:
        alpha[state.copied] = state.work.alpha
    return alpha


def w_of(problem: Problem, state: DcdState, alpha: Vector) -> Vector:
    """w(alpha): that of all rows, less what has changed since, or anew where its roundings might show."""
    if state.is_rounded:
        state.passes += 1
        return problem.w_of_alpha(alpha)
    w, change = state.whole.w.astype(np.float64, copy=False), alpha - state.whole.alpha
    moved = int(np.count_nonzero(change))
    state.passes += moved / state.whole.size
    return w - problem.A.rmatvec(change) / problem.lam if moved else w


def renew(problem: Problem, state: DcdState) -> None:
    """Compute w of all rows anew from alpha, in double precision. A copy, whose w came from the one before, is left."""
    w = problem.w_of_alpha(all_alpha(state))
    state.passes += 1
    state.fresh_at = state.passes
    _take_all(problem, state, w)


def leave_copy(problem: Problem, state: DcdState) -> None:
    """Go on with all rows, in the precision that their w had."""
    if state.is_rounded:
        renew(problem, state)
    else:
        _take_all(problem, state, w_of(problem, state, all_alpha(state)).astype(state.whole.w.dtype, copy=False))


def _take_all(problem: Problem, state: DcdState, w: NDArray[Any]) -> None:
    """Go on with all rows and with w, which is that of alpha as it is now."""
    whole, copy = state.whole, state.work
    if state.is_copy:
        whole.w, whole.table[state.copied, ALPHA] = w, copy.alpha  # together: Ctrl-C must not part them
        whole.table[state.copied, SLOPE] = copy.table[:, SLOPE]
        state.work = whole
    else:
        whole.w = w
    state.dual = dual_of(problem, w, whole.alpha)


def dual_of(problem: Problem, w: NDArray[Any], alpha: Vector) -> float:
    """D(alpha), given w = w(alpha)."""
    w = w.astype(np.float64, copy=False)
    return float(problem.c @ alpha) - 0.5 * problem.lam * float(w @ w)
