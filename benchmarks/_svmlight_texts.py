"""Ordinary kinds of svmlight text, made from a seed: a function for a row of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

Row = Callable[[np.random.Generator], str]


def one_hot(rng: np.random.Generator) -> str:
    """Like a9a's: 14 of 123 features, each 1."""
    return _line(rng.choice([-1, 1]), ((j, 1) for j in np.sort(rng.choice(123, 14, replace=False)) + 1))


def covtype_like(rng: np.random.Generator) -> str:
    """54 columns: ten numbers with six decimals and two ones."""
    numbers = ((j, f"{x:.6g}") for j, x in enumerate(rng.random(10), 1))
    return _line(rng.integers(1, 3), (*numbers, (11 + rng.integers(4), 1), (15 + rng.integers(40), 1)))


def tf_idf(rng: np.random.Generator) -> str:
    """Like a text's: 100 of a million features, with six decimals."""
    chosen = np.unique(rng.integers(1, 1_000_000, 100))
    return _line(rng.choice([-1, 1]), ((j, f"{rng.random():.6f}") for j in chosen))


def tf_idf_long(rng: np.random.Generator) -> str:
    """80 of 50,000 features, with all the decimals of a float64."""
    chosen = np.unique(rng.integers(1, 50_000, 80))
    return _line(rng.choice([-1, 1]), zip(chosen, (rng.random(len(chosen)) / 10).tolist(), strict=True))


def counts(rng: np.random.Generator) -> str:
    """Counts of words whose frequencies follow a power law, in one of 20 classes."""
    chosen = np.unique((rng.pareto(0.7, 120) * 20).astype(np.int64) % 60_000 + 1)
    return _line(rng.integers(20), zip(chosen, rng.geometric(0.5, len(chosen)), strict=True))


def dense(rng: np.random.Generator) -> str:
    """All of 60 columns, with four decimals."""
    return _line(rng.choice([-1, 1]), ((j, f"{x:.4f}") for j, x in enumerate(rng.standard_normal(60), 1)))


def gaussian(rng: np.random.Generator) -> str:
    """All of 30 columns, with up to 17 digits."""
    return _line(rng.choice([-1, 1]), enumerate(rng.standard_normal(30).tolist(), 1))


KINDS: tuple[Row, ...] = (one_hot, covtype_like, tf_idf, tf_idf_long, counts, dense, gaussian)


def page(row: Row, size: int, seed: int = 0) -> bytes:
    """Whole rows of about so many bytes."""
    rng, lines, length = np.random.default_rng(seed), [], 0
    while length < size:
        lines.append(row(rng) + "\n")
        length += len(lines[-1])
    return "".join(lines).encode()


def _line(label: object, entries: Iterable[tuple[object, object]]) -> str:
    return f"{label} " + " ".join(f"{j}:{x}" for j, x in entries)
