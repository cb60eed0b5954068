"""Every kind of polytope, small: zero-width, unbounded, tied, weighted, the plane at an end of its range."""

from __future__ import annotations

import numpy as np

from pragam.polytopes import Box, BoxPlane, LabelBox, Pairs, Polytope, Simplex, Simplices
from pragam.structured import ChainLayout, ChainMarginals

INF = np.inf
SIGNS = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0])

ZOO: dict[str, Polytope] = {
    "box": Box(np.zeros(5), np.full(5, 0.2)),
    "box, weighted": Box(np.array([-1.0, 0.0, 2.0, 0.0]), np.array([1.0, 0.0, 2.0, 1e3])),
    "box, point": Box(np.ones(3), np.ones(3)),
    "box, half-line": Box(np.array([0.0, -INF, -1.0]), np.array([INF, 0.0, 1.0])),
    "box, no rows": Box(np.empty(0), np.empty(0)),
    "boxes of labels": LabelBox(np.array([0.25, 0.0, 2.0]), 2),
    "hinge with bias": BoxPlane(np.zeros(7), np.full(7, 1 / 7), SIGNS),
    "hinge with bias, weighted": BoxPlane(np.zeros(7), np.array([0, 1, 2, 0, 3, 1e-3, 5.0]), SIGNS),
    "simplex as box": BoxPlane(np.zeros(4), np.ones(4), np.ones(4), 1.0),
    "orthant and plane": BoxPlane(np.zeros(4), np.full(4, INF), np.array([1.0, 2.0, 0.5, 1.0]), 3.0),
    "hyperplane": BoxPlane(np.full(3, -INF), np.full(3, INF), np.array([1.0, -2.0, 0.0]), 1.0),
    "half-lines and plane": BoxPlane([0, -INF, -1, -INF], [INF, 0, 1, INF], [1.0, 1.0, -3.0, 0.0], 0.5),
    "quantile": BoxPlane(np.full(6, -0.3), np.full(6, 0.7), np.ones(6)),
    "plane, some sigma zero": BoxPlane(-np.ones(5), np.ones(5), np.array([0.0, 1.0, 0.0, -1.0, 3.0]), 0.5),
    "plane, all sigma zero": BoxPlane(-np.ones(3), np.ones(3), np.zeros(3), 0.0),
    "plane at its lower end": BoxPlane(np.zeros(4), np.ones(4), np.array([1.0, 1.0, -1.0, 0.0]), -1.0),
    "plane at its upper end": BoxPlane(np.zeros(4), np.ones(4), np.array([1.0, 1.0, -1.0, 0.0]), 2.0),
    "plane, wide scales": BoxPlane(np.zeros(4), np.array([1e-6, 1.0, 1e6, 0.0]), np.array([1e3, 1.0, 1e-3, 1.0]), 1.0),
    "plane, one row": BoxPlane([-1.0], [2.0], [3.0], 1.5),
    "simplex": Simplex(5),
    "simplex, total 0": Simplex(3, 0.0),
    "simplices": Simplices(np.array([0.25, 0.5, 0.0, 2.0]), 3),
    "simplices, one column": Simplices(np.array([1.0, 2.0]), 1),
    "pairs": Pairs(
        [0.25, 0.5, 2.0], [[True, False, True, False], [True, True, True, False], [False, False, True, True]]
    ),
    "pairs, two labels": Pairs([1.0, 3.0], [[True, False], [False, True]]),
    "pairs, some without one": Pairs(
        [1.0, 1.0, 0.0, 0.5], [[True] * 3, [False] * 3, [True, False, True], [False, True, True]]
    ),
    "pairs, one label": Pairs([1.0], [[True]]),
    "chains": ChainMarginals([0.5, 0.0, 1.0, 2.0], ChainLayout(np.array([3, 2, 1, 4]), 3)),
    "chains, one label": ChainMarginals([1.0, 0.25], ChainLayout(np.array([3, 1]), 1)),
}
