"""Structures that also answer for one example at a time, as block methods and users' oracles do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.structured.labellings import Labellings
from pragam.structured.structure import Structure


class ByExample(Structure):
    """A structure that decodes, and knows the features and the loss of, one example's labelling.

    The labelling of an example is an object of the structure's own choice. Those of all examples are joined to what
    :class:`Labellings <pragam.structured.labellings.Labellings>` holds.
    """

    @abstractmethod
    def truth_of(self, i: int) -> Any:
        """The true labelling of example i."""

    @abstractmethod
    def decode_one(self, i: int, w: Vector) -> Any:
        """argmax over y of loss_i(y) + <w, Phi_i(y)>."""

    @abstractmethod
    def features_of(self, i: int, labelling: Any) -> tuple[NDArray[np.int64], Vector]:
        """Phi_i(y) - Phi_i(y_i): sorted, different indices, and the values there."""

    @abstractmethod
    def loss_of(self, i: int, labelling: Any) -> float:
        """loss_i(y)."""

    @abstractmethod
    def join(self, labellings: Sequence[Any]) -> Any:
        """The labelling of all examples, made of one for each."""

    @abstractmethod
    def split(self, labelling: Any) -> list[Any]:
        """The labelling of each example."""

    def point_of(self, weights: Sequence[Vector], labellings: Sequence[list[Any]]) -> Labellings:
        """The dual point with these labellings of each example and their weights. Those without weight are left out."""
        kept = [np.flatnonzero(each > 0) for each in weights]
        table = np.zeros((max(map(len, kept)), self.n))
        for i, (each, keep) in enumerate(zip(weights, kept, strict=True)):
            table[: len(keep), i] = each[keep]
        # An example that has fewer labellings repeats its first one, without weight.
        rows = (
            self.join([own[keep[j if j < len(keep) else 0]] for own, keep in zip(labellings, kept, strict=True)])
            for j in range(len(table))
        )
        return Labellings(table, tuple(rows))

    def parts_of(self, point: Any) -> tuple[list[Vector], list[list[Any]]] | None:
        """The weights and labellings of each example, without those of weight zero; None for points of other kinds."""
        if not isinstance(point, Labellings):
            return None
        rows = [self.split(labelling) for labelling in point.labels]
        shares = np.broadcast_to(point.shares, (len(rows), self.n))
        kept = [np.flatnonzero(shares[:, i]) for i in range(self.n)]
        return [shares[keep, i] for i, keep in enumerate(kept)], [[rows[j][i] for j in kept[i]] for i in range(self.n)]


def summed(keys: NDArray[np.int64], values: Vector) -> tuple[NDArray[np.int64], Vector]:
    """The sum of the values of each key: sorted keys, and the sums, without zeros."""
    union, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, weights=values, minlength=len(union)).astype(np.float64, copy=False)
    some = sums != 0
    return union[some], sums[some]
