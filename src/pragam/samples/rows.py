"""Rows of numbers, each with a target: a label, a number, a level or a set of labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pragam.operators import check_data
from pragam.operators.storage import Storage
from pragam.samples.base import Samples
from pragam.samples.fingerprint import data_fingerprint


@dataclass(frozen=True, eq=False)
class Rows(Samples):
    """X (n, d) in the user's memory, y of length n or (n, K), and perhaps a weight for each row.

    ``labels`` are the names of the columns of y, where they have names.
    """

    X: Storage
    y: Any = None
    weights: Any = None
    labels: Any = None

    @classmethod
    def of(cls, X: Any, y: Any = None, weights: Any = None, labels: Any = None, name: str = "X") -> Rows:
        """From what a user has; ``name`` is what errors call X. Data on the disk may bring y and weights along."""
        storage = check_data(X, name)
        if storage.in_blocks and y is None:
            y, weights = getattr(storage, "y", None), getattr(storage, "weights", None) if weights is None else weights
        return cls(storage, y, weights, labels)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.X.shape[0]

    def take(self, index: Any) -> Rows:
        """Some of the rows, copied."""
        given = {name: array[index] for name, array in self.given().items()}
        return replace(self, X=self.X.take(index), y=None if self.y is None else self.y[index], **given)

    def in_memory(self) -> Rows:
        """The same, with the rows of data in blocks copied into memory."""
        return replace(self, X=self.X.take(np.arange(self.n))) if self.in_blocks else self

    def split(self, seed: int, share: float) -> tuple[Rows, Rows]:
        """Of packed data in random order: (some chunks, the others), with y and weights; nothing is copied."""
        parts = self.X.split(seed, share)  # type: ignore[attr-defined]
        held = self.X.held(seed, share)  # type: ignore[attr-defined]
        first, second = (
            replace(self, X=part, y=None if self.y is None else self.y[own],
                    weights=None if self.weights is None else self.weights[own])
            for part, own in zip(parts, (~held, held), strict=True)
        )  # fmt: skip
        return first, second

    def fingerprint(self) -> dict[str, Any]:
        """Of X and y. Weights are kept with a model, so they need none. Packed data have one of their own."""
        if hasattr(self.X, "fingerprint"):
            return dict(self.X.fingerprint())
        return data_fingerprint(self.X, self.y.toarray() if hasattr(self.y, "toarray") else self.y)
