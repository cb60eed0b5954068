"""What is trained on and what is left out: samples to validate on, a share, k folds, or folds that are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.risks import Risk
from pragam.selection.folds import Fold, folds, split


def parts_of(
    risk: Risk, samples: Any, validation: Any, share: float, n_folds: int | Iterable[Any], seed: int
) -> list[Fold]:
    """The numbers of the samples of each part; ``n_folds`` may be pairs of numbers (to train on, left out)."""
    if validation is None and samples.in_blocks:
        if n_folds != 1:
            raise ValueError("folds are for data in memory: of a packed directory a share of the chunks is left out")
        held = samples.X.held(seed, share)
        return [Fold(np.flatnonzero(~held), np.flatnonzero(held))]
    n, has_classes = samples.n, risk.form == "rows" and risk.has_labels and np.ndim(samples.y) == 1
    classes: NDArray[Any] | None = np.asarray(samples.y) if has_classes else None
    if validation is not None:
        return [Fold(np.arange(n), np.arange(validation.n))]
    if not isinstance(n_folds, int) and isinstance(n_folds, Iterable):
        found = [_given(pair, n) for pair in n_folds]
        if not found:
            raise ValueError("cv has no folds: give pairs (rows to train on, rows left out)")
        return found
    return [split(n, classes, share, seed)] if n_folds == 1 else folds(n, classes, n_folds, seed)


def pairs_of(samples: Any, parts: list[Fold], validation: Any, share: float, seed: int) -> Iterator[tuple[Any, Any]]:
    """What is trained on, and what is left out; whole blocks of data on the disk, of which nothing is copied."""
    if validation is None and samples.in_blocks:
        yield samples.split(seed, share)
    else:
        yield from ((_taken(samples, fold), validation or samples.take(fold.held)) for fold in parts)


def _taken(samples: Any, fold: Fold) -> Any:
    """The training part; all samples are not copied."""
    return samples if len(fold.train) == samples.n else samples.take(fold.train)


def _given(pair: Any, n: int) -> Fold:
    try:
        train, held = (np.arange(n)[np.asarray(part)] for part in pair)
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(f"cv must be a whole number or pairs (rows to train on, rows left out): {error}") from None
    if not len(train) or not len(held):
        raise ValueError("cv has a fold with no rows to train on, or none left out")
    return Fold(np.sort(train), np.sort(held))
