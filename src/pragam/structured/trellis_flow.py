"""A dual point of sequences as a unit flow through each one's trellis, in whole numbers: exactly feasible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.vector import Vector

#: The mass that flows through every token.
ONE = 2**30


@dataclass(frozen=True, eq=False)
class TrellisFlow:
    """The edges with mass. Those of token t are first[t] .. first[t + 1] - 1.

    An edge leads from the label ``previous`` of the token before to ``label`` at its own token, with a ``mass`` in
    units of 2^-30. The masses of a token sum to 2^30, and what flows into a label flows out of it again, exactly: the
    flow is a mixture of labellings. At the first token of a sequence ``previous`` means nothing.
    """

    first: NDArray[np.int64]
    previous: NDArray[np.int32]
    label: NDArray[np.int32]
    mass: NDArray[np.uint32]

    def copy(self) -> TrellisFlow:
        return TrellisFlow(self.first.copy(), self.previous.copy(), self.label.copy(), self.mass.copy())

    @classmethod
    def of(cls, labels: NDArray[np.int64]) -> TrellisFlow:
        """One labelling of all tokens."""
        N = len(labels)
        previous = np.concatenate([[0], labels[:-1]])[:N]
        first = np.arange(N + 1, dtype=np.int64)
        return cls(first, previous.astype(np.int32), labels.astype(np.int32), np.full(N, ONE, dtype=np.uint32))

    @property
    def shares(self) -> Vector:
        """The masses as numbers between 0 and 1, exactly."""
        return self.mass * 2.0**-30

    def check(self, first_tokens: NDArray[np.int64], K: int) -> None:
        """Refuse, with a ValueError that names a token, what is no flow of sequences with these first tokens."""
        N, E = int(first_tokens[-1]), len(self.mass)
        if self.first.shape != (N + 1,) or self.first[0] != 0 or self.first[-1] != E or (np.diff(self.first) < 1).any():
            raise ValueError(f"the flow must have an edge for each of the {N} tokens")
        if not len(self.previous) == len(self.label) == E or self.mass.dtype != np.uint32:
            raise ValueError("the flow must have a label before, a label and a mass of 32 bits for each edge")
        if any(E and (part.min() < 0 or part.max() >= K) for part in (self.previous, self.label)):
            raise ValueError(f"the flow must have labels from 0 to {K - 1}")
        mass = self.mass.astype(np.float64)  # sums of whole numbers below 2^53 are exact
        wrong = np.flatnonzero(np.add.reduceat(mass, self.first[:-1]) != ONE)
        if len(wrong):
            raise ValueError(f"the masses of token {wrong[0]} do not sum to 2^30")
        self._check_conservation(first_tokens, K, mass)

    def _check_conservation(self, first_tokens: NDArray[np.int64], K: int, mass: Vector) -> None:
        """Of each token and label: what flows in at the token flows out at the next one of its sequence."""
        token = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        is_first = np.zeros(len(self.first), dtype=bool)
        is_first[first_tokens] = True
        inner, linked = ~is_first[token + 1], ~is_first[token]
        into = token[inner] * K + self.label[inner]
        out = (token[linked] - 1) * K + self.previous[linked]
        places, where = np.unique(np.concatenate([into, out]), return_inverse=True)
        balance = np.bincount(where, np.concatenate([mass[inner], -mass[linked]]), minlength=len(places))
        wrong = np.flatnonzero(balance)
        if len(wrong):
            raise ValueError(f"the flow is not conserved at token {places[wrong[0]] // K}")
