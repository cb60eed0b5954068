"""Which samples are left out: a share of them, or each of them once in k folds; evenly over the classes of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.arguments import float_of, is_whole

Indices = NDArray[np.int64]


class Fold(NamedTuple):
    """The numbers of the samples to train on, and of those to validate on; both sorted."""

    train: Indices
    held: Indices


def split(n: int, classes: NDArray[Any] | None, share: float, seed: int) -> Fold:
    """``share`` of n samples held out; of each class, if every sample has one, rounded, but never all of it."""
    if not 0 < float_of(share) < 1:
        raise ValueError(f"share must be a number between 0 and 1, not {share!r:.60}")
    rng = _rng(seed)
    if classes is None:
        held = rng.choice(n, round(share * n), replace=False)
    else:
        members = (rng.permutation(np.flatnonzero(classes == label)) for label in np.unique(classes))
        held = np.concatenate([rows[: min(round(share * len(rows)), len(rows) - 1)] for rows in members])
    if not 0 < len(held) < n:
        raise ValueError(f"share = {share:g} of {n} samples leaves none to train on, or none to validate on")
    return _without(np.sort(held), n)


def folds(n: int, classes: NDArray[Any] | None, k: int, seed: int) -> list[Fold]:
    """k folds; each holds out every k-th sample of a random order in which the classes stand one after the other."""
    if not is_whole(k) or not 2 <= k <= n:
        raise ValueError(f"folds must be a whole number from 2 to {n}, the number of samples, not {k!r:.60}")
    order = _rng(seed).permutation(n)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]
    return [_without(np.sort(order[first::k]), n) for first in range(k)]


def _rng(seed: Any) -> np.random.Generator:
    if not is_whole(seed):
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r:.60}")
    return np.random.default_rng(seed)


def _without(held: Indices, n: int) -> Fold:
    return Fold(np.setdiff1d(np.arange(n), held), held)
