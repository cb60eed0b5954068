"""The bounds of several problems at once: those on the same X share the reading of it, two products in all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pragam.certificate.lower import Lower
from pragam.certificate.upper import Upper
from pragam.operators.base import Vector
from pragam.operators.together import matvecs, rmatvecs, share_data
from pragam.problem import AnyProblem


def bounds_together(
    problems: Sequence[AnyProblem], weights: Sequence[Vector], duals: Sequence[Any]
) -> list[tuple[Upper, Lower]]:
    """(Upper(problem, w), Lower(problem, alpha)) for every problem: what they prove is the same, to the bit."""
    uppers = [Upper(problem, w) for problem, w in zip(problems, weights, strict=True)]
    lowers = [Lower(problem, alpha) for problem, alpha in zip(problems, duals, strict=True)]
    operators = [problem.A for problem in problems]
    if share_data(operators):
        with np.errstate(over="ignore", invalid="ignore"):
            products = matvecs(operators, weights)
            adjoints = rmatvecs(operators, [lower.argument for lower in lowers])
        for upper, lower, product, adjoint in zip(uppers, lowers, products, adjoints, strict=True):
            upper.product, lower.product = product, adjoint
    return list(zip(uppers, lowers, strict=True))
