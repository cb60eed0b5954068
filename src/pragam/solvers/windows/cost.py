r"""What windows should cost, in counted work.

    readings = share_of_dcd P (usual / kept)^e,    e = min(C R^2, 1) / 2

P the passes that coordinate ascent should take in memory (:mod:`pragam.solvers.dcd.cost`) and ``kept`` the share of
the rows that there is room for; usually a fifth. Where C R^2 is small few rows are between their bounds, and room for
more does nothing. Each reading is followed by sweeps over the rows kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.problem import DataProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.hardness import uncentred_hardness
from pragam.solvers.choice.sizes import Sizes
from pragam.solvers.dcd.cost import dcd_cost


@dataclass(frozen=True)
class WindowsConstants:
    """From ``benchmarks/out_of_core_text.py``: a fifth, a tenth and a twentieth of text take 5, 8 and 13 readings to
    1e-3, where dcd takes 7 passes."""

    share_of_dcd: float = 0.8
    usual: float = 0.2
    least: float = 0.01  # of the rows: fewer do as much as none
    per_entry: float = 2.5e-9
    per_dual: float = 1e-7
    per_kept_entry: float = 1.4e-8  # the sweeps between two readings
    trial: float = 3.0
    trust: float = 0.7


def windows_cost(problem: DataProblem, tol: float, kept: float, by: WindowsConstants = WindowsConstants()) -> Cost:
    """The cost with this share of the rows in memory. It reads nothing: rows are as long as they are, not centred."""
    n, entries = problem.A.shape[0], max(problem.A.entries, 1)
    hard = uncentred_hardness(problem)
    sizes = Sizes(n, problem.n_weights, entries, "csr", hard, 0.5)
    passes = by.share_of_dcd * dcd_cost(sizes, tol).passes * (by.usual / max(kept, by.least)) ** (min(hard, 1.0) / 2)
    return Cost(
        passes=passes,
        steps=passes,
        per_pass=by.per_entry * entries + by.per_dual * n,
        per_step=by.per_kept_entry * entries * kept,
        trial=by.trial,
        trust=by.trust,
    )
