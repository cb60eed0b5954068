r"""ls-bmrm as coordinate ascent by the Gauss-Southwell rule, and as the Frank-Wolfe method.

Problem:    max over Q of D(alpha) = <c, alpha> - |A' alpha|^2 / (2 lam), Q a polytope with vertices v_1, .., v_m.
            Written in weights p of the vertices it is the dual of the bundle that holds every possible cut,

                max over the simplex of F(p) = D(sum_j p_j v_j) = <b, p> - |sum_j p_j a_j|^2 / (2 lam),

            with a_j = A' v_j and b_j = <c, v_j>. The bundle after t steps is its face of the cuts seen so far.
Algorithm:  ls-bmrm from w_0 = 0: the first cut, then an exact line search between the last point and each new cut.
Guarantee:  Let w = w(alpha), alpha = sum p_j v_j. Then dF/dp_j = b_j - <a_j, sum p_i a_i>/lam = <A w + c, v_j>, so
            the cut at w, whose vertex maximises <A w + c, v> over Q, is the coordinate of the largest partial
            derivative: the rule of Gauss and Southwell, over all vertices and not only those seen. The sum of p must
            stay 1, so the step is p + eta (e_j - p): the coordinate grows and all others shrink alike. Along it the
            slope is <A w + c, v_j - alpha>, which is J(w) - D(alpha) since lam |w|^2 = -<A w, alpha>; no other
            vertex has a larger one. eta is the exact maximiser on [0, 1]. In alpha the same step is
            alpha + eta (v_j - alpha): Frank-Wolfe with exact line search. Both give the same D(alpha_t).
Source:     Saha, Zhang and Vishwanathan, section 5, "Algorithms"; the Frank-Wolfe reading is ours.
Tight:      Yes, equalities.
Corrected:  "Coordinate" means a vertex of Q. In the dual variables alpha_i it is no coordinate ascent: on a hinge one
            step moves many of them. And the rule is by slope: another vertex may give the larger gain in D.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, matrix, other_risks
from pragam.paper.theory._trace import Iterate, trace
from pragam.problem import Problem
from pragam.risks import hinge, max_affine
from pragam.solvers import LsBmrm

REFERENCE = "Saha, Zhang and Vishwanathan, section 5, Algorithms"
STEPS = 30

#: A problem with all vertices of its Q, one a row.
Small = tuple[Problem, Vector]


def check() -> Iterator[Check]:
    small = [(problem, vertices, list(trace(problem, LsBmrm(), STEPS))) for problem, vertices in _small()]
    yield worst_case(
        "ls_bmrm_gauss_southwell.coordinate",
        "The new cut's partial derivative <A w + c, v> is the largest over all vertices of Q.",
        (pair for run in small for pair in _steepest(*run)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "ls_bmrm_gauss_southwell.coordinate_ascent",
        "Gauss-Southwell ascent in the weights of all vertices has the D(alpha_t) of ls-bmrm.",
        (pair for run in small for pair in _by_coordinates(*run)),
        "==",
        1e-9,
        REFERENCE,
    )
    of_hinges = [(problem, list(trace(problem, LsBmrm(), STEPS))) for problem in hinges(False, (1e-2,))]
    runs = [*of_hinges, *((problem, list(trace(problem, LsBmrm(), STEPS))) for problem in other_risks())]
    yield worst_case(
        "ls_bmrm_gauss_southwell.frank_wolfe",
        "Frank-Wolfe with exact line search in alpha has the D(alpha_t) of ls-bmrm.",
        (pair for run in runs for pair in _by_frank_wolfe(*run)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "ls_bmrm_gauss_southwell.slope",
        "The slope of D towards the new cut is the duality gap J(w) - D(alpha).",
        (pair for run in runs for pair in _slopes(*run)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "ls_bmrm_gauss_southwell.line_search",
        "No point of the segment to the new cut has a larger D than the next iterate, in units of J(0).",
        (pair for run in runs for pair in _on_segments(*run)),
        "<=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "ls_bmrm_gauss_southwell.not_in_alpha",
        "Each of the first three steps on a hinge moves at least two of the dual variables alpha_i.",
        (pair for _, run in of_hinges for pair in _moved(run[1:5])),
        ">=",
        0.0,
        REFERENCE,
    )
    yield Check(
        "ls_bmrm_gauss_southwell.steepest_is_not_best",
        "On some step another vertex would gain at least 1.1 times as much in D.",
        max(ratio for run in small for ratio in _gain_ratios(*run)),
        1.1,
        ">=",
        0.0,
        REFERENCE,
    )


def _small() -> Iterator[Small]:
    """Hinges of 8 rows, whose box has 256 vertices, and maxima of 30 affine functions, whose simplex has 30."""
    rng = np.random.default_rng(40)
    corners = np.array(list(product((0.0, 1 / 8), repeat=8)))
    for lam in (1e-1, 1e-2):
        yield hinge(rng.standard_normal((8, 3)), rng.choice([-1.0, 1.0], 8), lam=lam, bias=False), corners
        yield max_affine(rng.standard_normal((12, 30)), rng.random(30), lam=lam), np.eye(30)


def _cut(problem: Problem, w: Vector) -> tuple[Vector, Vector]:
    """(A w + c, the vertex that attains R(w))."""
    scores = problem.A.matvec(w) + problem.c
    return scores, problem.maximise(scores)


def _steepest(problem: Problem, vertices: Vector, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for it in run:
        scores, v = _cut(problem, it.w)
        yield float(scores @ v), float((vertices @ scores).max())


def _by_coordinates(problem: Problem, vertices: Vector, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    """An ascent that knows only F: its gradient, the largest coordinate, the line search."""
    cuts, b = vertices @ matrix(problem), vertices @ problem.c
    p = np.zeros(len(b))
    p[np.argmax(b)] = 1.0  # at w_0 = 0 the first cut is the only point of the bundle
    for it in run[1:]:
        yield float(b @ p) - float((p @ cuts) @ (p @ cuts)) / (2 * problem.lam), it.certificate.dual
        gradient = b - cuts @ (p @ cuts) / problem.lam
        direction = np.eye(len(b))[np.argmax(gradient)] - p
        moved = direction @ cuts
        curvature = float(moved @ moved) / problem.lam
        slope = float(gradient @ direction)
        p = p + (min(slope / curvature, 1.0) if curvature > 0 else 0.0) * direction


def _by_frank_wolfe(problem: Problem, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    """The method in alpha: linear oracle, line search by the values of D at three points of a parabola."""
    alpha = _cut(problem, run[0].w)[1]
    for it in run[1:]:
        yield problem.dual(alpha), it.certificate.dual
        v = _cut(problem, problem.w_of_alpha(alpha))[1]
        here, middle, there = (problem.dual(alpha + eta * (v - alpha)) for eta in (0.0, 0.5, 1.0))
        bend, slope = 2 * (here - 2 * middle + there), 4 * middle - 3 * here - there
        alpha = alpha + min(max(-slope / (2 * bend), 0.0), 1.0) * (v - alpha) if bend < 0 else alpha


def _slopes(problem: Problem, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for it in run[1:]:
        scores, v = _cut(problem, it.w)
        yield float(scores @ (v - it.alpha)), it.certificate.gap


def _on_segments(problem: Problem, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for now, then in pairwise(run[1:]):
        step = _cut(problem, now.w)[1] - now.alpha
        best = max(problem.dual(now.alpha + eta * step) for eta in np.linspace(0, 1, 21))
        yield (best - then.certificate.dual) / run[0].certificate.primal, 0.0


def _moved(run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for now, then in pairwise(run):
        yield float((now.alpha != then.alpha).sum()), 2.0


def _gain_ratios(problem: Problem, vertices: Vector, run: list[Iterate]) -> Iterator[float]:
    """The largest gain in D over all vertices, by that of the step made."""
    cuts, b = vertices @ matrix(problem), vertices @ problem.c
    for now, then in pairwise(run[1:10]):
        a = -problem.lam * now.w
        moved = cuts - a
        slope = b - float(problem.c @ now.alpha) - moved @ a / problem.lam
        curvature = np.maximum((moved * moved).sum(axis=1) / problem.lam, np.finfo(float).tiny)
        eta = np.clip(slope / curvature, 0, 1)
        gain = then.certificate.dual - now.certificate.dual
        if gain > 1e-6 * abs(then.certificate.dual):
            yield float((eta * slope - 0.5 * eta**2 * curvature).max()) / gain
