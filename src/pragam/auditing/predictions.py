r"""Which predictions on X the exact optimum shares with the model, as far as its certificate decides it.

Every optimum lies within a radius of the certified point (:mod:`pragam.certificate.optimum`), so each of its decision
values lies in an interval. A rule turns decision values into a score for each class, and the largest score wins:

- ``sign``: one value; class 0 has the score 0, class 1 the value;
- ``argmax``: a value for each class;
- ``votes``: a value for each pair i < j, positive for i; a class scores its votes, and of equal ones the first wins.

With intervals of the scores, a class is proven to win if its least score exceeds the greatest of every other class.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.optimum import neighbourhood
from pragam.driver.result import Result
from pragam.numerics.vector import Vector
from pragam.operators.needs import HasData
from pragam.problem import AnyProblem


class Agreement(NamedTuple):
    """How many predictions on X are proven to be the optimum's, proven not to be, or neither."""

    agree: int
    differ: int
    undecided: int


def agreement(
    rule: str, n_classes: int, values: Vector, problems: Sequence[AnyProblem], results: Sequence[Result]
) -> Agreement:
    """Compare the predictions of decision ``values`` (n, n_values) with those of the optima of the problems."""
    intervals = [decisions(*pair) for pair in zip(problems, results, strict=True)]
    low, high = np.moveaxis(np.concatenate(intervals, axis=1), 2, 0)
    said = class_scores(rule, n_classes, values, values)[0].argmax(axis=1)
    return compared(said, *class_scores(rule, n_classes, low, high))


def decisions(problem: AnyProblem, result: Result) -> Vector:
    """(n, n_values, 2): between which numbers the decision values of every optimum lie, on the rows of X."""
    assert isinstance(problem.A, HasData)
    return neighbourhood(problem, result.w, result.certificate).decisions(problem.A.storage, result.w)


def class_scores(rule: str, n_classes: int, low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """The least and the greatest score of every class (n, n_classes), from those of the decision values."""
    if rule == "sign":
        zero = np.zeros((len(low), 1))
        return np.hstack([zero, low]), np.hstack([zero, high])
    if rule == "argmax":
        return low, high
    least, most = np.zeros((2, len(low), n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        least[:, i] += low[:, pair] > 0
        most[:, i] += high[:, pair] > 0
        least[:, j] += high[:, pair] <= 0
        most[:, j] += low[:, pair] <= 0
    earlier_first = np.arange(n_classes) / n_classes
    return least - earlier_first, most - earlier_first


def compared(said: NDArray[np.intp], low: Vector, high: Vector) -> Agreement:
    """Count the rows whose class ``said`` is proven to win, or to lose to another."""
    rows = np.arange(len(said))
    own_low, own_high = low[rows, said], high[rows, said]
    others_low, others_high = low.copy(), high.copy()
    others_low[rows, said] = others_high[rows, said] = -np.inf
    agree = int(np.sum(own_low > others_high.max(axis=1)))
    differ = int(np.sum(others_low.max(axis=1) > own_high))
    return Agreement(agree, differ, len(said) - agree - differ)
