r"""The sequential dual method (Keerthi, Sundararajan, Chang, Hsieh and Lin, "A sequential dual method for large scale
multi-class linear SVMs", KDD 2008), with exact steps, any cost matrix, pairs of labels, biases and a certified end.

D is maximised exactly over the K dual variables of one example after the other, in a fresh random order each sweep:

    alpha_i <- projection of alpha_i + s_i / q_i,    s_ik = c_ik +- <w_k, x_i>,    q_i = |x_i|^2 / lam,

on a simplex (:func:`pragam.multiclass_hinge`) or on the marginals of pairs (:func:`pragam.multilabel_hinge`), with w =
w(alpha) kept up to date (:mod:`~pragam.solvers.sequential_dual.working_set`). The literature's step is not exact.
What makes it fast:

*All labels in one pass.* The weights lie feature by feature, so a row of X is read once for all scores, in vector
registers.

*Shrinking by drift.* An example whose mass is all on one label (or one pair, or none) is set aside when it prefers that
by more than margins have lately been moving from one visit to the next. All come back when the rest look done, or have
had more work than everything before.

*Weights in single precision*, where the table is large and the tolerance allows it.

*Momentum* (:mod:`~pragam.solvers.sequential_dual.momentum`), once few blocks change their faces.

*Several sweeps in one call* of the kernel, where they are so short that the calls would cost more.

Unpenalised biases are planes, kept by multipliers (:mod:`~pragam.solvers.sequential_dual.multipliers`).

Nothing here decides to stop: the sum of the blocks' gaps as the sweep meets them only tells the driver when to certify.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np

from pragam._kernels.coordinate.records import Batch
from pragam.operators.base import Vector
from pragam.solvers.base import Certified, Cost, Solver, Start, State, curved
from pragam.solvers.onto_planes import onto_planes
from pragam.solvers.sequential_dual.cost import sequential_dual_cost
from pragam.solvers.sequential_dual.momentum import Momentum, is_momentum_due
from pragam.solvers.sequential_dual.multipliers import Multipliers, multipliers_of
from pragam.solvers.sequential_dual.working_set import LabelProblem, Swept, WorkingSet, has_signs_of_sides, whole

#: The caution of the shrinking rule: how many times further than its drift a margin has to be from turning.
_CAUTION = 1.0
#: The same for a tight tolerance: many sweeps follow then, in which an example that was set aside wrongly is missing.
_CAUTION_TIGHT = 2.5
#: A tolerance below this is tight.
_TIGHT = 1e-4
#: All examples come back when the passes have grown by this factor since they were last met.
_RECALL = 2.0
#: At the end of a sweep the gap is smaller than the sum of the blocks' gaps as met, by this factor beside sqrt(rate).
_HINDSIGHT = 1.1
#: The active examples look done at this share of the tolerance.
_DONE = 0.9
#: Entries times labels that a call of the kernel should meet. The call, and what follows it in Python, takes as long as
#: meeting some ten thousands.
_BATCH = 200_000
#: Sweeps that a call makes at the most.
_SWEEPS = 8
#: w is computed anew where the roundings of its updates may reach this share of the tolerance.
_ROUNDING = 0.1
#: Single precision is for the few passes to a low accuracy. After so many its roundings may be what is left of the gap:
#: of 19 problems that it was forced on, to 1e-9, two ended as STALLED.
_LONG = 200.0
#: The least size of a table, in entries, that is worth single precision: in float64 it would fill a core's own cache.
_LARGE_TABLE = 2**17
#: What the roundings of all updates in single precision may come to, in units of the bound below.
_UPDATES = 4.0
#: Where single precision is trusted, sqrt(J) ends at no less than this share of where it starts,
_LEAST_SHARE = 0.1
#: and rows and weights are no longer than this, and no shorter than its inverse.
_ORDINARY = 1e12
#: What alpha may be off the planes by when it is proposed, relative to its size: a certificate repairs far more.
_OFF = 1e-12
#: To a lower tolerance what a point near the planes is off them by would show where a label has little mass.
_ROUGH = 1e-5
#: The same in what it may change of D: so much of the gap asked for.
_PAID = 1e-3
#: Multiplier of a linear congruential generator modulo 2^63 (Knuth's MMIX): one sweep's seed follows from the last.
_MULTIPLIER = 6364136223846793005

_UNSWEPT = Swept(gap=inf, gain=0.0, drift2=inf, turns=0, free=0, before=inf, met=0, last=0)
_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)


@dataclass
class SequentialState(State):
    work: WorkingSet
    multipliers: Multipliers
    tol: float
    seed: int  # of the next sweep
    dual: float  # D(alpha), by the gains of the sweeps
    momentum: Momentum = field(default_factory=Momentum)
    last: Swept = _UNSWEPT
    rate: float | None = None  # by how much the last sweep has reduced the gap; None if the one before met others
    relative_gap: float = inf  # to be expected after the last sweep, for the examples that it met
    is_full: bool = False  # whether the last sweep met all examples
    is_plain: bool = True  # whether it was without momentum
    full_at: float = 0.0  # passes at the last full sweep
    recalls: int = 0  # how often all examples came back
    hold: int = 0  # sweeps before examples may be set aside again
    fresh_at: float = 0.0  # passes when w was last computed anew
    is_doubted: bool = False  # whether weights in single precision have failed a certificate, or take too long

    @property
    def looks_done(self) -> bool:
        """Whether the active examples, some others being set aside, need no more work."""
        is_done = self.work.n_active == 0 or self.relative_gap <= _DONE * self.tol
        return is_done and self.is_plain and not self.is_full

    def note(self, swept: Swept) -> None:
        """What a sweep has told, and what follows for the gap."""
        self.last = swept
        self.rate = None if swept.before == inf else min(swept.gap / max(swept.before, _TINY), 1.0)
        gap = swept.gap * (1.0 if self.rate is None else self.rate**0.5) / _HINDSIGHT + self.multipliers.excess()
        self.relative_gap = gap / max(abs(self.dual + gap), abs(self.dual), _TINY) if gap < inf else inf


@dataclass(frozen=True)
class SequentialDual(Solver[LabelProblem, SequentialState]):
    """Exact ascent over one example after the other, for models with a weight vector for each label.

    Parameters
    ----------
    shrinking : bool
        Whether examples may be set aside between full sweeps.
    momentum : bool
        Whether sweeps near the end are followed by a step along the last two.
    """

    shrinking: bool = True
    momentum: bool = True

    name = "sequential-dual"
    needs = ("A.example_rows", "Q.block_shape")
    serves = "models with a weight vector for each label, such as multiclass_hinge and multilabel_hinge"
    may_drop_rows = True

    @classmethod
    def misfits(cls, problem: LabelProblem) -> list[str]:
        signs = [] if has_signs_of_sides(problem) else ["needs weights and planes with the sign of a label's side"]
        return curved(problem) + signs

    def cost(self, problem: LabelProblem, tol: float) -> Cost:
        return sequential_dual_cost(problem, tol)

    def init(self, problem: LabelProblem, rng: np.random.Generator, start: Start | None, tol: float) -> SequentialState:
        alpha = problem.start() if start is None else start.alpha.copy()
        is_truth = start is None and problem.rest.weights is None  # w(origin) = 0, and so is that of no pair at all
        w = np.zeros(problem.n_weights) if is_truth else problem.w_of_alpha(alpha)
        multipliers, q = multipliers_of(problem, w, alpha, None if start is None else start.b)
        dtype = np.float32 if _serves_single(problem, tol) else np.float64
        work = whole(problem, w, alpha, q, multipliers.planes, dtype)
        passes = (0.0 if is_truth else 1.0) + (3.0 / work.rows.K if multipliers.count else 0.0)
        dual = problem.constant + float(problem.c @ alpha) if is_truth else problem.dual(alpha)
        return SequentialState(passes, work, multipliers, tol, int(rng.integers(2**63)), dual)

    def step(self, problem: LabelProblem, state: SequentialState) -> SequentialState:
        """Sweeps over the active examples until a tenth of all was met or they look done."""
        goal = state.passes + 0.1
        while state.passes < goal:
            _perhaps_recall(state)
            if _is_rounded(state):
                _renew(problem, state)
            self._sweep(problem, state)
            if state.looks_done:
                break
        return state

    def candidate(self, problem: LabelProblem, state: SequentialState) -> tuple[Vector, ...]:
        """w of the table, alpha on the planes, and the biases."""
        alpha, w = state.work.alpha.copy(), state.work.weights()
        if not state.multipliers.count:
            return w, alpha
        off = float(np.abs(state.multipliers.residuals).sum())
        is_cheap = state.multipliers.excess() <= _PAID * state.tol * abs(state.dual)
        if not (is_cheap and off <= _OFF * float(problem.Q.totals.sum())):
            alpha = onto_planes(problem, alpha, state.tol >= _ROUGH)
        return w, alpha, np.nan_to_num(state.multipliers.biases)

    def observe(self, problem: LabelProblem, state: SequentialState, certified: Certified) -> SequentialState:
        """An estimate that has promised too much in single precision casts doubt on it."""
        state.is_doubted = state.work.is_single and state.relative_gap <= state.tol < certified.proof.relative_gap
        return state

    def estimate(self, problem: LabelProblem, state: SequentialState) -> float:
        return state.relative_gap if state.is_plain and (state.is_full or state.looks_done) else inf

    def progress(self, problem: LabelProblem, state: SequentialState) -> float:
        """The gap of the examples that the last sweep met."""
        return state.relative_gap

    def _sweep(self, problem: LabelProblem, state: SequentialState) -> None:
        work, n = state.work, state.work.size
        all_active = work.n_active == n
        caution2 = (_CAUTION if state.tol >= _TIGHT else _CAUTION_TIGHT) ** 2 if self.shrinking else inf
        reach = inf if state.hold else caution2 * state.last.drift2
        state.is_plain = not (
            self.momentum and is_momentum_due(work, state.last, state.rate, state.relative_gap, state.tol)
        )
        goal = _HINDSIGHT * _DONE * state.tol * abs(state.dual)
        entries, sweeps = _BATCH // work.rows.K + 1 if state.is_plain else 0, min(state.hold or _SWEEPS, _SWEEPS)
        batch = Batch(inf if state.hold else caution2, state.last.gap, goal, entries, sweeps * n)
        if state.is_plain:
            state.momentum.forget()
        else:
            state.momentum.begin(work)
        swept = work.sweep(problem.lam, reach, state.seed, batch)
        state.seed = (_MULTIPLIER * state.seed + 1) % 2**63
        state.dual += swept.gain
        if not state.is_plain:
            state.dual += state.momentum.push(work, problem.lam, swept.gain)
        state.hold = max(state.hold - swept.met // n, 0)
        state.is_full = swept.last == n
        if all_active:
            state.full_at = state.passes + 1
        state.passes += swept.met / n
        if state.multipliers.count:
            state.multipliers.ascend()
        state.note(swept)


def _perhaps_recall(state: SequentialState) -> None:
    """All examples come back when the active ones look done, or have had more work than everything before.

    A few active examples could make the biases oscillate for ever. So with planes, the k-th time, all stay k sweeps.
    And where no active one moves, the biases walk off in even steps, which no example has shown as drift: all come back
    at once.
    """
    all_active = state.work.n_active == state.work.size
    is_idle = state.multipliers.count > 0 and state.last.gain == 0
    if all_active or not (state.looks_done or is_idle or state.passes > _RECALL * state.full_at + 2):
        return
    state.work.recall()
    state.last, state.relative_gap = state.last._replace(gap=inf), inf
    state.hold = state.recalls if state.multipliers.count else 0
    state.recalls += 1
    state.is_doubted |= state.work.is_single and state.passes > _LONG


def _is_rounded(state: SequentialState) -> bool:
    """Whether the updates of w, each with a rounding of its own, may have spoilt it."""
    if state.work.is_single:
        return state.is_doubted
    return _EPS * state.work.size * (state.passes - state.fresh_at) > _ROUNDING * state.tol


def _renew(problem: LabelProblem, state: SequentialState) -> None:
    """w(alpha) anew, in double precision."""
    work = state.work
    w = problem.w_of_alpha(work.alpha)
    if work.is_single:
        work.table = np.zeros(work.table.shape)
    work.set_weights(w)
    state.multipliers.refresh(problem, w, work.alpha)
    state.momentum.forget()
    state.dual, state.is_doubted = problem.dual(work.alpha), False
    state.passes += 1
    state.fresh_at = state.passes


def _serves_single(problem: LabelProblem, tol: float) -> bool:
    """Whether the weights may be in single precision.

    It changes a slope by at most eps |x_i| |w|, with |w|^2 <= 2 J / lam, and so all gaps together by at most eps max_i
    |x_i| sqrt(2 J / lam) sum_i totals_i. Rows and weights have to be of a size that float32 knows, steps of them too.
    """
    if problem.n_weights < _LARGE_TABLE:
        return False
    size = abs(
        problem.constant + problem.g.support(problem.Q, problem.c)
    )  # J at w = 0, which is no less than at the end
    largest = sqrt(float(problem.A.storage.row_norms2.max(initial=0.0)))
    if not all(1 / _ORDINARY < x < _ORDINARY for x in (largest, sqrt(2 * size / problem.lam))):
        return False
    bound = float(np.finfo(np.float32).eps) * largest * sqrt(2 / problem.lam) * float(problem.Q.totals.sum())
    return _UPDATES * bound <= tol * _LEAST_SHARE * sqrt(size) < inf
