r"""The paper's conjecture: its lower bound holds for subgradient methods such as Pegasos. What holds, what does not.

Problem:    The corrected instance of hadamard_lower_bound, J(w) = lam/2 |w|^2 + max over i of <a_i, w> + 1/(2 lam d),
            with a_1, .., a_d the columns of H_d / sqrt(d), orthonormal. J(w*) = 0, w* = -(1/(lam d)) sum_i a_i.
Algorithm:  Any method from w_0 = 0 whose w_t lies in the span of the columns that its oracle has returned in t steps,
            one a step: any step lengths, averages of the iterates, scalings, projections on balls about 0. So
            pegasos-n, its mean and its raw iterates, subgradient methods with other steps, ls-bmrm and qp-bmrm.
Guarantee:  For every t < d some column a_j was not returned, and <a_j, w_t> = 0, so max_i <a_i, w_t> >= 0 and

                J(w_t) - J(w*) >= 1/(2 lam d) + lam/2 |w_t|^2.                                             (error)

            Every lower bound of J by the columns seen is D(p) of weights p of t of them, D(p) = 1/(2 lam d) -
            |p|^2 / (2 lam), and |p|^2 >= 1/t. With (error), what such a method can prove is no better than

                eps_t = min over t' <= t of J(w_t') - max D(p) >= 1/(2 lam t).                             (proof)

            So an error below 1/(2 lam d) takes all d steps, which is of order 1/(lam eps): the conjecture is true
            in this form. The raw iterate of pegasos-n is that of qp-bmrm for t <= d: unseen columns have the
            largest score, so each step returns a new one, and w_t is minus their mean over lam. It is exact at
            t = d; the mean of the iterates, its answer, is not.
Source:     Saha, Zhang and Vishwanathan, section 6, paragraph 2 (a conjecture); the proof is ours.
Tight:      Yes: w = 0 attains (error) and, with equal weights, (proof).
Corrected:  Three things do not hold. (1) J(w_t) - J(w*) >= 1/(2 lam t) is false if w may be scaled: 0 has
            1/(2 lam d). (2) The oracle must return one column at ties, as ours does. At w_0 = 0 all columns tie,
            and a step along their mean, a subgradient too, ends at w*. With k columns a step the bound is
            1/(2 lam k t). (3) A projection on another set that holds w*, the line of e_1, leaves the span: one
            step ends at w*. And the instance is a maximum, not a hinge: of a hinge, one subgradient combines all
            rows with a positive loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import hadamard

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hadamard_problem
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.solvers import PegasosN, QpBmrm

REFERENCE = "Saha, Zhang and Vishwanathan, section 6 (conjecture)"
INSTANCES = [(d, lam) for d in (8, 32) for lam in (0.1, 1e-3)]
#: Columns that the oracle of (2) returns together.
SEVERAL = 3


class Method(NamedTuple):
    """A subgradient method: its step lengths at t = 1, 2, .., times lam, and its projection."""

    step: Callable[[int], float]
    project: Callable[[Vector], Vector] = lambda w: w


def check() -> Iterator[Check]:
    points = [(d, lam, *point) for d, lam in INSTANCES for point in _points(d, lam)]
    yield worst_case(
        "subgradient_lower_bound.span",
        "Iterates, means and projections on a ball about 0 lie in the span of the columns seen (distance over length).",
        ((_distance(w, seen, d), 0.0) for d, lam, w, seen in points if w.any()),
        "<=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.error",
        "Before all d columns are seen J(w) - J(w*) >= 1/(2 lam d) + lam/2 |w|^2.",
        ((_objective(w, d, lam), 1 / (2 * lam * d) + lam / 2 * float(w @ w)) for d, lam, w, seen in points),
        ">=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.proof",
        "After t < d columns no such method can prove a gap below 1/(2 lam t).",
        (_provable(_objective(w, d, lam), len(seen), d, lam) for d, lam, w, seen in points),
        ">=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.pegasos_is_bmrm",
        "The raw iterates of pegasos-n have the J(w_t) of qp-bmrm for 1 <= t < d.",
        (pair for d, lam in INSTANCES for pair in _pegasos_and_bmrm(d, lam)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield from _what_does_not_hold()


def _what_does_not_hold() -> Iterator[Check]:
    yield worst_case(
        "subgradient_lower_bound.scaled_to_zero",
        "Scaled to 0, an iterate has J - J(w*) = 1/(2 lam d), below 1/(2 lam t) for every t < d.",
        ((hadamard_problem(d, lam).primal(np.zeros(d)), 1 / (2 * lam * d)) for d, lam in INSTANCES),
        "==",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.oracle",
        "Where all columns tie, our oracle returns one of them.",
        ((float(np.count_nonzero(_vertex(hadamard_problem(d, lam), np.zeros(d)))), 1.0) for d, lam in INSTANCES),
        "==",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.mean_of_ties",
        "A step along the mean of the tied columns ends at the optimum, in units of J(0).",
        ((_objective(-_columns(d).mean(axis=1) / lam, d, lam) * 2 * lam * d, 0.0) for d, lam in INSTANCES),
        "<=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.several_columns",
        f"With {SEVERAL} columns a step, t steps prove a gap of 1/(2 lam {SEVERAL} t), and not of 1/(2 lam t).",
        (pair for d, lam in INSTANCES for pair in _several(d, lam)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "subgradient_lower_bound.other_projection",
        "One step of Pegasos, projected on the line of e_1, which holds w*, ends at the optimum, in units of J(0).",
        ((_objective(_on_first_axis(-_columns(d)[:, 0] / lam), d, lam) * 2 * lam * d, 0.0) for d, lam in INSTANCES),
        "<=",
        1e-12,
        REFERENCE,
    )


def _points(d: int, lam: float) -> Iterator[tuple[Vector, list[int]]]:
    """Iterates, their means and scalings of several methods, while 1 <= t < d columns are seen, with these columns."""
    radius = 1 / (lam * np.sqrt(d))  # |w*|
    methods = [
        Method(lambda t: 1 / t),
        Method(lambda t: 1 / t, lambda w: w * min(1.0, radius / float(np.linalg.norm(w)))),
        Method(lambda t: 2 / (t + 1)),
        Method(lambda t: 1 / np.sqrt(t)),
        Method(lambda t: 0.1),
    ]
    for method in methods:
        total = np.zeros(d)
        for t, (w, seen) in enumerate(_iterates(hadamard_problem(d, lam), method), start=1):
            total += w
            yield from ((point, seen) for point in (w, total / t, 0.1 * w, 10 * w))
    solver = PegasosN()
    for it in trace(hadamard_problem(d, lam), solver, d - 1):
        if it.t:
            seen = list(np.flatnonzero(it.alpha))
            yield from ((point, seen) for point in (it.w, it.state.w))


def _iterates(problem: Problem, method: Method) -> Iterator[tuple[Vector, list[int]]]:
    """w_1, w_2, .. of w <- project(w - step/lam (lam w + a)), with the columns seen, until all are or t = 4 d."""
    d = problem.n_weights
    w, seen = np.zeros(d), list[int]()
    for t in range(1, 4 * d):
        v = _vertex(problem, w)
        seen = sorted({*seen, *np.flatnonzero(v).tolist()})
        if len(seen) == d:
            return
        w = method.project(w - method.step(t) * (w + problem.A.rmatvec(v) / problem.lam))
        yield w, seen


def _vertex(problem: Problem, w: Vector) -> Vector:
    """What the oracle returns: weights of columns."""
    return problem.maximise(problem.A.matvec(w) + problem.c)


def _columns(d: int) -> Vector:
    return hadamard(d) / np.sqrt(d)


def _objective(w: Vector, d: int, lam: float) -> float:
    """J, by its formula; J(w*) = 0."""
    return lam / 2 * float(w @ w) + float((_columns(d).T @ w).max()) + 1 / (2 * lam * d)


def _provable(objective: float, t: int, d: int, lam: float) -> tuple[float, float]:
    """The gap to the largest lower bound that t columns give, that of equal weights; and the bound of it."""
    return objective - (1 / (2 * lam * d) - 1 / (2 * lam * t)), 1 / (2 * lam * t)


def _distance(w: Vector, seen: list[int], d: int) -> float:
    """From the span of these columns, relative to |w|."""
    basis = _columns(d)[:, seen]
    return float(np.linalg.norm(w - basis @ (basis.T @ w)) / np.linalg.norm(w))


def _pegasos_and_bmrm(d: int, lam: float) -> Iterator[tuple[float, float]]:
    problem = hadamard_problem(d, lam)
    runs = zip(trace(problem, PegasosN(), d - 1), trace(problem, QpBmrm(), d - 1), strict=True)
    yield from ((problem.primal(ours.state.w), other.certificate.primal) for ours, other in runs if ours.t)


def _several(d: int, lam: float) -> Iterator[tuple[float, float]]:
    """Pegasos with the mean of several columns of largest score; the gap of J(0) and the D of its own weights."""
    columns, p = _columns(d), np.zeros(d)
    for t in range(1, (d - 1) // SEVERAL + 1):
        scores = columns.T @ (columns @ p / -lam)
        p *= 1 - 1 / t
        p[np.argsort(-scores, kind="stable")[:SEVERAL]] += 1 / (SEVERAL * t)
        dual = 1 / (2 * lam * d) - float(p @ p) / (2 * lam)
        yield _objective(np.zeros(d), d, lam) - dual, 1 / (2 * lam * SEVERAL * t)


def _on_first_axis(w: Vector) -> Vector:
    return w * (np.arange(len(w)) == 0)
