"""What a solver and the certificate may ask of a convex set Q of dual variables."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Polytope(ABC):
    r"""A closed convex polyhedron Q of dual variables ``alpha``, a flat float64 vector of length ``size``.

    The empirical risk of a model is a support function of Q,

        R(w) = max over alpha in Q of  <alpha, A w + c> - kappa/2 |alpha|^2,

    so a risk is defined by what its Q can do: decide membership, project, and maximise a linear function.
    """

    size: int

    @abstractmethod
    def violation(self, alpha: Vector) -> float:
        """How far ``alpha`` is outside Q, relative to the size of Q: 0 inside, inf if it holds a NaN."""

    def contains(self, alpha: Vector, tol: float = 1e-12) -> bool:
        """Whether ``alpha`` lies in Q up to the relative tolerance ``tol``."""
        return alpha.shape == (self.size,) and self.violation(alpha) <= tol

    @abstractmethod
    def project(self, v: Vector) -> Vector:
        """The point of Q nearest to ``v`` in Euclidean distance."""

    @abstractmethod
    def maximise_linear(self, s: Vector) -> Vector:
        """A vertex of Q that attains max <alpha, s>."""

    @abstractmethod
    def support(self, s: Vector, kappa: float = 0.0) -> tuple[float, float | None]:
        """``(value, multiplier)`` of max over Q of <alpha, s> - kappa/2 |alpha|^2.

        The multiplier is that of Q's equality constraint (the bias of the model), or None where Q has none.
        """

    @abstractmethod
    def radius2(self, centre: Vector | None = None) -> float:
        """An upper bound of max over Q of 1/2 |alpha - centre|^2 (centre 0 if not given)."""

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Vector:
        """A random point of Q, for tests: interior points and points on faces both occur."""
