"""What a structured problem knows of its examples: the scores, losses and features of their labellings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pragam.numerics.rounding import TINY
from pragam.numerics.vector import Vector


class Moments(NamedTuple):
    r"""What a dual point expects, sum_i totals_i E[.] over its distributions of labellings.

    ``features`` are those of Phi_i(y) - Phi_i(y_i), at most ``distance`` from the exact ones in Euclidean length, and
    ``loss`` is that of loss_i(y), within ``loss_error``. Both lie in one vector, ``point``, the loss at its end.
    """

    point: Vector
    distance: float
    loss_error: float

    @classmethod
    def of(cls, features: Vector, loss: float, distance: float = 0.0, loss_error: float = 0.0) -> Moments:
        """From the two parts, copied."""
        return cls(np.append(features, loss), distance, loss_error)

    @property
    def features(self) -> Vector:
        """A view."""
        return self.point[:-1]

    @property
    def loss(self) -> float:
        return float(self.point[-1])


def lengths_of(residual: Vector) -> Vector:
    """Bounds of the Euclidean lengths of the rows; squares below TINY may have been lost."""
    squares = np.einsum("ik,ik->i", residual, residual)
    return np.asarray(np.sqrt(squares) + np.sqrt(residual.shape[1] * TINY), dtype=np.float64)


class Structure(ABC):
    """The examples i of a problem, their labellings y, joint features Phi_i(y), losses loss_i(y) and truths y_i.

    A *dual point* is, for each example, a distribution over its labellings, in whatever form the structure knows. It
    has a ``copy``.
    """

    totals: Vector  # weight_i / n

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of examples."""

    @property
    @abstractmethod
    def n_weights(self) -> int:
        """The length of w."""

    @property
    def exact(self) -> bool:
        """False if labellings are taken from an outer relaxation."""
        return True

    @property
    def rigorous(self) -> bool:
        """Whether ``values_bound`` and ``moments`` bound their rounding."""
        return False

    @abstractmethod
    def decode(self, w: Vector, loss: float = 1.0) -> Any:
        """A dual point: for each example a labelling that maximises loss * loss_i(y) + <w, Phi_i(y)>."""

    @abstractmethod
    def values(self, w: Vector, loss: float = 1.0) -> Vector:
        """max over y of loss * loss_i(y) + <w, Phi_i(y) - Phi_i(y_i)>, for each example."""

    @abstractmethod
    def values_bound(self, w: Vector) -> tuple[Vector, Vector]:
        """``(values, slack)`` with loss 1: no value exceeds their sum, as real numbers, if ``rigorous``."""

    @abstractmethod
    def check(self, point: Any) -> Any:
        """A dual point that was given. ValueError if it is none."""

    @abstractmethod
    def moments(self, point: Any) -> Moments:
        """What a dual point expects."""

    @abstractmethod
    def truth(self) -> Any:
        """The dual point of the true labellings."""

    @abstractmethod
    def combine(self, weights: Vector, points: Sequence[Any]) -> Any:
        """The mixture of dual points with these weights >= 0, which sum to 1."""

    @abstractmethod
    def radius(self) -> float:
        """A bound of the length of the features of every dual point."""

    @property
    @abstractmethod
    def entries(self) -> int:
        """How many numbers a pass over the examples reads, for estimates of costs."""
