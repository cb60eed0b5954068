"""The algorithms. One file each, all over the same Problem; :func:`choose` picks one and checks that it fits."""

from __future__ import annotations

from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Certified, Solver, Start, State, Tools
from pragam.solvers.block_ascent import Bcfw, BlockAscent
from pragam.solvers.block_newton import BlockNewton
from pragam.solvers.bundle.ls_bmrm import LsBmrm
from pragam.solvers.bundle.qp_bmrm import QpBmrm
from pragam.solvers.choice.auto import Auto
from pragam.solvers.dcd import Dcd
from pragam.solvers.excessive_gap.entropy import PragamEntropy
from pragam.solvers.excessive_gap.pragam import Pragam
from pragam.solvers.flow_ascent import FlowAscent
from pragam.solvers.gp import GPBlockAscent, RkhsLbfgs
from pragam.solvers.merged_ascent import MergedAscent
from pragam.solvers.newton import Newton
from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.pegasos.pegasos_1 import Pegasos1
from pragam.solvers.pegasos.pegasos_n import PegasosN
from pragam.solvers.proximal_newton import ProximalNewton
from pragam.solvers.sequential_dual import SequentialDual
from pragam.solvers.unfolded import Unfolded, can_unfold
from pragam.solvers.windows import Windows
from pragam.solvers.working_set import WorkingSet

__all__ = [
    "Auto", "Bcfw", "BlockAscent", "BlockNewton", "Certified", "Dcd", "FlowAscent", "GPBlockAscent", "LsBmrm",
    "MergedAscent", "Newton", "NewtonDense", "Pegasos1", "PegasosN", "Pragam", "PragamEntropy", "ProximalNewton",
    "QpBmrm", "RkhsLbfgs", "SequentialDual", "Solver", "Start", "State", "Tools", "Unfolded", "Windows", "WorkingSet",
    "by_name", "choose", "fitting", "names",
]  # fmt: skip

_SOLVERS: dict[str, type[AnySolver]] = {
    solver.name: solver
    for solver in (
        Auto,
        Pragam,
        PragamEntropy,
        QpBmrm,
        LsBmrm,
        PegasosN,
        Pegasos1,
        Dcd,
        Newton,
        NewtonDense,
        ProximalNewton,
        SequentialDual,
        FlowAscent,
        BlockAscent,
        Bcfw,
        RkhsLbfgs,
        GPBlockAscent,
        WorkingSet,
        BlockNewton,
        Windows,
        MergedAscent,
    )
}


def names() -> list[str]:
    """The names that ``pragam.solve(problem, solver=...)`` accepts."""
    return sorted(_SOLVERS)


def by_name(name: str) -> AnySolver:
    """The solver of this name, with its default settings."""
    if name not in _SOLVERS:
        raise ValueError(f"solver must be {_one_of(names())} or a Solver, not {name!r}")
    return _SOLVERS[name]()


def choose(solver: str | AnySolver, problem: AnyProblem) -> AnySolver:
    """The solver object for a name or an object, refused if the problem lacks what it needs."""
    if isinstance(solver, str) and solver not in _SOLVERS:
        raise ValueError(f"solver must be {_one_of(fitting(problem))} or a Solver, not {solver!r}")
    method = by_name(solver) if isinstance(solver, str) else solver
    if not isinstance(method, Solver):
        raise ValueError(f"solver must be a name or a Solver, not {solver!r}")
    missing = method.missing(problem)
    if missing and _fits_unfolded(method, problem):
        return Unfolded(method)
    if missing:
        reasons = "; it ".join(missing)
        raise ValueError(
            f"solver {method.name!r} does not fit this problem: it {reasons}. What fits is {_one_of(fitting(problem))}"
        )
    return method


def fitting(problem: AnyProblem) -> list[str]:
    """The names of the solvers that fit the problem."""
    every = {name: by_name(name) for name in names()}
    return [name for name, method in every.items() if not method.missing(problem) or _fits_unfolded(method, problem)]


def _fits_unfolded(method: AnySolver, problem: AnyProblem) -> bool:
    return can_unfold(problem) and not method.missing(problem.Q.unfold(problem))


def _one_of(choices: list[str]) -> str:
    return f"one of {', '.join(map(repr, choices))}"
