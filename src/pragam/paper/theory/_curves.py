"""What the pictures of the theory show: curves on the corrected lower-bound instance, and the rounds of Algorithm 2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.paper.theory._instances import hadamard_problem, lipschitz
from pragam.paper.theory._trace import trace
from pragam.polytopes import project_box_plane
from pragam.problem import Problem
from pragam.solvers import LsBmrm, PegasosN, Pragam, QpBmrm, Start


class LowerBound(NamedTuple):
    """For t = 1 .. : the bound 1/(2 lam t), and by solver the least error of w_1 .. w_t and the gap it has proved.

    The error is min over 1 <= t' <= t of J(w_t') - J(w*), of the solver's own iterates: w_0 = 0 has 1/(2 lam d), less
    than any iterate before t = d. The proved gap is eps_t = min over 0 <= t' <= t of J(w_t') - D(alpha_t'), where
    alpha_t combines the columns that the solver has seen. A gap as the driver certifies it is the error from the first
    step on: the start alpha, equal weights, is optimal.
    """

    t: Vector
    bound: Vector
    error: dict[str, Vector]
    proved: dict[str, Vector]


def lower_bound_curves(d: int, lam: float, steps: int) -> LowerBound:
    """Of the methods that see one column a step. Pegasos has two iterates: the raw one, and the mean, its answer."""
    problem = hadamard_problem(d, lam)
    error, proved = {}, {}
    for solver in (QpBmrm(), LsBmrm(), PegasosN()):
        run = list(trace(problem, solver, steps))
        values = np.array([it.certificate.primal for it in run])
        duals = np.maximum.accumulate([it.certificate.dual for it in run[1:]])
        error[solver.name] = np.minimum.accumulate(values[1:])
        proved[solver.name] = np.minimum.accumulate(values)[1:] - duals
        if isinstance(solver, PegasosN):
            error["pegasos-n, raw"] = np.minimum.accumulate([problem.primal(it.state.w) for it in run[1:]])
    t = np.arange(1.0, steps + 1)
    return LowerBound(t, 1 / (2 * lam * t), error, proved)


class PragamGap(NamedTuple):
    """For k = 0 .. : J(w_k) - D(alpha_k) of PRAGAM with L given, and its bound 4 L D_2 / ((k+1)(k+2))."""

    k: Vector
    gap: Vector
    bound: Vector


def pragam_curve(problem: Problem, steps: int, start: Start | None) -> PragamGap:
    """From the centre of Q, or from a start; D_2 is taken about it."""
    L = lipschitz(problem)
    run = list(trace(problem, Pragam(lipschitz=L), steps, start))
    k = np.arange(steps + 1.0)
    gap = np.array([it.certificate.gap for it in run])
    return PragamGap(k, gap, 4 * L * run[0].state.radius2 / ((k + 1) * (k + 2)))


def vertex_start(problem: Problem) -> Start:
    """The first vertex of Q, with its weights."""
    alpha = np.zeros(problem.Q.size)
    alpha[0] = 1.0
    return Start(problem.w_of_alpha(alpha), alpha)


class BoxQP(NamedTuple):
    """f(t) = sum_i h_i(t) - z with h_i(t) = clip(t / dbar_i^2, l_i, u_i), after the paper's change of variables."""

    lower: Vector
    upper: Vector
    dbar2: Vector
    z: float

    def pieces(self, t: Vector) -> Vector:
        """h_i(t), one row an i."""
        return np.clip(np.asarray(t) / self.dbar2[:, None], self.lower[:, None], self.upper[:, None])

    def f(self, t: Vector) -> Vector:
        return self.pieces(t).sum(axis=0) - self.z

    @property
    def kinks(self) -> Vector:
        return np.sort(np.concatenate([self.dbar2 * self.lower, self.dbar2 * self.upper]))

    @property
    def root(self) -> float:
        """As the library finds it, by the median search."""
        zeros, d = np.zeros(len(self.lower)), np.sqrt(self.dbar2)
        found = project_box_plane(
            zeros, self.lower, self.upper, 1.0, self.z, d, method="median", return_multiplier=True
        )  # fmt: skip
        return float(found[1])


class Round(NamedTuple):
    """One round of Algorithm 2: the bracket before it, the kinks inside, and their median."""

    low: float
    high: float
    kinks: Vector
    median: float


def median_rounds(qp: BoxQP) -> list[Round]:
    """The rounds of the corrected search: the median is a kink, and goes with all its ties."""
    low, high, rounds = -np.inf, np.inf, []
    while len(inside := qp.kinks[(low < qp.kinks) & (qp.kinks < high)]):
        m = float(inside[len(inside) // 2])
        rounds.append(Round(low, high, inside, m))
        low, high = (m, high) if qp.f(np.array([m]))[0] < 0 else (low, m)
    return [*rounds, Round(low, high, np.empty(0), np.nan)]


def example_qp() -> BoxQP:
    """Eight intervals, two of them with the same upper kink."""
    rng = np.random.default_rng(7)
    lower = np.round(rng.uniform(-2, 0.5, 8), 1)
    upper = np.round(lower + rng.uniform(0.6, 2.4, 8), 1)
    dbar2 = np.round(rng.uniform(0.6, 1.6, 8), 1)
    upper[1] = upper[0] * dbar2[0] / dbar2[1]
    return BoxQP(lower, upper, dbar2, float(0.6 * upper.sum() + 0.4 * lower.sum()))
