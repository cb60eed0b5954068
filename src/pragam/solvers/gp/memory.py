"""The memory of L-BFGS: steps and changes of the gradient, and the direction they propose.

The two loops of Nocedal (Mathematics of Computation 1980) run on coefficients of the remembered vectors, from their
inner products (Chen, Wang and Zhou, NIPS 2014). Needed are those with changes of the gradient that are not older than
the vector, which are differences of the inner products with two gradients. So an iteration reads the long vectors
twice: for the inner products with the new gradient, and for the direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from pragam.operators.base import Vector


class Memory:
    """Up to ``most`` pairs of lifted vectors, (r, d) each; see ``A.lift``. float32 will do where products are such."""

    def __init__(self, most: int, gradient: Vector, precision: DTypeLike) -> None:
        self.most = most
        self._vectors = np.zeros((2 * most, *gradient.shape), dtype=precision)  # steps at 2 k, their changes at 2 k + 1
        self._products = np.zeros((2 * most, 2 * most))  # in column 2 k + 1, those with the change
        self._with_gradient = np.zeros(2 * most)
        self._slots: list[int] = []  # the oldest first

    def clear(self) -> None:
        """Forget all."""
        self._slots = []

    def add(self, step: Vector, before: Vector, after: Vector) -> None:
        """Remember a step and the gradients at its ends, if J is convex along it as far as rounding shows; the oldest
        goes."""
        change = after - before
        own = float(step[0] @ change[-1]), float(change[0] @ change[-1])
        slot = self._slots[0] if len(self._slots) == self.most else self._free()
        if own[0] > 0:
            self._vectors[2 * slot], self._vectors[2 * slot + 1] = step, change
            self._slots = [*(other for other in self._slots if other != slot), slot]
        used = 2 * (max(self._slots, default=-1) + 1)
        found = self._vectors[:used, 0] @ after[-1].astype(self._vectors.dtype)
        self._products[:used, 2 * slot + 1] = found - self._with_gradient[:used]
        self._products[2 * slot : 2 * slot + 2, 2 * slot + 1] = own
        self._with_gradient[:used] = found

    def direction(self, gradient: Vector) -> Vector:
        """-H gradient; the gradient itself, turned and of length 1, while nothing is remembered."""
        if not self._slots:
            square = float(gradient[0] @ gradient[-1])
            return gradient / -max(np.sqrt(max(square, 0.0)), np.finfo(float).tiny)
        scale, weights = self._two_loops()
        used = self._vectors[: 2 * (max(self._slots) + 1)]
        combined = -weights[: len(used)].astype(used.dtype) @ used.reshape(len(used), -1)
        direction = -scale * gradient
        direction += combined.reshape(gradient.shape)
        return direction

    def _free(self) -> int:
        return next(slot for slot in range(self.most) if slot not in self._slots)

    def _two_loops(self) -> tuple[float, Vector]:
        """(scale, weights): H gradient = scale * gradient + sum of weights * vectors."""
        order = np.array([[2 * slot, 2 * slot + 1] for slot in self._slots]).T.ravel()  # steps, then changes
        n, with_gradient = len(self._slots), self._with_gradient[order]
        M = self._products[np.ix_(order, order[n:])]
        M[n:] = np.triu(M[n:]) + np.triu(M[n:], 1).T
        S, Y, curvature = np.triu(M[:n]), M[n:], np.diag(M).copy()  # of steps with changes that are not older
        shares, back = np.zeros(n), np.zeros(n)
        for k in range(n - 1, -1, -1):
            shares[k] = (with_gradient[k] - S[k] @ shares) / curvature[k]
        scale = curvature[-1] / Y[-1, -1]
        target = scale * (with_gradient[n:] - Y @ shares)
        for k in range(n):
            back[k] = shares[k] - (target[k] + S[:, k] @ back) / curvature[k]
        weights = np.zeros(2 * self.most)
        weights[order] = np.concatenate([back, -scale * shares])
        return float(scale), weights
