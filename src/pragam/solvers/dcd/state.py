"""What dual coordinate descent remembers, and how w follows alpha in it.

The w of all rows is that of their alpha, up to the roundings of its updates. While a copy of some rows is swept over,
the w of all rows stays where it was, with the alpha that it belongs to, and the copy has its own. What the driver
certifies is w of the whole alpha as it is now: that of all rows, less what has changed since, or computed anew where
roundings might show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.coordinate.records import ALPHA, SLOPE
from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.base import State
from pragam.solvers.dcd import single_precision
from pragam.solvers.dcd.momentum import Momentum
from pragam.solvers.dcd.multipliers import Multipliers
from pragam.solvers.dcd.sweep import Swept, WorkingSet
from pragam.views import View

#: At the end of a sweep the gap is smaller than the sum of the rows' gaps as met, by this factor beside sqrt(rate):
#: measured on sparse text (tests/solvers/dcd/test_solver.py keeps the estimate near the certified gap).
HINDSIGHT = 1.1
#: The active rows look done at this share of the tolerance.
DONE = 0.9
#: w is computed anew for a certificate where the roundings of its updates may reach this share of the tolerance.
_ROUNDING = 0.1
#: What is proposed has this share of w before the last sweep. 0.3 is as good at 1e-3, not at 1e-2.
_BACK = 0.2

_UNSWEPT = Swept(gap=inf, gain=0.0, drift2=inf, turns=0, free=0, before=inf, met=0, last=0)

_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)


@dataclass
class Sweeps:
    """What the sweeps have told, and when they met all rows."""

    last: Swept = _UNSWEPT
    rate: float | None = None  # by how much the last one has reduced the gap; None if the one before met others
    relative_gap: float = inf  # to be expected after the last one, for the rows that it met
    is_full: bool = False  # whether the last one met all rows
    is_plain: bool = True  # whether it was without momentum
    full_at: float = 0.0  # passes at the last full one
    recalls: int = 0  # how often all rows came back
    hold: int = 0  # sweeps before rows may be set aside again


@dataclass
class Copy:
    """Which rows the copy holds, and what pays for the next one."""

    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    credit: float = 0.0  # entries met by sweeps over some rows, less the price of copies
    limit: float = inf  # rows with more entries than this are too large for a copy


@dataclass
class Precision:
    """How far w of all rows can be trusted."""

    fresh_at: float = 0.0  # passes when it was last computed anew
    single: float = inf  # what single precision may change of the gap, over sqrt(J)
    size: float = inf  # of J, as far as that is known
    before: NDArray[np.float32] | None = None  # w before the last sweep, where the tolerance is near
    failures: int = 0  # certificates of w in single precision that have failed

    @property
    def is_doubted(self) -> bool:
        """Whether single precision may be why. Once, it may have been the estimate of the gap."""
        return self.failures > 1


@dataclass
class FaceSolves:
    """What pays for the next exact solve on a face, and when the last one was."""

    credit: float = 0.0  # the sweeps' share less the cost of earlier solves
    at: float = 0.0  # passes at the last one


@dataclass
class DcdState(State):
    packed: View  # the problem that is solved; what has a row each is in its order
    whole: WorkingSet
    work: WorkingSet  # what is swept over: all rows, or the copy of some
    multipliers: Multipliers
    tol: float
    seed: int  # of the next sweep
    dual: float  # D(alpha), by the gains of the sweeps
    momentum: Momentum = field(default_factory=Momentum)
    sweeps: Sweeps = field(default_factory=Sweeps)
    copy: Copy = field(default_factory=Copy)
    precision: Precision = field(default_factory=Precision)
    face: FaceSolves = field(default_factory=FaceSolves)

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
        precision = self.precision
        if self.is_single:
            return not single_precision.serves(precision.single, precision.size, self.tol)
        return _EPS * self.whole.size * (self.passes - precision.fresh_at) > _ROUNDING * self.tol

    @property
    def looks_done(self) -> bool:
        """Whether the active rows, some others being set aside, need no more work."""
        sweeps = self.sweeps
        is_done = self.work.n_active == 0 or sweeps.relative_gap <= DONE * self.tol
        return is_done and sweeps.is_plain and not sweeps.is_full

    def note(self, swept: Swept) -> None:
        """What a sweep has told, and what follows for the gap."""
        sweeps = self.sweeps
        sweeps.last = swept
        sweeps.rate = None if swept.before == inf else min(swept.gap / max(swept.before, _TINY), 1.0)
        gap = swept.gap * (1.0 if sweeps.rate is None else sweeps.rate**0.5) / HINDSIGHT
        gap += self.multipliers.excess()
        size = max(abs(self.dual + gap), abs(self.dual), _TINY)
        sweeps.relative_gap = inf if gap == inf else gap / size
        self.precision.size = size


def all_alpha(state: DcdState) -> Vector:
    """alpha, of all rows."""
    alpha = state.whole.alpha.copy()
    if state.is_copy:
        alpha[state.copy.rows] = state.work.alpha
    return alpha


def w_of(problem: BoxProblem, state: DcdState, alpha: Vector) -> Vector:
    """w(alpha): that of all rows, less what has changed since, or anew where its roundings might show."""
    if state.is_rounded:
        return problem.w_of_alpha(alpha)
    w, change = state.whole.w.astype(np.float64, copy=False), alpha - state.whole.alpha
    return w - problem.A.rmatvec(change) / problem.lam if change.any() else w


def averaged(state: DcdState, w: Vector) -> Vector:
    """w moved back towards where the last sweep began, if that is known.

    J is noisy along the sweeps, as rows that were met early no longer fit those that were met late: on text at a gap of
    1e-2 to 1e-3 the average has a gap that is smaller by 5 to 15 %, and by up to 30 % after momentum.
    """
    before = state.precision.before
    return w if before is None or state.is_copy else w + _BACK * (before - w)


def passes_of_w(state: DcdState, alpha: Vector) -> float:
    """The passes that :func:`w_of` makes."""
    return 1.0 if state.is_rounded else int(np.count_nonzero(alpha - state.whole.alpha)) / state.whole.size


def renew(problem: BoxProblem, state: DcdState) -> None:
    """Compute w of all rows anew from alpha, in double precision. A copy, whose w came from the one before, is left."""
    w = problem.w_of_alpha(all_alpha(state))
    state.passes += 1
    state.precision.fresh_at, state.precision.before = state.passes, None
    _take_all(problem, state, w)


def leave_copy(problem: BoxProblem, state: DcdState) -> None:
    """Go on with all rows, in the precision that their w had."""
    if state.is_rounded:
        renew(problem, state)
        return
    alpha = all_alpha(state)
    w = w_of(problem, state, alpha)
    state.passes += passes_of_w(state, alpha)
    _take_all(problem, state, w.astype(state.whole.w.dtype, copy=False))


def _take_all(problem: BoxProblem, state: DcdState, w: NDArray[Any]) -> None:
    """Go on with all rows and with w, which is that of alpha as it is now."""
    whole, copy = state.whole, state.work
    if state.is_copy:
        rows = state.copy.rows
        whole.w, whole.table[rows, ALPHA] = w, copy.alpha  # together: Ctrl-C must not part them
        whole.table[rows, SLOPE] = copy.table[:, SLOPE]
        state.work = whole
    else:
        whole.w = w
    if not state.is_single:
        single_precision.end(problem, whole)
    state.dual = dual_of(problem, w, whole.alpha)


def dual_of(problem: BoxProblem, w: NDArray[Any], alpha: Vector) -> float:
    """D(alpha), given w = w(alpha)."""
    w = w.astype(np.float64, copy=False)
    return problem.constant + float(problem.c @ alpha) - problem.g.value(alpha) - 0.5 * problem.lam * float(w @ w)
