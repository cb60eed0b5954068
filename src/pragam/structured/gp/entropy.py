r"""g(alpha) = -(1/n) sum_i H_i, the entropy of the distributions over labellings: sequences with the logistic loss.

The maximum over Q of <alpha, s> - g(alpha) is (1/n) sum_i [log Z_i(s) - score of the true labels], attained by the
distributions p(y) ~ exp(score of y). H_i is that of a chain, sum over edges H(edge) - sum over inner nodes H(node).
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.conjugates import Conjugate
from pragam.numerics.rounding import TINY, Vector, dot, gamma, upward
from pragam.polytopes.base import Polytope
from pragam.polytopes.needs import HasMultipliers
from pragam.structured.gp.moments import ChainMoments
from pragam.structured.gp.points import GibbsPoint


class ChainEntropy(Conjugate):
    """Of the moments alone g would be a minimum over all distributions that have them. A dual point says one of these,
    whose entropy bounds the value from above; hence ``value_at`` and ``value_bound_at``.

    The bounds assume that exp and log of the C library are within 2 units in the last place.
    """

    rigorous = True
    #: As a function of the moments g has curvature everywhere and no bound of it.
    curvature = inf

    def __init__(self, n: int) -> None:
        self.n = n

    def check(self, Q: Polytope) -> None:
        if not isinstance(Q, ChainMoments):
            raise ValueError(f"the entropy of chains needs their moments, not a {type(Q).__name__}")

    def value_at(self, alpha: Any, x: Vector) -> float:
        return -alpha.moments.entropy / self.n

    def value_bound_at(self, alpha: Any, x: Vector) -> tuple[float, float]:
        moments = alpha.moments
        value = -moments.entropy / self.n
        return value, 1.01 * moments.entropy_error / self.n + gamma(1) * abs(value) + TINY

    def value(self, alpha: Vector) -> float:
        raise NotImplementedError("coordinates alone do not tell the entropy: value_at takes the dual point")

    def change_bound(self, alpha: Vector, rows: NDArray[np.int64], moves: Vector) -> float:
        """0: the entropy's error is that of the exact point already (``Moments.entropy_error``)."""
        return 0.0

    def oracle(self, Q: Any, s: Vector) -> GibbsPoint:  # type: ignore[override]
        return Q.posterior(s)

    def prox(self, Q: Polytope, s: Vector, mu: float) -> Vector:
        raise NotImplementedError("the entropy of chains has no Euclidean prox")

    def support(self, Q: Any, s: Vector) -> float:
        return Q.log_loss(s, Q.posterior(s))

    def support_bound(self, Q: Any, s: Vector, slack: Vector) -> tuple[float, float]:
        """log Z grows by at most the largest slack of a label at every token and transition, the truth's score falls by
        its own."""
        if not np.isfinite(s).all():
            return inf, inf
        point = Q.posterior(s)
        total, rounding = dot(point.log_z, np.ones(Q.n))
        truth, more = dot(Q.truth, s)
        nodes, edges = Q.parts(np.broadcast_to(slack, s.shape))
        n_edges = Q.n_tokens - Q.n
        room = 2 * (float(nodes.max(axis=1).sum()) + n_edges * float(edges.max()))
        error = rounding + more + 1.01 * (room + float(point.log_z_errors.sum())) + gamma(4) * (abs(total) + abs(truth))
        value = (total - truth) / Q.n
        lost = 1.01 * error / Q.n + gamma(1) * abs(value) + TINY
        return upward(value, lost), lost

    def multipliers(self, Q: HasMultipliers, s: Vector) -> Vector:
        raise NotImplementedError("Gaussian-process sequences have no unpenalised weights")

    def take(self, rows: NDArray[np.int64], growth: float | Vector = 1.0) -> ChainEntropy:
        raise NotImplementedError("the entropy of chains belongs to all of their dual variables")

    def __repr__(self) -> str:
        return f"ChainEntropy({self.n})"
