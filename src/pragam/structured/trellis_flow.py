"""A dual point of sequences as a unit flow through each one's trellis, in whole numbers: exactly feasible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.vector import Vector

#: The mass that flows through every token.
ONE = 2**30
#: Sums by token and label in memory at a time.
_PLACES = 2**20


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
        return np.asarray(self.mass * 2.0**-30, dtype=np.float64)

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
        high = max(_PLACES // K, 1)
        is_first = np.zeros(len(self.first), dtype=bool)
        is_first[first_tokens] = True
        for begin in range(0, len(self.first) - 1, high):  # the links of the tokens from ``begin`` to the next ones
            end = min(begin + high, len(self.first) - 1)
            into = self._sums(begin, end, self.label, mass, K)
            out = self._sums(begin + 1, min(end + 1, len(self.first) - 1), self.previous, mass, K)
            linked = ~is_first[begin + 1 : end + 1]
            wrong = np.flatnonzero((into[linked] != out[linked[: len(out)]]).any(axis=1))
            if len(wrong):
                raise ValueError(f"the flow is not conserved at token {begin + np.flatnonzero(linked)[wrong[0]]}")

    def _sums(self, begin: int, end: int, labels: NDArray[np.int32], mass: Vector, K: int) -> Vector:
        """The masses of these tokens by label, (tokens, K)."""
        some = slice(self.first[begin], self.first[end])
        row = np.repeat(np.arange(end - begin), np.diff(self.first[begin : end + 1]))
        sums = np.bincount(row * K + labels[some], mass[some], minlength=(end - begin) * K)
        return np.asarray(sums.reshape(-1, K), dtype=np.float64)
