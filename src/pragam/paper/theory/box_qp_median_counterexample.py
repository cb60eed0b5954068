r"""A counterexample: the median search as the paper prints it.

Problem:    The root of f(t) = sum_i clip(t, l_i, u_i) - z, non-decreasing and piecewise linear with kinks S =
            {l_i} and {u_i} (Algorithm 2 after its change of variables).
Algorithm:  Algorithm 2 as printed, with the lower, the upper and the averaged median of a list of even
            length; and ``project_box_plane(method="median")``.
Guarantee:  Two equal entries projected on the simplex have S = (0, 0, 1, 1). With either element of S as the
            median no round makes S smaller, so the loop never ends. With the averaged median S loses the
            root. On the intervals [0, 2] and [1, 3] with z = 5/2 it returns 3/2, where f(3/2) = 1/2, but the
            root is 5/4. Our search ends and is exact on both.
Source:     Saha, Zhang and Vishwanathan, appendix B, Algorithm 2, disproved as printed.
Tight:      Yes, equalities.
Corrected:  In pragam.polytopes.multiplier_search: the median is an element of S, each round drops it with all
            its ties, and the last piece may be flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.polytopes import project_box_plane

PRINTED = "Saha, Zhang and Vishwanathan, Algorithm 2 (as printed)"
CORRECTED = "Saha, Zhang and Vishwanathan, Algorithm 2 (corrected)"
ROUNDS = 1000

#: (l, u, z, root) of the two instances.
TIES = (np.zeros(2), np.ones(2), 1.0, 0.5)
OVERLAP = (np.array([0.0, 1.0]), np.array([2.0, 3.0]), 2.5, 1.25)


def check() -> Iterator[Check]:
    for part, median in (("lower", _lower), ("upper", _upper)):
        yield Check(
            f"box_qp_median_counterexample.{part}",
            f"As printed, with the {part} median, S = (0, 0, 1, 1) has 4 elements after {ROUNDS} rounds.",
            float(len(_printed_search(*TIES[:3], median))),
            4.0,
            "==",
            0.0,
            PRINTED,
        )
    S = _printed_search(*OVERLAP[:3], np.median)
    yield Check(
        "box_qp_median_counterexample.averaged",
        "As printed, with the averaged median, the answer is 3/2 where the root is 5/4.",
        _printed_root(*OVERLAP[:3], S),
        1.5,
        "==",
        1e-12,
        PRINTED,
    )
    yield worst_case(
        "box_qp_median_counterexample.ours",
        "Our median search ends with the root on both instances.",
        [(_our_root(*case[:3]), case[3]) for case in (TIES, OVERLAP)],
        "==",
        1e-12,
        CORRECTED,
    )


def _f(lower: Vector, upper: Vector, z: float, t: float) -> float:
    return float(np.clip(t, lower, upper).sum()) - z


def _printed_search(lower: Vector, upper: Vector, z: float, median: Callable[[Vector], float]) -> Vector:
    """The final S of lines 1-9 of Algorithm 2, which are given up after ROUNDS rounds."""
    S = np.concatenate([lower, upper])
    for _ in range(ROUNDS):
        if len(S) <= 2:
            break
        m = median(S)
        S = S[m >= S] if _f(lower, upper, z, m) >= 0 else S[m <= S]
    return S


def _printed_root(lower: Vector, upper: Vector, z: float, S: Vector) -> float:
    """Line 10 of Algorithm 2."""
    l, u = S.min(), S.max()
    at_l, at_u = _f(lower, upper, z, l), _f(lower, upper, z, u)
    return float((l * at_u - u * at_l) / (at_u - at_l))


def _our_root(lower: Vector, upper: Vector, z: float) -> float:
    return project_box_plane(np.zeros(2), lower, upper, 1.0, z, method="median", return_multiplier=True)[1]


def _lower(S: Vector) -> float:
    return float(np.sort(S)[(len(S) - 1) // 2])


def _upper(S: Vector) -> float:
    return float(np.sort(S)[len(S) // 2])
