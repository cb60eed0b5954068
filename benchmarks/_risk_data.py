"""The data of ``risks_versus_peers.py`` and ``labels_choice.py``: real sets, prepared as stated, and generated ones."""

from __future__ import annotations

import csv
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets as examples

import _common  # noqa: F401  it finds the data beside the checkout
from pragam.datasets import data_folder, fetch, load_named
from pragam.datasets.formats import svmlight
from pragam.datasets.preparation import inverse_frequencies, weighted

Data = tuple[Any, np.ndarray]

#: Of scikit-learn.
BUILT_IN: dict[str, Callable[..., Any]] = {
    "iris": examples.load_iris, "wine": examples.load_wine, "digits": examples.load_digits
}  # fmt: skip
#: Words of news20-bow.
VOCABULARY = 61_188


# -------------------------------------------------------------------- real


def table(name: str) -> Data:
    """Columns of mean 0 and variance 1, dense; y as it is."""
    X, y = BUILT_IN[name](return_X_y=True) if name in BUILT_IN else load_named(name)
    return standardised(X if isinstance(X, np.ndarray) else X.toarray()), y


def regression(name: str) -> Data:
    """The target is standardised too."""
    X, y = table(name)
    return X, standardised(y)


def mnist() -> Data:
    """60,000 digits, pixels / 255, sparse; y is the digit."""
    X, _ = load_named("mnist-odd-even")
    labels = next(place.path for place in fetch("mnist-odd-even") if "train-labels" in place.path.name)
    return X, np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8).astype(np.int64)


def news20() -> Data:
    """Training and test posts, tf-idf with sublinear counts, unit rows; y is one of 20 groups."""
    return text_rows(*svmlight([place.path for place in fetch("news20-bow")], VOCABULARY))


def news20_odd_even() -> Data:
    """+1 for groups of odd number."""
    X, y = news20()
    return X, np.where(y % 2 == 1, 1.0, -1.0)


def news20_bigram() -> Data:
    """The training posts with their word pairs, tf-idf with sublinear counts, unit rows; two classes."""
    X, y = svmlight([next(place.path for place in fetch("news20-bigram") if "train" in place.path.name)], None)
    return text_rows(X, np.where(y > 0, 1.0, -1.0))


def levels(name: str) -> Data:
    """A set of ordinal regression, columns standardised; y from 0."""
    with lzma.open(_file(f"ordinal/{name}.csv.xz"), "rt") as lines:
        rows = np.array(list(csv.reader(lines))[1:], dtype=np.float64)
    return standardised(rows[:, 1:]), np.unique(rows[:, 0], return_inverse=True)[1]


def labelled(name: str) -> Data:
    """A multilabel set of mulan: its training rows, columns standardised; Y has a column for each of six labels."""
    with lzma.open(_file(f"mulan/{name}-train.arff.xz"), "rt") as lines:
        rows = np.array([line.split(",") for line in lines if line[:1] not in "@%\n"], dtype=np.float64)
    return standardised(rows[:, :-6]), rows[:, -6:] > 0


def _file(path: str) -> Path:
    folder = data_folder()
    if folder is None or not (folder / path).is_file():
        raise FileNotFoundError(f"no {path} in {folder}; set PRAGAM_DATA to the folder of the data sets")
    return folder / path


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and variance 1; constant ones become 0."""
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def text_rows(counts: sparse.csr_array, y: np.ndarray) -> Data:
    """tf-idf with 1 + log(count) for the count, unit rows, none of them empty."""
    full = np.diff(counts.indptr) > 0
    rows = sparse.csr_array(counts[full], dtype=np.float64)
    rows.data = 1 + np.log(rows.data)
    return weighted(rows, inverse_frequencies(rows)), y[full]


def some(data: Data, size: float) -> Data:
    """A share of the rows, drawn by seed 0; of few rows at least 200."""
    X, y = data
    n = min(max(int(size * len(y)), 200), len(y))
    chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:n])
    return (X, y) if n == len(y) else (X[chosen], y[chosen])


# --------------------------------------------------------------- generated


def words(n: int, d: int, length: float, seed: int) -> sparse.csr_array:
    """Counts of about ``length`` words a row, word j of frequency 1/(j + 3)."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(3, d + 3)
    lengths = np.maximum(3, rng.poisson(length, n))
    drawn = rng.choice(d, lengths.sum(), p=frequency / frequency.sum()).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    counts = sparse.csr_array((np.ones(len(drawn)), drawn, indptr), shape=(n, d))
    counts.sum_duplicates()
    return counts


def text(n: int = 50_000, d: int = 50_000, length: float = 80, seed: int = 1) -> Data:
    """Unit rows of words, labels of a linear model on 5 % of the words with noise of 0.3 deviations."""
    X, _ = text_rows(words(n, d, length, seed), np.zeros(n))
    rng = np.random.default_rng([seed, 1])
    score = X @ (rng.standard_normal(d) * (rng.random(d) < 0.05))
    return X, np.where(score + 0.3 * score.std() * rng.standard_normal(n) > 0, 1.0, -1.0)


def topics(n: int = 5_000, d: int = 20_000, length: float = 60, labels: int = 60, seed: int = 3) -> Data:
    """Unit rows of words with one to four of the labels: those of the highest scores of a noisy linear model."""
    X, _ = text_rows(words(n, d, length, seed), np.zeros(n))
    rng = np.random.default_rng([seed, 1])
    scores = X @ (rng.standard_normal((d, labels)) * (rng.random((d, labels)) < 0.1))
    scores += 0.3 * scores.std() * rng.standard_normal(scores.shape)
    rank = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return X, rank < rng.integers(1, 5, n)[:, None]


def graded(n: int = 10_000, d: int = 8, K: int = 5, seed: int = 0) -> Data:
    """Like abalone_ord: correlated columns (sizes of one animal), K levels of equal size of a noisy linear score."""
    rng = np.random.default_rng(seed)
    size = rng.standard_normal((n, 1))
    X = standardised(size + 0.4 * rng.standard_normal((n, d)))
    score = X @ rng.standard_normal(d)
    score += 0.7 * score.std() * rng.standard_normal(n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, K) / K))
