r"""Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), with a certified end.

On a box, D is maximised exactly over one alpha_i after the other, in a fresh random order each sweep:

    alpha_i <- clip(alpha_i + s_i / q_i, lower_i, upper_i),   s_i = c_i + <a_i, w>,   q_i = |a_i|^2 / lam,

with w = w(alpha) kept up to date. Rows that sit at a bound with a slope steeper than any violation of the last
sweep are set aside ("shrinking"). The sum of the rows' gaps, (upper_i - alpha_i) [s_i]_+ + (alpha_i - lower_i)
[-s_i]_+, is the duality gap but for the drift of w within the sweep: it tells the driver when to certify. When the
active rows look done, all rows come back; nothing here decides to stop, so there is no plateau to mistake for an
optimum.

*An unpenalised bias* is the equality <sigma, alpha> = z, kept by a multiplier (:mod:`pragam.solvers.equality`).

*The end*: when the sweeps since the last time have cost a few times as much as a Newton step on the current face,
that step is made (:mod:`pragam.solvers.face`). On small problems this finds the optimum to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import RowOperator, Rows, Vector
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.solvers.base import BOX_OR_PLANE, PIECEWISE_LINEAR, ROWS, Solver, Start, State
from pragam.solvers.equality import Equality, equality_of, onto_plane
from pragam.solvers.face import COST_LU, COST_SVD, maximise_on_face

#: No face solve beyond this many free rows: its matrix would be the largest thing in memory.
_LARGEST_FACE = 2000
#: Below this tolerance w is rebuilt from alpha before each certificate: the updates leave rounding in it.
_CARRY = 1e-8
#: What part of the work face solves may take, as a share of that of the sweeps.
_FACE_SHARE = 0.25
#: How much the work grows from one face solve to the next where there is a bias.
_FACE_GROWTH = 1.2


@dataclass
class DcdState(State):
    w: Vector
    alpha: Vector
    rows: Rows
    q: Vector
    equality: Equality
    active: NDArray[np.int64]  # a permutation of all rows; the first n_active are active
    n_active: int
    highest: float  # extreme violations of the last sweep, beyond which rows are set aside
    lowest: float
    gap: float  # of the rows met in the last sweep
    dual: float  # D(alpha), by the gains of the sweeps
    was_full: bool  # whether that sweep met all rows
    full_at: float  # passes at the last full sweep
    readmissions: int  # how often all rows came back
    hold: int  # sweeps before rows may be set aside again
    tol: float
    rng: np.random.Generator
    face_credit: float  # work of the sweeps less that of the face solves
    face_at: float  # passes at the last face solve


@dataclass(frozen=True)
class Dcd(Solver[DcdState]):
    """Dual coordinate descent with shrinking.

    Parameters
    ----------
    shrinking : bool
        Whether rows may be set aside between full sweeps.
    face : bool
        Whether to finish on the identified face by an exact solve.
    """

    shrinking: bool = True
    face: bool = True

    name = "dcd"
    requires = (ROWS, BOX_OR_PLANE, PIECEWISE_LINEAR)

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> DcdState:
        assert isinstance(problem.A, RowOperator)
        n = problem.Q.size
        alpha = problem.Q.project(np.zeros(n)) if start is None else start.alpha.copy()
        w = problem.w_of_alpha(alpha)
        equality, q = equality_of(problem, w, alpha)
        return DcdState(
            passes=4.0 if equality.active else 1.0,
            w=w,
            alpha=alpha,
            rows=problem.A.rows(),
            q=q,
            equality=equality,
            active=np.arange(n, dtype=np.int64),
            n_active=n,
            highest=np.inf,
            lowest=-np.inf,
            gap=np.inf,
            dual=_dual(problem, w, alpha),
            was_full=False,
            full_at=0.0,
            readmissions=0,
            hold=0,
            tol=tol,
            rng=rng,
            face_credit=0.0,
            face_at=0.0,
        )

    def step(self, problem: Problem, state: DcdState) -> DcdState:
        """Sweeps over the active rows until a tenth of all rows was met, then perhaps a face solve."""
        goal = state.passes + 0.1
        while True:
            state = self._sweep(problem, state)
            if state.equality.active:
                state.equality.ascend()
            state = _readmit(state)
            if state.passes >= goal:
                return _climb_face(problem, state) if self.face else state

    def candidate(self, problem: Problem, state: DcdState) -> tuple[Vector, Vector]:
        if state.equality.active:
            alpha = onto_plane(problem, state.alpha)
            state.passes += 1
            return problem.w_of_alpha(alpha), alpha
        if state.tol < _CARRY:
            state.w[:] = problem.w_of_alpha(state.alpha)
            state.passes += 1
        return state.w, state.alpha

    def estimate(self, problem: Problem, state: DcdState) -> float:
        return _relative_gap(state) if state.was_full else np.inf

    def _sweep(self, problem: Problem, state: DcdState) -> DcdState:
        rows, box, n_met = state.rows, problem.Q, state.n_active
        assert isinstance(box, Box)
        thresholds = (state.highest, state.lowest) if self.shrinking and not state.hold else (np.inf, -np.inf)
        n_active, gap, gain, highest, lowest = _kernels.get("dcd_sweep_" + rows.kind)(
            *rows.arrays, rows.scale, problem.c, box.lower, box.upper, state.q, problem.lam,
            state.active, n_met, *thresholds, state.w, state.alpha,
            *state.equality.kernel_arguments(), int(state.rng.integers(2**63)),
        )  # fmt: skip
        full = n_met == len(state.active)
        share = n_met / len(state.active)
        room = state.equality.next_shift
        return replace(
            state,
            passes=state.passes + share,
            n_active=n_active,
            highest=highest + room if highest > 0 else np.inf,
            lowest=lowest - room if lowest < 0 else -np.inf,
            gap=gap,
            dual=state.dual + gain,
            was_full=full,
            full_at=state.passes + share if full else state.full_at,
            hold=max(state.hold - 1, 0),
            face_credit=state.face_credit + _FACE_SHARE * 4 * share * _entries(rows),
        )


def _entries(rows: Rows) -> int:
    return rows.arrays[0].size


def _readmit(state: DcdState) -> DcdState:
    """All rows come back when the active ones look done, or have had as much work as everything before.

    How far alpha is off the plane does not count here: if it is the active rows' only fault, only others can mend it.
    Nor may a few active rows draw the bias to and fro for ever: with a plane, the k-th time all rows stay k sweeps.
    """
    if state.n_active == len(state.active):
        return state
    done = state.n_active == 0 or _relative(state.gap, state) <= 0.5 * state.tol
    if done or state.passes > 2 * state.full_at + 2:
        return replace(
            state,
            n_active=len(state.active),
            highest=np.inf,
            lowest=-np.inf,
            hold=state.readmissions if state.equality.active else 0,
            readmissions=state.readmissions + 1,
        )
    return state


def _relative_gap(state: DcdState) -> float:
    """The gap of the last sweep and of what alpha is off the plane, relatively."""
    return _relative(state.gap + (1.0 + abs(state.equality.bias)) * abs(state.equality.residual), state)


def _relative(gap: float, state: DcdState) -> float:
    """A gap over the primal value that it and D(alpha) imply."""
    return gap / max(abs(state.dual + gap), abs(state.dual), np.finfo(np.float64).tiny)


def _dual(problem: Problem, w: Vector, alpha: Vector) -> float:
    """D(alpha), given w = w(alpha)."""
    return float(problem.c @ alpha) - 0.5 * problem.lam * float(w @ w)


def _climb_face(problem: Problem, state: DcdState) -> DcdState:
    """One exact solve on the current face, if it is small and the sweeps have paid for it.

    More free rows than weights (and bias) are linearly dependent, which makes the solve dear. A wrong face gives a
    wrong bias, so with a plane the sweeps have ever more time between two solves to find their own.
    """
    Q, A, equality = problem.Q, problem.A, state.equality
    assert isinstance(Q, Box) and isinstance(A, RowOperator)
    free = np.flatnonzero((state.alpha > Q.lower) & (state.alpha < Q.upper))
    assembly = free.size**2 * _entries(state.rows) / Q.size
    regular = free.size <= problem.n_weights + equality.active
    price = assembly + (COST_LU if regular else COST_LU + COST_SVD) * free.size**3
    too_soon = equality.active and state.passes < _FACE_GROWTH * state.face_at
    if not 0 < free.size <= _LARGEST_FACE or price > state.face_credit or too_soon:
        return state
    part = A.take(free)
    slopes = part.matvec(state.w) + problem.c[free]
    sigma = equality.sigma[free] if equality.active else None
    maximum = maximise_on_face(
        part.gram() / problem.lam, slopes if sigma is None else slopes - equality.bias * sigma, state.alpha[free],
        Q.lower[free], Q.upper[free], sigma, equality.residual, budget=state.face_credit - assembly,
    )  # fmt: skip
    state.w -= part.rmatvec(maximum.alpha - state.alpha[free]) / problem.lam
    state.alpha[free] = maximum.alpha
    equality.refresh(problem, state.w, state.alpha)
    equality.multiplier += maximum.shift
    return replace(
        state,
        passes=state.passes + free.size / Q.size,
        dual=_dual(problem, state.w, state.alpha),
        face_credit=state.face_credit - assembly - maximum.work,
        face_at=state.passes,
    )
