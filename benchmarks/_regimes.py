"""Generated problems of all kinds: what a choice between algorithms is fitted to (even seeds) and judged by (odd ones).

A seed draws each property by itself, evenly or evenly in its logarithm:

    kind          dense, sparse (values from a normal distribution), one-hot (binary), text (frequent and rare columns,
                  rows of length one)
    entries       1e4 to 2e6 of X, and d/n from 1/1000 to 3; density 1 to 50 % of sparse kinds
    positives     1 to 50 % of the rows
    labels        of a linear model: separable, or with noise of 0.1 to 1 times the deviation of the scores
    duplicates    in a third of the regimes half of the rows nearly repeat the others
    C R^2         0.01 to 1e4, R^2 the mean of the squared lengths of the rows
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

KINDS = ("dense", "sparse", "one-hot", "text")
#: Near duplicates differ by this much from their originals, relative to their entries.
NEARLY = 1e-3
#: Of X.
MOST_ENTRIES = 2e6
#: The fewest rows of the rarer class.
LEAST_ROWS = 5


class Regime(NamedTuple):
    """A problem without a bias, and how it was drawn."""

    seed: int
    kind: str
    X: Any
    y: np.ndarray
    lam: float
    hardness: float  # C R^2
    positives: float
    noise: float
    duplicates: bool

    @property
    def label(self) -> str:
        """Seed, kind, sizes, density, C R^2, positives in % / noise (-: separable); * with duplicates."""
        n, d = self.X.shape
        size = self.X.size if isinstance(self.X, np.ndarray) else self.X.nnz
        labels = f"{100 * self.positives:.0f}/{'-' if self.noise == 0 else f'{self.noise:.1f}'}"
        share = f"{100 * size / (n * d):.0f}%"
        return f"{self.seed} {self.kind} {n}x{d} {share}, {self.hardness:.2g}, {labels}{'*' if self.duplicates else ''}"


def regime(seed: int) -> Regime:
    """The regime of this seed."""
    rng = np.random.default_rng([2026, seed])
    kind = KINDS[rng.integers(len(KINDS))]
    n, d, per_row = sizes(rng, kind, MOST_ENTRIES)
    duplicates = bool(rng.random() < 1 / 3)
    rows = -(-n // 2) if duplicates else n
    X = features(rng, kind, rows, d, per_row)
    if duplicates:
        X = _repeated(X, rng)
    positives, noise = log_uniform(rng, 0.01, 0.5), log_uniform(rng, 0.1, 1.0) * float(rng.random() < 0.6)
    score = np.asarray(X @ rng.standard_normal(d)).ravel()
    score += noise * score.std() * rng.standard_normal(len(score))
    rarer = max(int(positives * len(score)), LEAST_ROWS)
    y = np.where(score > np.sort(score)[-rarer - 1], 1.0, -1.0)
    hardness = log_uniform(rng, 1e-2, 1e4)
    squares = float((X * X).sum()) / len(y)
    return Regime(seed, kind, X, y, squares / (len(y) * hardness), hardness, rarer / len(y), noise, duplicates)


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def features(rng: np.random.Generator, kind: str, n: int, d: int, per_row: int) -> Any:
    """Rows of this kind."""
    return {"dense": _dense, "sparse": _sparse, "one-hot": _one_hot, "text": _text}[kind](rng, n, d, per_row)


def sizes(rng: np.random.Generator, kind: str, most: float) -> tuple[int, int, int]:
    """n, d and the number of entries of a row, of a matrix of 1e4 to ``most`` entries."""
    entries, ratio = log_uniform(rng, 1e4, most), log_uniform(rng, 1e-3, 3.0)
    density = 1.0 if kind == "dense" else log_uniform(rng, 0.01, 0.5)
    n = max(int(np.sqrt(entries / ratio / density)), 50)
    d = max(int(ratio * n), 4)
    return n, d, max(round(density * d), 2)


def _dense(rng: np.random.Generator, n: int, d: int, per_row: int) -> np.ndarray:
    return rng.standard_normal((n, d)) * _log_uniform_array(rng, d)


def _log_uniform_array(rng: np.random.Generator, d: int) -> np.ndarray:
    """Scales of the columns: most data are scaled, not perfectly."""
    return np.exp(rng.uniform(-1.0, 1.0, d))


def _sparse(rng: np.random.Generator, n: int, d: int, per_row: int) -> sparse.csr_array:
    X = sparse.random_array((n, d), density=per_row / d, rng=rng, data_sampler=lambda size: rng.standard_normal(size))
    return sparse.csr_array(X @ sparse.diags_array(_log_uniform_array(rng, d)))


def _one_hot(rng: np.random.Generator, n: int, d: int, per_row: int) -> sparse.csr_array:
    """Each of ``per_row`` variables has d / per_row categories, the first ones more frequent."""
    edges = np.linspace(0, d, per_row + 1).astype(np.int64)
    columns = edges[:-1] + np.floor(rng.random((n, per_row)) ** 2 * np.diff(edges)).astype(np.int64)
    indptr = np.arange(n + 1) * per_row
    return _csr(np.ones(columns.size), columns.ravel(), indptr, (n, d))


def _text(rng: np.random.Generator, n: int, d: int, per_row: int) -> sparse.csr_array:
    """Word j has the frequency 1/(j + 10); rare words count more, and rows have length one."""
    words = np.floor(10 * ((d / 10 + 1) ** rng.random((n, per_row)) - 1)).astype(np.int64)
    X = _csr(np.ones(words.size), words.ravel(), np.arange(n + 1) * per_row, (n, d))
    X.sum_duplicates()
    X.data = (1 + np.log(X.data)) * np.log1p(X.indices / 10.0 + 1)
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    return X


def _csr(data: np.ndarray, columns: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> sparse.csr_array:
    """With 32-bit indices, as scikit-learn needs them."""
    return sparse.csr_array((data, columns.astype(np.int32), indptr.astype(np.int32)), shape=shape)


def _repeated(X: Any, rng: np.random.Generator) -> Any:
    """The rows twice, the second time with other values by a thousandth; binary rows stay binary."""
    if isinstance(X, np.ndarray):
        return np.concatenate([X, X * (1 + NEARLY * rng.standard_normal(X.shape))])
    other = X.copy()
    if not (X.data == 1).all():
        other.data *= 1 + NEARLY * rng.standard_normal(X.nnz)
    return sparse.csr_array(sparse.vstack([X, other]))
