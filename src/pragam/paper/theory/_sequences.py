"""Small sequences with all their labellings written out, by code that shares nothing with pragam.structured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.operators import Columns, check_data
from pragam.polytopes import Simplices
from pragam.problem import Problem
from pragam.structured import chain_hinge


@dataclass(frozen=True)
class Sequences:
    """n sequences of one length with K labels; the loss is Hamming's mean."""

    X: Vector  # (n, length, d)
    y: NDArray[np.int64]  # (n, length)
    K: int

    @property
    def labellings(self) -> NDArray[np.int64]:
        """All labellings of one sequence, (K^length, length)."""
        return np.array(list(product(range(self.K), repeat=self.y.shape[1])))

    def features(self, i: int, labels: NDArray[np.int64]) -> Vector:
        """Phi_i(y): the sum of the x_t of each label, the number of each transition, the first and the last label."""
        nodes, moves = np.zeros((self.K, self.X.shape[2])), np.zeros((self.K, self.K))
        for x, label in zip(self.X[i], labels, strict=True):
            nodes[label] += x
        for pair in pairwise(labels.tolist()):
            moves[pair] += 1
        ends = np.eye(self.K)[labels[[0, -1]]]
        return np.concatenate([nodes.ravel(), moves.ravel(), ends.ravel()])

    def differences(self, i: int) -> Vector:
        """Phi_i(y) - Phi_i(y_i) for every labelling y."""
        return np.array([self.features(i, labels) for labels in self.labellings]) - self.features(i, self.y[i])

    def losses(self, i: int) -> Vector:
        """The share of wrong labels of every labelling."""
        return np.asarray((self.labellings != self.y[i]).mean(axis=1))

    def problem(self, lam: float) -> Problem:
        """The library's own."""
        n, length = self.y.shape
        return chain_hinge(
            self.X.reshape(n * length, -1), self.y.ravel(), np.full(n, length), lam, labels=np.arange(self.K)
        )

    def edge_problem(self, lam: float) -> Problem:
        """The library's own with a dual variable for each edge, as PRAGAM works on it."""
        problem = self.problem(lam)
        return problem.Q.structure.unfolded(problem)

    def enumerated(self, lam: float) -> Problem:
        """The same problem with a dual variable for each labelling, on products of simplices."""
        n = len(self.y)
        rows = np.vstack([self.differences(i) for i in range(n)])
        offsets = np.concatenate([self.losses(i) for i in range(n)])
        return Problem(Columns(check_data(rows.T)), offsets, Simplices(np.full(n, 1 / n), len(self.labellings)), lam)


def small_sequences() -> Iterator[Sequences]:
    """Of one, two and four nodes."""
    for seed, (n, length, K, d) in enumerate([(5, 1, 3, 2), (4, 2, 4, 3), (4, 4, 3, 2), (6, 3, 2, 5)]):
        rng = np.random.default_rng(seed)
        yield Sequences(rng.standard_normal((n, length, d)), rng.integers(0, K, (n, length)), K)
