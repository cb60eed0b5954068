"""Any other structure: a user's own oracle as a problem like all others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pragam.numerics.arguments import is_whole, real_array, refuse_masked
from pragam.numerics.vector import Vector
from pragam.problem import Problem
from pragam.runtime import interrupts
from pragam.structured.by_example import ByExample, summed
from pragam.structured.expected_features import structured_problem
from pragam.structured.labellings import Labellings, Mixture, mix
from pragam.structured.structure import Moments

#: A maximum below the truth's own score by more than this share of its terms is no maximum.
_ROUNDING = 1e-9
#: An oracle's answer takes some 0.1 ms at least, in which 100,000 numbers could be read.
_CALLS = 100_000


class Oracle(ABC):
    """What a user says of the examples i = 0 .. n-1 of a structure. A labelling y is any object.

    The certificate takes ``argmax`` on trust: J is too small if a labelling with a higher score exists. Only what is
    worse than the truth is found out. The other three are used as they are, and equal calls must give equal answers.
    """

    @abstractmethod
    def argmax(self, i: int, w: Vector) -> Any:
        """A labelling that maximises loss(i, y) + <w, features(i, y)> over all labellings of example i."""

    @abstractmethod
    def features(self, i: int, y: Any) -> Any:
        """The joint features of example i and a labelling: a vector as long as w, or ``(indices, values)``."""

    @abstractmethod
    def loss(self, i: int, y: Any) -> float:
        """What it costs to predict y: a number >= 0, and 0 for the truth."""

    @abstractmethod
    def truth(self, i: int) -> Any:
        """The true labelling."""


def structured_hinge(
    oracle: Oracle, n: int, n_weights: int, lam: float = 1e-2, sample_weight: ArrayLike | None = None
) -> Problem:
    r"""The structured hinge risk of a user's own structure.

    ::

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over y of loss(i, y) + <w, features(i, y) - features(i, truth(i))>

    Solvers: "block-ascent" (fewest calls of the oracle where there are many weights), "qp-bmrm" (where there are few),
    "bcfw" (takes the least memory), "ls-bmrm"; "auto" weighs the first two. The certificate is not
    rigorous: nothing is known of the rounding inside the oracle, and whether its ``argmax`` is one is taken on trust.

    Parameters
    ----------
    oracle : Oracle, or any object with its four methods
    n : whole number >= 1
        The number of examples.
    n_weights : whole number >= 1
        The length of w.
    lam : float > 0
    sample_weight : one number >= 0 for each example, optional
    """
    for name in ("argmax", "features", "loss", "truth"):
        if not callable(getattr(oracle, name, None)):
            raise ValueError(f"oracle must have a method {name}, as pragam.structured.Oracle describes it")
    for name, value in (("n", n), ("n_weights", n_weights)):
        if not is_whole(value) or value < 1:
            raise ValueError(f"{name} must be a whole number >= 1, not {value!r:.40}")
    return structured_problem(OracleExamples(oracle, int(n_weights), _weights(sample_weight, int(n)) / n), lam)


class OracleExamples(ByExample):
    """The examples of an oracle. The labelling of all examples is a tuple of those of each."""

    def __init__(self, oracle: Oracle, n_weights: int, totals: Vector) -> None:
        self.oracle, self.totals, self._n_weights = oracle, totals, n_weights
        self._truths = tuple(oracle.truth(i) for i in range(self.n))
        self._truth_features = [self._features(i, y) for i, y in enumerate(self._truths)]
        for i, y in enumerate(self._truths):
            if self.loss_of(i, y):
                raise ValueError(f"oracle.loss({i}, truth) must be 0, not {self.loss_of(i, y):g}")

    @property
    def n(self) -> int:
        return len(self.totals)

    @property
    def n_weights(self) -> int:
        return self._n_weights

    @property
    def entries(self) -> int:
        """Those of the truths, and what could be read in the time of the calls of Python."""
        return sum(len(indices) + _CALLS for indices, _ in self._truth_features)

    # One example ----------------------------------------------------------------------------------------------------

    def truth_of(self, i: int) -> Any:
        return self._truths[i]

    def decode_one(self, i: int, w: Vector) -> Any:
        return self.oracle.argmax(i, _read_only(w))

    def features_of(self, i: int, labelling: Any) -> tuple[NDArray[np.int64], Vector]:
        indices, values = self._features(i, labelling)
        of_truth, less = self._truth_features[i]
        return summed(np.concatenate([indices, of_truth]), np.concatenate([values, -less]))

    def loss_of(self, i: int, labelling: Any) -> float:
        loss = float(self.oracle.loss(i, labelling))
        if not 0 <= loss < np.inf:
            raise ValueError(f"oracle.loss({i}, y) must be a number >= 0, not {loss:g}")
        return loss

    def join(self, labellings: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(labellings)

    def split(self, labelling: Any) -> list[Any]:
        return list(labelling)

    # All examples ---------------------------------------------------------------------------------------------------

    def decode(self, w: Vector, loss: float = 1.0) -> Labellings:
        return Labellings.of(self._decoded(w, loss))

    def values(self, w: Vector, loss: float = 1.0) -> Vector:
        return np.array([self._value(i, y, w, loss) for i, y in enumerate(self._decoded(w, loss))])

    def values_bound(self, w: Vector) -> tuple[Vector, Vector]:
        """The values as computed: of their rounding nothing is known."""
        return self.values(w), np.zeros(self.n)

    def truth(self) -> Labellings:
        return Labellings.of(self._truths)

    def check(self, point: Any) -> Labellings:
        if not isinstance(point, Labellings) or not all(len(labelling) == self.n for labelling in point.labels):
            raise ValueError(f"a dual point of this problem must be Labellings of {self.n} examples")
        return point.checked(self.n)

    def moments(self, point: Labellings) -> Moments:
        features, loss = np.zeros(self.n_weights), 0.0
        for shares, labelling in zip(
            np.broadcast_to(point.shares, (len(point.labels), self.n)), point.labels, strict=True
        ):
            for i in np.flatnonzero(shares * self.totals).tolist():
                indices, values = self.features_of(i, labelling[i])
                features[indices] += self.totals[i] * shares[i] * values
                loss += self.totals[i] * shares[i] * self.loss_of(i, labelling[i])
        return Moments.of(features, loss, 0.0, 0.0)

    def combine(self, weights: Vector, points: Sequence[Any]) -> Labellings | Mixture:
        return mix(weights, points)

    def radius(self) -> float:
        """Unknown: a stranger's features have no bound."""
        return np.inf

    def _decoded(self, w: Vector, loss: float) -> tuple[Any, ...]:
        """The oracle adds the loss once. So c times the loss is decoded at w / c, which has the same maximisers."""
        if not loss > 0:
            raise ValueError("an oracle decodes with the loss added: it makes no predictions without")
        w = _read_only(w / loss)
        return tuple(self._asked(i, w) for i in range(self.n))

    def _asked(self, i: int, w: Vector) -> Any:
        interrupts.check()
        return self.oracle.argmax(i, w)

    def _value(self, i: int, y: Any, w: Vector, loss: float) -> float:
        """loss * loss_i(y) + <w, psi_i(y)>. That of the truth is 0, so a maximum is not below."""
        indices, values = self.features_of(i, y)
        terms = w[indices] * values
        cost = loss * self.loss_of(i, y)
        value = cost + float(terms.sum())
        if not value >= -_ROUNDING * (cost + float(np.abs(terms).sum())):
            raise ValueError(
                f"oracle.argmax({i}, w) is worse than the truth: loss and score exceed the truth's by {value:.3g}"
            )
        return max(value, 0.0)

    def _features(self, i: int, y: Any) -> tuple[NDArray[np.int64], Vector]:
        """What the oracle returns, checked: indices and values, perhaps with repeated indices."""
        given = self.oracle.features(i, y)
        if isinstance(given, tuple):
            indices, values = (np.asarray(part) for part in given)
            is_right = indices.shape == values.shape == (len(indices),) and (
                not len(indices)
                or (indices.dtype.kind in "iu" and 0 <= indices.min() <= indices.max() < self.n_weights)
            )
        else:
            values = np.asarray(given)
            is_right = values.shape == (self.n_weights,)
            indices = np.arange(self.n_weights)
        if not is_right or values.dtype.kind not in "fiub" or not np.isfinite(values).all():
            raise ValueError(
                f"oracle.features({i}, y) must be {self.n_weights} finite numbers, or (indices, values) within them"
            )
        return indices.astype(np.int64), values.astype(np.float64)


def _read_only(w: Vector) -> Vector:
    """A view that an oracle cannot change."""
    view = w.view()
    view.flags.writeable = False
    return view


def _weights(given: ArrayLike | None, n: int) -> Vector:
    if given is None:
        return np.ones(n)
    refuse_masked(sample_weight=given)
    weights = np.asarray(real_array("sample_weight", given), dtype=np.float64)
    if weights.shape != (n,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"sample_weight must hold {n} finite numbers >= 0")
    return weights
