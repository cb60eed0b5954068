r"""A projection is the point that the variational inequality describes.

Problem:    Projection P v of v on a convex set Q: boxes, box and plane, simplices and products of simplices.
Algorithm:  The polytopes' own projections; for box and plane Newton, median search and sorting.
Guarantee:  p = P v if and only if p is in Q and <v - p, a - p> <= 0 for every a in Q. The maximum over a is
            attained at a vertex, and at a = p the product is 0. So the support function of Q at v - p equals
            <v - p, p>. This tests all of Q, not samples of it.
Source:     Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1; Saha, Zhang and Vishwanathan, eq. 23 and 25
            and appendix B, whose steps are such projections.
Tight:      Yes, it characterises the projection.
Corrected:  Appendix B: the dual's last sum is over rho_i^- u'_i. The search for the multiplier is in
            box_qp_median_counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.polytopes import Box, BoxPlane, Polytope, Simplex, Simplices, project_box_plane

REFERENCE = "Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1"
SIZES = (1, 2, 7, 60)
METHODS = ("newton", "median", "sort")


def check() -> Iterator[Check]:
    for part, statement, pairs in (
        ("box", "a box", _pairs(_boxes())),
        ("box_plane", "a box cut by a plane, by all three searches", _box_plane_pairs()),
        ("simplex", "products of simplices", _pairs(_simplices())),
    ):
        yield worst_case(
            f"projection_variational_inequality.{part}",
            f"max over a in Q of <v - Pv, a - Pv> <= 0 for {statement}, in units of |v| times the size of Q.",
            pairs,
            "<=",
            1e-12,
            REFERENCE,
        )


def _boxes() -> Iterator[Box]:
    rng = np.random.default_rng(0)
    for n in SIZES:
        lower = rng.standard_normal(n)
        yield Box(lower, lower + rng.random(n))


def _planes() -> Iterator[BoxPlane]:
    rng = np.random.default_rng(1)
    for n in SIZES:
        yield BoxPlane(np.zeros(n), np.full(n, 1 / n), np.where(np.arange(n) % 3, 1.0, -1.0))
        lower = rng.standard_normal(n)
        upper, sigma = lower + rng.random(n), rng.standard_normal(n)
        yield BoxPlane(lower, upper, sigma, float(sigma @ (lower + upper)) / 2)


def _simplices() -> Iterator[Simplices]:
    rng = np.random.default_rng(2)
    for n in SIZES:
        yield Simplex(n)
        yield Simplices(rng.random(5), n)


def _points(Q: Polytope) -> Iterator[Vector]:
    """Points far and near, and points with many ties, where a search for the multiplier can fail."""
    rng = np.random.default_rng(3)
    for size in 10.0 ** np.arange(-3, 4):
        yield size * rng.standard_normal(Q.size)
        yield size * rng.integers(-1, 2, Q.size)
    yield Q.sample(rng)


def _pairs(sets: Iterator[Polytope]) -> Iterator[tuple[float, float]]:
    for Q in sets:
        for v in _points(Q):
            yield _excess(Q, v, Q.project(v)), 0.0


def _box_plane_pairs() -> Iterator[tuple[float, float]]:
    for Q in _planes():
        for v in _points(Q):
            for method in METHODS:
                p = project_box_plane(v, Q.lower, Q.upper, Q.sigma, Q.z, method=method)
                yield _excess(Q, v, p), 0.0


def _excess(Q: Polytope, v: Vector, p: Vector) -> float:
    """max over a in Q of <v - p, a - p>, in units of the terms that cancel. inf if p is not in Q."""
    if not Q.contains(p):
        return np.inf
    normal = v - p
    size = max(np.linalg.norm(v), np.linalg.norm(p)) * np.sqrt(2 * Q.radius2())
    return float(normal @ (Q.maximise_linear(normal) - p)) / (float(size) or 1.0)
