r"""Probabilities of classes from decision values, by maps that were fitted on rows left out of the training.

    sigmoid      q_k(f) = 1 / (1 + exp(-(slope_k f + offset_k)))           (Platt 1999)
    isotonic     q_k(f) = a rising line through points, flat outside       (Zadrozny and Elkan, KDD 2002)

Of two classes q is the probability of the second. Of more, each class has its own q_k against the rest, and

    p_k = q_k / sum over j of q_j,    1/K each if all are 0.

The class of the largest probability need not be the one that the decision values say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pragam.files.fields import fields_of
from pragam.numerics.vector import Vector


class Probabilities:
    """The base of both kinds: a map for each column of decision values."""

    kind: ClassVar[str]

    @property
    def n_columns(self) -> int:
        """How many columns of decision values it takes: 1 for two classes."""
        raise NotImplementedError

    def each(self, decision: Vector) -> Vector:
        """q of every column, (n, columns)."""
        raise NotImplementedError

    def of(self, decision: Vector) -> Vector:
        """(n, classes), rows of sum 1."""
        q = self.each(decision.reshape(len(decision), -1))
        if q.shape[1] == 1:
            return np.hstack([1 - q, q])
        total = q.sum(axis=1, keepdims=True)
        found: Vector = np.divide(q, total, out=np.full_like(q, 1 / q.shape[1]), where=total > 0)
        return found

    def tensors(self) -> dict[str, Vector]:
        """By name, as a file keeps them."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Sigmoid(Probabilities):
    """A slope and an offset for each column."""

    slope: Vector
    offset: Vector
    kind: ClassVar[str] = "sigmoid"

    @property
    def n_columns(self) -> int:
        return len(self.slope)

    def each(self, decision: Vector) -> Vector:
        with np.errstate(over="ignore"):
            found: Vector = 1 / (1 + np.exp(-(decision * self.slope + self.offset)))
        return found

    def tensors(self) -> dict[str, Vector]:
        return {"slope": self.slope, "offset": self.offset}


@dataclass(frozen=True, eq=False)
class Isotonic(Probabilities):
    """Points (x, y) for each column, both rising."""

    points: Sequence[tuple[Vector, Vector]]
    kind: ClassVar[str] = "isotonic"

    @property
    def n_columns(self) -> int:
        return len(self.points)

    def each(self, decision: Vector) -> Vector:
        return np.column_stack([np.interp(f, x, y) for f, (x, y) in zip(decision.T, self.points, strict=True)])

    def tensors(self) -> dict[str, Vector]:
        columns = enumerate(self.points)
        return {f"{k}.{name}": values for k, pair in columns for name, values in zip("xy", pair, strict=True)}


def from_file(record: Any, tensors: Any, prefix: str, n_classes: int) -> Probabilities:
    """What a file says, for a model of so many classes; ValueError if it makes no sense."""
    kind, n_columns = fields_of(record, {"kind": str})["kind"], 1 if n_classes == 2 else n_classes
    found: Probabilities
    if kind == "sigmoid":
        slope, offset = (_vector(tensors, f"{prefix}{name}") for name in ("slope", "offset"))
        if slope.shape != (n_columns,) or offset.shape != (n_columns,):
            raise ValueError(f"its probabilities must have {n_columns} slopes and offsets, not {slope.shape}")
        found = Sigmoid(slope, offset)
    elif kind == "isotonic":
        found = Isotonic([_rising(tensors, f"{prefix}{k}.") for k in range(n_columns)])
    else:
        raise ValueError(f"its probabilities are of the unknown kind {kind!r:.40}")
    return found


def _vector(tensors: Any, name: str) -> Vector:
    found: Vector = tensors.array(name)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ValueError(f"{name} must be a vector of finite numbers")
    return found


def _rising(tensors: Any, prefix: str) -> tuple[Vector, Vector]:
    x, y = (_vector(tensors, f"{prefix}{name}") for name in "xy")
    if len(x) != len(y) or (np.diff(x) <= 0).any() or (np.diff(y) < 0).any() or y[0] < 0 or y[-1] > 1:
        raise ValueError(f"{prefix}x and {prefix}y must rise together, y from 0 to 1")
    return x, y
