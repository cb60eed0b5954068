"""Data sets by name: what is known of them, and their rows, prepared as their records say.

The bytes come from the first of these that has them: the folder ``data_dir``, the folder of the environment variable
PRAGAM_DATA, the cache, the address on record. PRAGAM_OFFLINE=1 forbids the last one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from pragam.datasets import preparation
from pragam.datasets.catalogue import SETS
from pragam.datasets.fetching import places
from pragam.datasets.fetching.obtain import Folder, address, obtain
from pragam.datasets.formats import svmlight
from pragam.datasets.record import Data, Dataset, Drawn, Parts, Piece, Split

#: The seed of a split that no record states.
_SEED = 0


def names() -> list[str]:
    """The names that :func:`load_named` knows."""
    return list(SETS)


def describe(name: str) -> Dataset:
    """The record of a data set: sizes, files, source, licence, preprocessing, test set."""
    if name not in SETS:
        raise ValueError(f"unknown data set {name!r}; there are {', '.join(SETS)}")
    return SETS[name]


def paper_lambda(name: str) -> float:
    """The regularisation lambda that the paper uses on this data set, or on the one that it stands in for."""
    lam = describe(name).lam
    if lam is None:
        known = ", ".join(each.name for each in SETS.values() if each.lam is not None)
        raise ValueError(f"the paper gives no lambda for {name!r}, only for {known}")
    return lam


def availability(pieces: Sequence[Piece], data_dir: Folder = None) -> str:
    """Where the files are: "local", "cache", "to download" or "not available", the worst of all pieces."""
    order = ("local", "cache", "to download", "not available")
    states = []
    for piece in pieces:
        place = places.find(piece, data_dir)
        fetchable = address(piece) is not None and not places.offline()
        states.append(place.kind if place else "to download" if fetchable else "not available")
    return max(states, key=order.index)


def fetch(name: str, data_dir: Folder = None) -> list[places.Place]:
    """All files of a data set, those of the test rows too. What is not at hand is downloaded and verified."""
    dataset = describe(name)
    pieces = list(dict.fromkeys(dataset.train + dataset.test_pieces))
    return obtain(dataset, pieces, data_dir)


def load_named(name: str, *, keep_empty: bool = False, data_dir: Folder = None) -> Data:
    """X and y of a data set, prepared as its record says: its training rows.

    The labels of a two-class set become -1 (the lower one) and +1. Other labels stay. "w8a" loses its empty rows,
    as the paper's web8, unless ``keep_empty``. The two "news20-" sets get tf-idf weights. "news20-bow" joins its
    training and test rows, and +1 stands for the newsgroups comp, misc and sci.
    """
    dataset = describe(name)
    if dataset.recipe is not None:
        return dataset.recipe.make()[0]
    rows = _rows(dataset, dataset.train, data_dir)
    if dataset.joined:
        rows = preparation.joined([rows, _rows(dataset, dataset.test_pieces, data_dir)])
    parts = _drawn(dataset, rows, dataset.test) if isinstance(dataset.test, Drawn) else [rows]
    X, y = _prepared(dataset, parts[:1], keep_empty)[0]
    if not keep_empty:
        _check_sizes(dataset, X, data_dir)
    return X, y


def load_split(name: str, *, hold_out: float = 0.2, data_dir: Folder = None) -> Split:
    """Training and test rows of a data set: its own test set, or rows drawn by the seed that its record states.

    Where there is no test set, or its file cannot be had, the share ``hold_out`` of the training rows is drawn by
    seed 0. With ``hold_out=0`` no rows are drawn, and X_test is None. ``how`` says what was done. Preprocessing learns
    from the training rows alone.
    """
    dataset = describe(name)
    if not 0 <= hold_out < 1:
        raise ValueError(f"hold_out must be at least 0 and less than 1, not {hold_out!r}")
    if dataset.recipe is not None:
        parts, how = dataset.recipe.make(), "rows generated with the training rows"
    else:
        parts, how, complete = _train_and_test(dataset, hold_out, data_dir)
        parts = _prepared(dataset, parts)
        if complete and not dataset.joined:
            _check_sizes(dataset, parts[0][0], data_dir)
    if len(parts) == 1:
        return Split(*parts[0], None, None, how)
    d = max(X.shape[1] for X, _ in parts)
    train, test = ((preparation.widened(X, d), y) for X, y in parts)
    return Split(*train, *test, how)


def load_example() -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's breast cancer data (569 x 30), columns of mean 0 and variance 1, labels -1 and +1."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == 1, 1.0, -1.0)


def _rows(dataset: Dataset, pieces: Sequence[Piece], data_dir: Folder) -> Data:
    paths = [place.path for place in obtain(dataset, pieces, data_dir)]
    return (dataset.reader or svmlight)(paths, dataset.n_features)


def _train_and_test(dataset: Dataset, hold_out: float, data_dir: Folder) -> tuple[Parts, str, bool]:
    """The rows as they are read, where the test rows come from, and whether all training rows are for training."""
    rows = _rows(dataset, dataset.train, data_dir)
    if isinstance(dataset.test, Drawn):
        parts = _drawn(dataset, rows, dataset.test)
        return parts, f"{len(parts[1][1])} of {len(rows[1])} rows by seed {dataset.test.seed}", True
    why = "there is no test set"
    if dataset.test:
        try:
            test = _rows(dataset, dataset.test, data_dir)
            return [rows, test], f"the test set, {dataset.test[0][0].path}", True
        except FileNotFoundError:
            why = f"{dataset.test[0][0].path} is not at hand"
    n_train = len(rows[1]) - round(hold_out * len(rows[1]))
    if n_train == len(rows[1]):
        return [rows], f"no test rows: {why}", True
    how = f"{hold_out:.0%} of the training rows by seed {_SEED}: {why}"
    return _drawn(dataset, rows, Drawn(n_train, _SEED)), how, False


def _drawn(dataset: Dataset, rows: Data, split: Drawn) -> Parts:
    n = len(rows[1])
    if not 0 < split.n_train < n:
        raise ValueError(f"{dataset.name}: {split.n_train} of the rows are for training, but there are {n} in all")
    return preparation.drawn(rows, split)


def _prepared(dataset: Dataset, parts: Parts, keep_empty: bool = False) -> Parts:
    for step in dataset.steps:
        if not (keep_empty and step is preparation.without_empty_rows):
            parts = step(parts)
    return preparation.signed(parts)


def _check_sizes(dataset: Dataset, X: sparse.csr_array, data_dir: Folder) -> None:
    """Warn if a file that has no checksum does not have the sizes on record."""
    found = [place for piece in dataset.train if (place := places.find(piece, data_dir)) is not None]
    unproven = [str(place.path) for place in found if not place.file.sha256]
    if unproven and X.shape != (dataset.n, dataset.d):
        warnings.warn(
            f"{dataset.name}: {X.shape[0]} x {X.shape[1]} instead of {dataset.n} x {dataset.d}: "
            f"{' or '.join(unproven)} is not the file on record",
            UserWarning,
            stacklevel=3,
        )
