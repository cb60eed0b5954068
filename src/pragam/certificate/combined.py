r"""Any combination of kinks proves: the score of x, from those of training rows that are known at every optimum.

The kink inequality, divided by its right-hand side and centred at an anchor (p, low, high), is a matrix with rows
(n_i, t_i, e_i) such that for every optimum (w*, b*), with z = w* - c and o = b* + <p, z> (b and p are 0 if there is
no bias),

    sum_i |<n_i, z> + t_i o + e_i| <= 1,      n_i = m_i (a_i - sigma_i p) / T,   t_i = m_i sigma_i / T,
                                              e_i = m_i (<a_i, c> + c_i - bent_i) / T.

So for any numbers g_i, with D = 1 - sum_i g_i t_i and q = x - p - sum_i g_i n_i,

    <w*, x> + b* = <c, x> - sum_i g_i e_i + D o + <q, z> + sum_i g_i (<n_i, z> + t_i o + e_i)

is within r |q| + max_i |g_i| of its first terms, and low <= o <= high. Where the n_i span the space, q is 0 for some
g: the room is then of the order of the gap, and not of its root.

*Which g.* Those of ridge regressions of x - p on the n_i (:mod:`.ridges`). Nothing depends on how well that is solved:
the bound is computed from g, outward. The matrix is rounded once, when it is made, and scaled so that the inequality
holds for the floats that are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.certificate.anchors import Anchor
from pragam.certificate.kinks import Kinks, kinks
from pragam.certificate.ridges import Ridges
from pragam.certificate.sphere import Sphere
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector
from pragam.operators.storage import WALKING, Storage
from pragam.problem import DataProblem

Array = NDArray[np.float64]

#: The numbers that a matrix of kinks may have. A row that is bounded by them takes twice as many products.
ENTRIES = 2**16
#: Fewer kinks than this share of the directions of w are not worth their time.
_FEWEST = 0.25
#: Entries of the largest table of a step.
_STEP = 2**20


def kink_matrix(problem: DataProblem, ball: Sphere, anchor: Anchor, entries: int = ENTRIES) -> Array:
    """(kinks, d + 2): (n_i, t_i, e_i) of the rows with the most room; none where they are too few to say much."""
    d = problem.n_weights
    nothing, most = np.zeros((0, d + 2)), entries // (d + 2)
    can_walk = not (WALKING & (problem.A.lacks | problem.A.storage.lacks))
    if problem.n_biases > 1 or most < _FEWEST * d or not can_walk or not np.isfinite([anchor.low, anchor.high]).all():
        return nothing
    known = kinks(problem, ball)
    if len(known.rows) > most:  # all are divided by T, which with curvature is that of those chosen
        known = kinks(problem, ball, np.sort(known.rows[np.argsort(-known.most, kind="stable")[:most]]))
    if not len(known.rows) or not np.isfinite(known.total):
        return nothing
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = _scaled(problem, ball, anchor, known)
    return matrix if np.isfinite(matrix).all() else nothing


def _scaled(problem: DataProblem, ball: Sphere, anchor: Anchor, known: Kinks) -> Array:
    """The matrix, divided by 1 and what its rounding adds to the inequality at most."""
    A, c, d, at = problem.A, ball.centre, problem.n_weights, known.rows
    data = A.storage.take(at if A.number is None else A.number[at])
    rows, sizes = A.scale[at][:, None] * dense(data), np.abs(A.scale[at]) * data.row_sizes
    sigma, point, length = problem.B.sigma[at], anchor.point, norm(anchor.point)
    product, offset = rows @ c, problem.c[at] - known.bent
    parts = np.column_stack([rows - sigma[:, None] * point, sigma, product + offset])
    # What each column block is off by, times what it is multiplied by at most: z, o and 1.
    far = max(abs(anchor.low), abs(anchor.high))
    span = sizes + np.abs(sigma) * length
    rounding = gamma(np.asarray(data.counts, dtype=np.float64) + d + 16)
    off = rounding * (ball.radius * span + sizes * norm(c)) + gamma(8) * np.abs(sigma) * far
    off += gamma(8) * (np.abs(product) + np.abs(problem.c[at]) + np.abs(known.bent))
    off += 8 * TINY * d**0.5 * (1 + ball.radius + far + norm(c)) * (1 + np.abs(A.scale[at]) + np.abs(sigma) + span)
    share = known.most / known.total
    added = 1.01 * float(share @ off) + 8 * TINY * d**0.5 * len(at) * (1 + ball.radius + far)
    matrix: Array = parts * (share / (1 + added + gamma(16)))[:, None]
    return matrix


def dense(X: Storage) -> Array:
    """Its rows as an array, repeated entries summed: rounded by at most gamma(entries) of their sizes."""
    kind, arrays = X.rows()
    if kind == "dense":
        return np.asarray(arrays[0], dtype=np.float64)
    data, indices, indptr = arrays
    end = int(indptr[-1])
    return np.asarray(sparse.csr_array((data[:end].astype(np.float64), indices[:end], indptr), shape=X.shape).toarray())


@dataclass(frozen=True, eq=False)
class Combined:
    """What the kinks say of scores: a matrix of :func:`kink_matrix`, the radius of the sphere, and the anchor."""

    matrix: Array
    reach: float
    anchor: Anchor

    def around(self, X: Storage) -> tuple[Vector, Vector, Vector]:
        """(shift, low, high): <w*, x> + b* lies between <c, x> + shift + low and <c, x> + shift + high."""
        step = max(_STEP // (len(self.matrix) + X.shape[1] + 1), 1)
        parts = [self._of(X.part(first, min(first + step, X.shape[0]))) for first in range(0, X.shape[0], step)]
        columns = zip(*parts, strict=True) if parts else ([np.zeros(0)] for _ in range(3))
        shift, low, high = (np.concatenate(list(column)) for column in columns)
        return shift, low, high

    def _of(self, X: Storage) -> tuple[Vector, Vector, Vector]:
        p, low, high = self.anchor
        F, d = len(self.matrix), X.shape[1]
        n, t, e = self.matrix[:, :d], self.matrix[:, d], self.matrix[:, d + 1]
        with np.errstate(all="ignore"):
            away = dense(X) - p
            g = self._combination(away)
            size, largest = np.abs(g), np.abs(g).max(axis=1, initial=0.0)
            shift, left = -(g @ e), 1 - g @ t
            q = away - g @ n
            span = X.row_bounds + norm(p) + size @ self._lengths
            lost = gamma(F + 8) * span + gamma(np.asarray(X.counts, dtype=np.float64) + 8) * X.row_sizes
            lost += 8 * TINY * (F + 8) * d**0.5 * (1 + size.sum(axis=1)) * (1 + self._lengths.max(initial=0.0))
            length = np.sqrt(np.einsum("ij,ij->i", q, q)) * (1 + gamma(d + LANES)) + lost + (8 * d * TINY) ** 0.5
            off = gamma(F + 8) * (1 + size @ np.abs(t)) + 4 * TINY * (F + 1) * (1 + size.sum(axis=1))
            room = self.reach * length + largest + off * max(abs(low), abs(high))
            room += gamma(F + 8) * (size @ np.abs(e)) + 4 * TINY * F * (1 + size.sum(axis=1))
            ends = left * low, left * high
            room = (room + gamma(8) * np.maximum(*map(np.abs, ends))) * (1 + gamma(16))
        return shift, np.minimum(*ends) - room, np.maximum(*ends) + room

    def _combination(self, away: Array) -> Array:
        """g for every row."""
        combined: Array = self._ridges.combinations(self._ridges.best(away).coordinates)
        return np.where(np.isfinite(combined), combined, 0.0)

    @cached_property
    def _ridges(self) -> Ridges:
        return Ridges(np.ascontiguousarray(self.matrix[:, :-2]), self.reach)

    @cached_property
    def _lengths(self) -> Vector:
        """At least |n_i|."""
        return np.array([norm(row) for row in np.ascontiguousarray(self.matrix[:, :-2])]) * (1 + gamma(LANES))
