"""The algorithms. One file each, all over the same Problem; :func:`choose` picks one and checks that it fits."""

from __future__ import annotations

from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Certified, Solver, Start, State, has
from pragam.solvers.block_ascent import Bcfw, BlockAscent
from pragam.solvers.bundle.ls_bmrm import LsBmrm
from pragam.solvers.bundle.qp_bmrm import QpBmrm
from pragam.solvers.choice.auto import Auto
from pragam.solvers.dcd import Dcd
from pragam.solvers.excessive_gap.entropy import PragamEntropy
from pragam.solvers.excessive_gap.pragam import Pragam
from pragam.solvers.flow_ascent import FlowAscent
from pragam.solvers.gp import GPBlockAscent, RkhsLbfgs
from pragam.solvers.newton import Newton
from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.pegasos.pegasos_1 import Pegasos1
from pragam.solvers.pegasos.pegasos_n import PegasosN
from pragam.solvers.proximal_newton import ProximalNewton
from pragam.solvers.unfolded import Unfolded

__all__ = [
    "Auto", "Bcfw", "BlockAscent", "Certified", "Dcd", "FlowAscent", "GPBlockAscent", "LsBmrm", "Newton", "NewtonDense",
    "Pegasos1", "PegasosN", "Pragam", "PragamEntropy", "ProximalNewton", "QpBmrm", "RkhsLbfgs", "Solver", "Start",
    "State", "Unfolded", "by_name", "choose", "names",
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
        FlowAscent,
        BlockAscent,
        Bcfw,
        RkhsLbfgs,
        GPBlockAscent,
    )
}


def names() -> list[str]:
    """The names that ``pragam.solve(problem, solver=...)`` accepts."""
    return list(_SOLVERS)


def by_name(name: str) -> AnySolver:
    """The solver of this name, with its default settings."""
    if name not in _SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, names()))} or a Solver, not {name!r}")
    return _SOLVERS[name]()


def choose(solver: str | AnySolver, problem: AnyProblem) -> AnySolver:
    """The solver object for a name or an object, refused if the problem lacks what it needs."""
    if isinstance(solver, str):
        solver = by_name(solver)
    if not isinstance(solver, Solver):
        raise ValueError(f"solver must be a name or a Solver, not {solver!r}")
    missing = solver.missing(problem)
    if missing and has(problem, "Q.unfold") and not solver.missing(problem.Q.unfold(problem)):
        return Unfolded(solver)
    if missing:
        raise ValueError(f"solver {solver.name!r} does not fit this problem: it {'; it '.join(missing)}")
    return solver
