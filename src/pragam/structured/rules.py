"""Which labellings a sequence may have: what label may follow which, which may come first, and which last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.vector import Vector
from pragam.structured.tags import SCHEMES, flags_of

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Rules:
    """The labellings y of 0 .. T with starts[y_0], transitions[y_t, y_{t+1}] for all t, and ends[y_T].

    ``transitions`` (K, K) has a row for each label and a column for each that may follow it. ``starts`` and ``ends``
    (K,) are all labels by default.
    """

    def __init__(self, transitions: ArrayLike, starts: ArrayLike | None = None, ends: ArrayLike | None = None) -> None:
        K = np.shape(transitions)[0] if np.ndim(transitions) else 0
        self.transitions = _flags("transitions", transitions, (K, K))
        self.starts, self.ends = _flags("starts", starts, (K,)), _flags("ends", ends, (K,))

    @classmethod
    def of(
        cls, K: int, transitions: ArrayLike | None, starts: ArrayLike | None = None, ends: ArrayLike | None = None
    ) -> Rules | None:
        """Those of K labels; None if nothing is forbidden because nothing is said."""
        if transitions is None and starts is None and ends is None:
            return None
        return cls(_flags("transitions", transitions, (K, K)), starts, ends)

    @classmethod
    def named(cls, transitions: Any, labels: Sequence[Any]) -> Rules | None:
        """What ``transitions`` says of these labels: None nothing, a name is a scheme of tags, or a boolean matrix."""
        if not isinstance(transitions, str):
            return cls.of(len(labels), transitions)
        if transitions not in SCHEMES:
            known = ", ".join(map(repr, SCHEMES))
            raise ValueError(f"transitions must be one of {known} or a boolean matrix, not {transitions!r:.40}")
        return cls(*flags_of(transitions, labels))

    def forbid(self, transitions: Vector, starts: Vector, ends: Vector) -> tuple[Vector, Vector, Vector]:
        """Scores of transitions, starts and ends, new arrays, with -inf for what is forbidden."""
        given = (self.transitions, transitions), (self.starts, starts), (self.ends, ends)
        first, second, third = (np.where(flags, scores, -np.inf) for flags, scores in given)
        return first, second, third

    def masked(self, nodes: Vector, edges: Vector, lengths: Indices) -> tuple[Vector, Vector]:
        """Scores of nodes and transitions, new arrays, with -inf for what is forbidden."""
        nodes, last = nodes.copy(), np.cumsum(lengths) - 1
        for at, flags in ((last - lengths + 1, self.starts), (last, self.ends)):
            nodes[at] = np.where(flags, nodes[at], -np.inf)
        return nodes, np.where(self.transitions, edges, -np.inf)

    def check(self, labels: Indices, lengths: Indices, names: Sequence[Any] | None = None) -> None:
        """Refuse true labels that are forbidden. ``names`` are those of the labels."""
        last = np.cumsum(lengths) - 1
        first = last - lengths + 1
        name = (lambda k: int(k)) if names is None else (lambda k: names[k])
        for verb, flags, at in (("start", self.starts, first), ("end", self.ends, last)):
            wrong = np.flatnonzero(~flags[labels[at]])
            if len(wrong):
                label = name(labels[at[wrong[0]]])
                raise ValueError(f"sequence {wrong[0]}: its true labels {verb} with {label!r}, which is not allowed")
        follows = self.transitions[labels[:-1], labels[1:]]
        follows[last[:-1]] = True
        if not follows.all():
            t = int(np.argmin(follows))
            pair = " ".join(repr(name(k)) for k in labels[t : t + 2])
            i = int(np.searchsorted(last, t))
            raise ValueError(f"sequence {i}: its true labels have the transition {pair}, which is not allowed")

    def have_labelling(self, lengths: Indices) -> Flags:
        """Whether each of these lengths has an allowed labelling; 0 has the empty one.

        The labels that can be reached after t steps determine those after t + 1, so they repeat themselves.
        """
        reached, seen = self.starts, dict[bytes, int]()
        possible: list[bool] = []
        while len(possible) < lengths.max(initial=0) and reached.tobytes() not in seen:
            seen[reached.tobytes()] = len(possible)
            possible.append(bool((reached & self.ends).any()))
            reached = np.asarray(self.transitions[reached].any(axis=0))
        again = seen.get(reached.tobytes(), 0)
        steps = lengths - 1
        beyond = again + (steps - again) % max(len(possible) - again, 1)
        possible.append(True)  # the step -1 of no tokens
        return np.array(possible)[np.where(steps < len(possible) - 1, steps, beyond)]


def _flags(name: str, given: ArrayLike | None, shape: tuple[int, ...]) -> Flags:
    flags = np.ones(shape, dtype=bool) if given is None else np.asarray(given)
    if flags.shape != shape or flags.dtype != np.bool_:
        kind = "matrix" if len(shape) == 2 else "vector"
        raise ValueError(f"{name} must be a boolean {kind} of the shape {shape}, not {flags.dtype} of {flags.shape}")
    return flags
