"""The memory of L-BFGS: steps and changes of the gradient, and the direction they propose.

The two loops of Nocedal (Mathematics of Computation 1980) run on coefficients of the remembered vectors, from their
inner products (Chen, Wang and Zhou, NIPS 2014): the long vectors are read for the inner products with the gradient and
with a new pair, and for their combination.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from pragam.operators.base import Vector


class Memory:
    """Up to ``most`` pairs of lifted vectors, (r, d) each; see ``A.lift``. float32 will do where products are such."""

    def __init__(self, most: int, shape: tuple[int, ...], precision: DTypeLike) -> None:
        self.most, self.shape, self.precision = most, shape, precision
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._vectors = np.zeros((2 * self.most, *self.shape), dtype=self.precision)  # steps, then changes
        self._products = np.zeros((2 * self.most, 2 * self.most))
        self._slots: list[int] = []  # the oldest first

    def add(self, step: Vector, change: Vector) -> None:
        """Remember a pair, if J is convex along it as far as rounding shows; the oldest goes."""
        slot = self._slots[0] if len(self._slots) == self.most else len(self._slots)
        kept = [other for other in self._slots if other != slot]
        places = [slot, self.most + slot]
        self._vectors[places] = step, change
        products = self._with(self._vectors[places, -1].T)
        self._products[:, places] = products
        self._products[places] = products.T
        is_convex = self._products[slot, self.most + slot] > 0
        self._slots = [*kept, slot] if is_convex else self._slots if slot not in self._slots else kept

    def direction(self, gradient: Vector) -> Vector:
        """-H gradient; the gradient itself, turned and of length 1, while nothing is remembered."""
        square = float(gradient[0] @ gradient[-1])
        if not self._slots:
            return gradient / -max(np.sqrt(max(square, 0.0)), np.finfo(float).tiny)
        scale, weights = self._two_loops(self._with(gradient[-1].astype(self.precision)))
        combined = weights.astype(self.precision) @ self._vectors.reshape(2 * self.most, -1)
        return -scale * gradient - combined.reshape(self.shape)

    def _with(self, representers: Vector) -> Vector:
        """The inner products of all vectors with these: a vector, or the columns of a matrix."""
        return (self._vectors[:, 0] @ representers).astype(np.float64)

    def _two_loops(self, with_gradient: Vector) -> tuple[float, Vector]:
        """(scale, weights): H gradient = scale * gradient + sum of weights * vectors."""
        M, weights, shares = self._products, np.zeros(2 * self.most), []
        pairs = [(slot, self.most + slot) for slot in self._slots]
        for step, change in reversed(pairs):
            shares.append((with_gradient[step] + weights @ M[step]) / M[step, change])
            weights[change] -= shares[-1]
        step, change = pairs[-1]
        scale = M[step, change] / M[change, change]
        weights *= scale
        for (step, change), share in zip(pairs, reversed(shares), strict=True):
            weights[step] += share - (scale * with_gradient[change] + weights @ M[change]) / M[step, change]
        return float(scale), weights
