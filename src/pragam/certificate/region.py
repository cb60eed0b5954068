r"""Where every optimum is, as far as the certified pair says: a sphere, an anchor of each bias, and the kinks.

    |w* - c| <= r                                  :mod:`pragam.certificate.sphere`
    low <= b* + <p, w* - c> <= high                :mod:`pragam.certificate.anchors`
    sum_i |<n_i, w* - c> + t_i (b* + <p, w* - c>) + e_i| <= 1        :mod:`pragam.certificate.combined`

The first two bound a score by a few products. The kinks, which bound it far more tightly where rows strictly inside
their boxes span the space, take a dense row's product with each of them: they are for the rows that are still open.

Data in blocks, which each product would read anew, have no such region; nor have the biases of several classes, which
may all be moved by the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import Any

import numpy as np

from pragam.certificate.anchors import Anchor, anchors
from pragam.certificate.combined import ENTRIES, Array, Combined, kink_matrix
from pragam.certificate.distances import of_rows
from pragam.certificate.kinks import has_kinks
from pragam.certificate.optimum import ends_of
from pragam.certificate.proof import Certificate
from pragam.certificate.sphere import sphere
from pragam.numerics.rounding import gamma
from pragam.operators.base import Vector
from pragam.operators.needs import HasData
from pragam.operators.storage import WALKING, Storage
from pragam.problem import AnyProblem


@dataclass(frozen=True, eq=False)
class Region:
    """Where every optimum is; a model has an output for each row of weights, or for each bias if it has several.

    Attributes
    ----------
    centre : (rows, d), and reach, a number: each row of w* is within it of that of the centre
    anchor : (outputs, d) points, or (0, d) where all are 0
    low, high : (outputs,) ends of b_k* + <anchor_k, w* - centre>; 0 if there is no bias
    kinks : (kinks, d + 2), none where they are of no use
    """

    centre: Array
    reach: float
    anchor: Array
    low: Vector
    high: Vector
    kinks: Array

    def decisions(self, X: Storage) -> Vector:
        """(n, outputs, 2): the least and the greatest score of every row of X, by the sphere and the anchors."""
        products = [self._product(X, c) for c in self.centre]
        apart = [of_rows(X, p) for p in self.anchor] or [of_rows(X, np.zeros(X.shape[1]))]
        outputs, found = len(self.low), []
        for k in range(outputs):
            scores, lost = products[k % len(products)]
            with np.errstate(over="ignore", invalid="ignore"):
                room = (lost + self.reach * apart[k % len(apart)]) * (1 + gamma(4))
            found.append(ends_of(scores, room, float(self.low[k]), float(self.high[k])))
        return np.stack(found, axis=1)

    def combined(self, X: Storage) -> Vector | None:
        """(n, 1, 2): the same by the kinks; None where there are none, or X hands out no rows."""
        if not len(self.kinks) or WALKING & X.lacks:
            return None
        scores, lost = self._product(X, self.centre[0])
        shift, low, high = self._kinks.around(X)
        with np.errstate(over="ignore", invalid="ignore"):
            ends = np.stack([scores + shift + low - lost, scores + shift + high + lost], axis=1)
            size = np.abs(scores) + np.abs(shift) + np.maximum(np.abs(low), np.abs(high)) + lost
            ends += np.array([-1.0, 1.0]) * np.nextafter(gamma(8) * size, inf)[:, None]
        return np.where(np.isnan(ends), np.array([-inf, inf]), ends)[:, None]

    @staticmethod
    def _product(X: Storage, c: Vector) -> tuple[Vector, Vector]:
        """X c and a bound of its rounding."""
        with np.errstate(over="ignore", invalid="ignore"):
            return X.matvec(c), X.product_error(c)

    @cached_property
    def _kinks(self) -> Combined:
        point = self.anchor[0] if len(self.anchor) else np.zeros(self.centre.shape[1])
        return Combined(self.kinks, self.reach, Anchor(point, float(self.low[0]), float(self.high[0])))


def region(
    problem: AnyProblem, w: Vector, alpha: Any, certificate: Certificate, rows: int = 1, entries: int = ENTRIES
) -> Region:
    """What ``certify(problem, w, alpha)`` says of the optimum, w in ``rows`` rows. Two to four products with the data.

    ``entries`` limits the size of the matrix of kinks.
    """
    if isinstance(problem.A, HasData) and problem.A.storage.in_blocks:
        return nowhere(w.reshape(rows, -1), problem.n_biases)
    ball = sphere(problem, w, alpha, certificate)
    if not isfinite(ball.radius):
        return nowhere(w.reshape(rows, -1), problem.n_biases)
    centre, outputs = ball.centre.reshape(rows, -1), max(rows, problem.n_biases)
    d = centre.shape[1]
    if not has_kinks(problem):
        end = inf if problem.n_biases else 0.0
        return Region(centre, ball.radius, *_open(d, outputs, end), np.zeros((0, d + 2)))
    found = anchors(problem, ball)
    matrix = kink_matrix(problem, ball, found[0] if found else Anchor(np.zeros(d), 0.0, 0.0), entries)
    if not found:
        return Region(centre, ball.radius, *_open(d, outputs, 0.0), matrix)
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return Region(centre, ball.radius, np.array([each.point for each in found]), low, high, matrix)


def nowhere(w: Array, n_biases: int) -> Region:
    """Of which nothing is known, in the shape of (rows, d) weights."""
    rows, d = w.shape
    return Region(w, inf, *_open(d, max(rows, n_biases), inf if n_biases else 0.0), np.zeros((0, d + 2)))


def _open(d: int, outputs: int, end: float) -> tuple[Array, Vector, Vector]:
    """No anchors, and all biases between -end and end."""
    return np.zeros((0, d)), np.full(outputs, -end), np.full(outputs, end)
