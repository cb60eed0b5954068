"""A dual point of sequences as a unit flow through each one's trellis, in whole numbers: exactly feasible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import array_of
from pragam.numerics.vector import Vector

#: The mass that flows through every token.
ONE = 2**30
#: Sums by token and label in memory at a time.
_PLACES = 2**17


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

    def __post_init__(self) -> None:
        for name in ("first", "previous", "label", "mass"):
            values = array_of(name, getattr(self, name))
            if values.ndim != 1 or values.dtype.kind not in "iu":
                raise ValueError(f"{name} of a flow must be a vector of whole numbers, not {getattr(self, name)!r:.40}")
            object.__setattr__(self, name, values)

    def copy(self) -> TrellisFlow:
        return TrellisFlow(self.first.copy(), self.previous.copy(), self.label.copy(), self.mass.copy())

    @classmethod
    def of(cls, labels: NDArray[np.int64]) -> TrellisFlow:
        """One labelling of all tokens."""
        N = len(labels)
        previous = np.concatenate([[0], labels[:-1]])[:N]
        first = np.arange(N + 1, dtype=np.int64)
        return cls(first, previous.astype(np.int32), labels.astype(np.int32), np.full(N, ONE, dtype=np.uint32))

    def check(self, first_tokens: NDArray[np.int64], K: int) -> None:
        """Refuse, with a ValueError that names a token, what is no flow of sequences with these first tokens."""
        N, E, first = int(first_tokens[-1]), len(self.mass), self.first
        is_whole = first.dtype == np.int64 and first.shape == (N + 1,) and first[0] == 0 and first[-1] == E
        if not is_whole or (np.diff(first) < 1).any():
            raise ValueError(f"the flow must have an edge for each of the {N} tokens")
        if not len(self.previous) == len(self.label) == E or self.mass.dtype != np.uint32:
            raise ValueError("the flow must have a label before, a label and a mass of 32 bits for each edge")
        if any(E and (part.min() < 0 or part.max() >= K) for part in (self.previous, self.label)):
            raise ValueError(f"the flow must have labels from 0 to {K - 1}")
        self._check_masses(first_tokens, K)

    def _check_masses(self, first_tokens: NDArray[np.int64], K: int) -> None:
        """Each token has the whole mass, and what flows into a label there flows out of it at the next token."""
        N, high = len(self.first) - 1, max(_PLACES // K, 1)
        is_last = np.zeros(N, dtype=bool)
        is_last[first_tokens[1:] - 1] = True
        unclear = np.flatnonzero(~self._is_plain(is_last))
        for begin in range(0, len(unclear), high):
            tokens = unclear[begin : begin + high]
            into = self._sums(tokens, self.label, K)
            wrong = np.flatnonzero(into.sum(axis=1) != ONE)
            if len(wrong):
                raise ValueError(f"the masses of token {tokens[wrong[0]]} do not sum to 2^30")
            linked = np.flatnonzero(~is_last[tokens])
            out = self._sums(tokens[linked] + 1, self.previous, K)
            wrong = np.flatnonzero((into[linked] != out).any(axis=1))
            if len(wrong):
                raise ValueError(f"the flow is not conserved at token {tokens[linked[wrong[0]]]}")

    def _is_plain(self, is_last: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether a token has one edge with all the mass, and the next one of its sequence one that goes on from it."""
        at = self.first[:-1]
        plain = np.diff(self.first) == 1
        plain &= self.mass[at] == ONE
        plain[:-1] &= is_last[:-1] | (plain[1:] & (self.previous[at[1:]] == self.label[at[:-1]]))
        return plain

    def _sums(self, tokens: NDArray[np.int64], labels: NDArray[np.int32], K: int) -> Vector:
        """The masses of these tokens by label, (tokens, K). Sums of whole numbers below 2^53 are exact."""
        row, some = edges_at(self.first, tokens)
        sums = np.bincount(row * K + labels[some], self.mass[some], minlength=len(tokens) * K)
        return np.asarray(sums.reshape(-1, K), dtype=np.float64)


def edges_at(first: NDArray[np.int64], tokens: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The edges of some tokens, those of token t being first[t] .. first[t + 1] - 1: for each the place of its token
    among them, and its number."""
    counts = first[tokens + 1] - first[tokens]
    row = np.repeat(np.arange(len(tokens)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts - first[tokens], counts)
