"""What weights are worth on a data set: J by plain evaluation, and what they get right of the test rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem


class Judge:
    """The same for all solvers and peers. It makes no certificate: J is a float64 sum here."""

    def __init__(self, problem: AnyProblem, X_test: Any, y_test: Any) -> None:
        self._problem, self._X, self._is_positive = problem, X_test, y_test > 0

    def primal(self, w: Vector, biases: Vector | None = None) -> float:
        """J(w, b); without biases, at the best ones for this w."""
        return self._problem.primal(w, biases)

    def accuracy(self, w: Vector, biases: Vector | None = None) -> float:
        """The share of test rows on the right side; NaN if there are none."""
        if not len(self._is_positive):
            return float("nan")
        if biases is None:
            biases = self._biases(w)
        scores = self._X @ w + float(np.sum(biases))
        return float(np.mean((scores > 0) == self._is_positive))

    def chunk_f1(self, w: Vector) -> float:
        """The F1 of chunks of the test sequences; NaN of data that have none."""
        return float("nan")

    def _biases(self, w: Vector) -> Vector:
        return self._problem.best_biases(self._problem.scores(w)) if self._problem.n_biases else np.empty(0)
