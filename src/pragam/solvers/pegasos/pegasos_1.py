r"""Pegasos with one random example in every iteration ("pegasos-1"; Shalev-Shwartz, Singer and Srebro, ICML 2007).

As :mod:`pragam.solvers.pegasos.pegasos_n`, with the subgradient A' v_t replaced by the unbiased n v_{t,i} a_i for one
random row i. One call of ``step`` makes n such iterations, one pass over the data. The answer is
the mean of all iterates.

*The dual point.* The mean of n v_{t,i} e_i over the iterations is near Q, but not in it: a row drawn too often
leaves its box. The mean of v_{t,i} over the visits of row i is in its box, and tends to the same limit: that is alpha.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pragam._kernels.subgradient.records import Examples, Iterates, Rule
from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.base import LOSSES_OF_SCORES, ROWS_AND_BOX, Solver, Start, State, curved, shared, unbounded
from pragam.solvers.pegasos.pegasos_n import ball_radius


@dataclass
class Pegasos1State(State):
    w: Vector
    total: Vector  # sum of the iterates
    hits: Vector  # sum of the vertex coordinates chosen for each row
    visits: Vector
    clock: Vector  # the number of iterations, one entry
    length2: Vector
    radius: float
    rng: np.random.Generator


@dataclass(frozen=True)
class Pegasos1(Solver[BoxProblem, Pegasos1State]):
    """Pegasos, stochastic: one random example an iteration."""

    name = "pegasos-1"
    needs = ROWS_AND_BOX
    serves = LOSSES_OF_SCORES

    @classmethod
    def misfits(cls, problem: BoxProblem) -> list[str]:
        """One random row at a time cannot stay on a plane, and reads its own row of the data."""
        biased = ["needs a model without biases"] if problem.n_biases else []
        return [*biased, *shared(problem), *curved(problem), *unbounded(problem)]

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> Pegasos1State:
        n, d = problem.A.shape
        scale = problem.A.rows().scale
        norms = problem.A.row_norms() / np.where(scale == 0, 1.0, np.abs(scale))
        state = Pegasos1State(
            2.0, np.zeros(d), np.zeros(d), problem.start(), np.ones(n), np.zeros(1), norms**2,
            ball_radius(problem), rng,
        )  # fmt: skip
        if start is None:
            return state
        # The start counts as one pass of iterates, so that the first steps do not throw it away.
        return replace(state, w=start.w.copy(), total=n * start.w, hits=start.alpha.copy(), clock=np.array([float(n)]))

    def step(self, problem: BoxProblem, state: Pegasos1State) -> Pegasos1State:
        rows, box = problem.A.contiguous_rows(), problem.Q
        examples = Examples(rows.scale, problem.c, box.lower, box.upper, state.length2)
        iterates = Iterates(state.clock, state.w, state.total, state.hits, state.visits)
        rule = Rule(problem.lam, state.radius, box.size, int(state.rng.integers(2**63)))
        rows.kernel("pegasos_epoch")(*rows.arrays, examples, iterates, rule)
        state.passes += 1
        return state

    def candidate(self, problem: BoxProblem, state: Pegasos1State) -> tuple[Vector, Vector]:
        alpha = np.clip(state.hits / state.visits, problem.Q.lower, problem.Q.upper)
        return state.total / max(state.clock[0], 1.0), alpha

    def iterate(self, problem: BoxProblem, state: Pegasos1State) -> Vector:
        return state.w

    def iterations_per_step(self, problem: BoxProblem) -> int:
        return problem.Q.size
