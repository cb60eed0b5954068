"""Sequences of tokens: one matrix of all tokens, the lengths, and a label for each token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pragam.samples.base import Samples
from pragam.samples.fingerprint import data_fingerprint
from pragam.samples.forms import FLAT, Sequences, labels_of, sequences_of


@dataclass(frozen=True, eq=False)
class Chains(Samples):
    """X is a matrix of all tokens or, of the form TOKENS, the list of sequences as it came."""

    X: Any
    lengths: Any
    y: Any = None
    weights: Any = None
    token_weights: Any = None
    form: str = FLAT

    WEIGHTS: ClassVar[tuple[str, ...]] = ("weights", "token_weights")

    @classmethod
    def of(
        cls, X: Any, y: Any = None, lengths: Any = None, weights: Any = None, token_weights: Any = None, least: int = 1
    ) -> Chains:
        """From any of the forms that :mod:`pragam.samples.forms` knows; sequences have at least 1 token, or 0."""
        found = sequences_of(X, lengths, least)
        flat = None if y is None else labels_of(y, found)
        return cls(found.data, found.lengths, flat, weights, token_weights, found.form)

    @property
    def n(self) -> int:
        """The number of sequences."""
        return len(self.lengths)

    @property
    def has_names(self) -> bool:
        """Whether tokens have features by name, and X is no matrix yet."""
        return isinstance(self.X, list)

    def take(self, index: Any) -> Chains:
        """Some of the sequences."""
        index = np.asarray(index)
        ends = np.cumsum(self.lengths)
        pieces = [np.arange(end - size, end) for end, size in zip(ends[index], self.lengths[index], strict=True)]
        tokens = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)
        places = {"weights": index, "token_weights": tokens}
        given = {name: array[places[name]] for name, array in self.given().items()}
        X = [self.X[i] for i in index.tolist()] if self.has_names else self.X[tokens]
        return replace(self, X=X, lengths=self.lengths[index], y=None if self.y is None else self.y[tokens], **given)

    def fingerprint(self) -> dict[str, Any]:
        """Of all tokens, their labels and the lengths."""
        return data_fingerprint(self.X, self.y, self.lengths)

    def answer(self, values: Any) -> Any:
        return Sequences(self.X, self.lengths, self.form).split(values)
