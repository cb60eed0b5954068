r"""The certificate of the sum of several problems.

Problems that share nothing but X, as one-vs-rest, have a sum whose minimum is the sum of their minima:

    sum_k D_k(alpha_k) <= min of sum_k J_k = sum_k min J_k <= sum_k J_k(w_k).

Sums of bounds are bounds if they are rounded outward: upper bounds up, lower bounds down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pragam.certificate.proof import Certificate
from pragam.numerics.rounding import TINY
from pragam.operators.base import Vector


def total_certificate(certificates: Sequence[Certificate]) -> Certificate:
    """That of the sum of the problems."""
    if len(certificates) == 1:
        return certificates[0]
    return Certificate(
        float(sum_upward([proof.primal for proof in certificates])),
        float(sum_downward([proof.dual for proof in certificates])),
        np.concatenate([proof.biases for proof in certificates]),
        exact=all(proof.exact for proof in certificates),
        rigorous=all(proof.rigorous for proof in certificates),
        slack=float(sum_upward([proof.slack for proof in certificates])),
    )


def sum_upward(bounds: Sequence[float] | Sequence[Vector]) -> Vector:
    """At least the sum of these upper bounds, numbers or columns of numbers."""
    return _sum(bounds, np.inf)


def sum_downward(bounds: Sequence[float] | Sequence[Vector]) -> Vector:
    """At most the sum of these lower bounds."""
    return _sum(bounds, -np.inf)


def _sum(bounds: Sequence[float] | Sequence[Vector], outward: float) -> Vector:
    """Rounded outward, towards ``outward``, after every addition; what is below TINY may have been read as zero."""
    total, lost = np.array(bounds[0], dtype=np.float64), np.copysign(2 * TINY, outward)
    for bound in bounds[1:]:
        total = np.nextafter(total + bound + lost, outward)
    return total
