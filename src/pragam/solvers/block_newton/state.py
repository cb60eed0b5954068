"""What blocked Newton keeps from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf

from pragam.numerics.remade import remade
from pragam.operators.base import Vector
from pragam.operators.storage import Places
from pragam.problem import DataProblem
from pragam.solvers.base import State
from pragam.solvers.block_newton.posed import Duals, Posed
from pragam.solvers.block_newton.tasks import Entry, Point, Seen
from pragam.solvers.newton.box_form import BoxForm
from pragam.solvers.newton.state import Stage

#: A blur smaller than this is none.
_LEAST_BLUR = 0.01


@dataclass
class Looked:
    """What a round has found: the problem of the stage at its point."""

    alpha: Vector
    beta: Vector
    adjoint: Vector  # A' alpha + tilt
    off: Vector  # levels - B' alpha
    sums: Seen  # over all blocks
    free: Vector  # what alpha would be without bounds, of the dual variables held here


@dataclass(frozen=True, eq=False)
class OnBlocks:
    """The blocks with their dual variables, the last of which this process works on itself."""

    places: Places
    duals: slice  # of these last ones


@dataclass
class BlockNewtonState(State):
    tol: float
    form: BoxForm
    blocks: OnBlocks
    band: float  # of the slopes that begin between the bounds
    w: Vector
    b: Vector
    stage: Stage
    log: tuple[Entry, ...]
    steepness: Vector  # the curvature along each bias, over tau, with all rows inside their boxes
    means: Vector  # of the rows on each plane, by their weights in the last step
    alpha: Vector  # feasible, with its product at hand
    looked: Looked | None = None
    values: tuple[float, float] = (inf, -inf)  # the best J and D, as nearly as plain sums say


@remade
def posed_on_blocks(problem: DataProblem, form: BoxForm, sample: float) -> OnBlocks:
    """The problem on its blocks, the last of which have so many rows."""
    A, storage = problem.A, problem.A.storage
    ends = storage.ends.tolist()  # type: ignore[attr-defined]
    first = next(k for k in reversed(range(len(ends) - 1)) if k == 0 or ends[-1] - ends[k] >= sample)
    beside = [Posed(Duals.of(A, form, A.duals_of(start, end), start)) for start, end in pairwise(ends)]
    places = storage.place(range(len(ends)), beside, len(beside) - first)  # type: ignore[attr-defined]
    return OnBlocks(places, A.duals_of(ends[first], ends[-1]))


def point_of(state: BlockNewtonState) -> Point:
    stage = state.stage
    blur = stage.blur * stage.unit if stage.blur >= _LEAST_BLUR else 0.0
    return Point(state.b, stage.tau, blur, state.band, state.log)
