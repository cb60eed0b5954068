"""The large data sets of the benchmarks, made from the small ones (and one from nothing) as packed directories.

    python benchmarks/make_large.py FOLDER [NAME...] [--size 1.0]

Blocks are generated one at a time and packed as they come, so a set of any size is made in the memory of its small one
and one block. All values are float32. A set whose directory stands is left as it is. Each is named FOLDER/NAME:

text       500,000 documents over 100,000 words, 55 million entries, from nothing: words by the law of Mandelbrot,
           (1 + log count) idf, rows of length 1; a fifth of the words make the label, with a noise of 0.3 deviations
a9ax20     a9a twenty times: values times 1 + 0.2 normal, 5 % of them dropped, 2 % of the labels flipped
covtype    covtype as it is
covtypex10 covtype ten times: values times 1 + 0.1 normal; covtypex30 thirty times, 2 GB
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import data_sets
from pragam.packed import Packed

#: Seeds the draws; a block has a generator of its own.
SEED = 0

#: Documents in a block of text.
BLOCK = 10_000

Blocks = Iterator[tuple[Any, np.ndarray]]


def text(size: float) -> Blocks:
    """Documents of 10 to 400 words (115 in the mean) and the sign of a linear function of them with noise."""
    n, d = max(int(500_000 * size), 1), 100_000
    rng = np.random.default_rng(SEED)
    share = 1 / (np.arange(1, d + 1) + 20.0) ** 1.05
    share /= share.sum()
    w = rng.standard_normal(d) * (rng.random(d) < 0.2)
    for first in range(0, n, BLOCK):
        X = documents(np.random.default_rng([SEED, first]), min(BLOCK, n - first), share)
        score = X @ w
        noise = np.random.default_rng([SEED, first, 1]).standard_normal(len(score))
        yield X, np.where(score + 0.3 * score.std() * noise > 0, 1.0, -1.0)


def documents(rng: np.random.Generator, m: int, share: np.ndarray) -> Any:
    """Rows of length 1: (1 + log count) log(1 + 1 / (80 share)), where a word is seldom."""
    d = len(share)
    lengths = np.clip(rng.poisson(115, m), 10, 400)
    words = np.minimum(np.searchsorted(np.cumsum(share), rng.random(lengths.sum())), d - 1)
    X = sparse.coo_array((np.ones(len(words)), (np.repeat(np.arange(m), lengths), words)), shape=(m, d)).tocsr()
    X.data = (1 + np.log(X.data)) * (1 + np.log(1 / np.minimum(1, 80 * share)))[X.indices]
    return (sparse.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1))) @ X).tocsr().astype(np.float32)


def a9ax20(size: float) -> Blocks:
    """Copies of a9a with noise, dropped values and flipped labels."""
    for copy, X, y, rng in copies("a9a", 20, size):
        copy.data *= 1 + 0.2 * rng.standard_normal(X.nnz)
        copy.data[rng.random(X.nnz) < 0.05] = 0
        copy.eliminate_zeros()
        yield copy.astype(np.float32), np.where(rng.random(len(y)) < 0.02, -y, y)


def covtype(size: float) -> Blocks:
    """The set itself."""
    for copy, _, y, _ in copies("covtype", 1, size):
        yield copy.astype(np.float32), y


def covtypes(times: int, size: float) -> Blocks:
    """Copies of covtype with noise."""
    for copy, X, y, rng in copies("covtype", times, size):
        copy.data *= 1 + 0.1 * rng.standard_normal(X.nnz)
        yield copy.astype(np.float32), y


def copies(name: str, times: int, size: float) -> Iterator[tuple[Any, Any, np.ndarray, np.random.Generator]]:
    """(a copy, the first ``size`` of the set, its labels, a generator for the copy); nothing if the set is absent."""
    for _, X, y, _ in data_sets([name]):
        n = max(int(len(y) * size), 1)
        X, y = X[:n], np.where(y[:n] > 0, 1.0, -1.0)
        for k in range(times):
            yield X.copy(), X, y, np.random.default_rng([SEED, k])


MAKERS: dict[str, Callable[[float], Blocks]] = {
    "text": text,
    "a9ax20": a9ax20,
    "covtype": covtype,
    "covtypex10": partial(covtypes, 10),
    "covtypex30": partial(covtypes, 30),
}


def make(name: str, folder: str | os.PathLike[str], size: float = 1.0, **settings: Any) -> Packed | None:
    """The set of this name, packed now or before; None if the small one is absent. ``settings`` are those of pack."""
    directory = Path(folder) / name
    if (directory / "manifest.json").exists():
        return pragam.open_packed(directory)
    blocks = MAKERS[name](size)
    first = next(blocks, None)
    if first is None:
        return None
    directory.parent.mkdir(parents=True, exist_ok=True)
    return pragam.pack((block for part in ([first], blocks) for block in part), directory, seed=SEED, **settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MAKERS)}; default: all")
    parser.add_argument("--size", type=float, default=1.0, help="the share of rows")
    args = parser.parse_args()
    unknown = sorted(set(args.names) - set(MAKERS))
    if unknown:
        parser.error(f"no set {unknown[0]!r}: choose from {', '.join(MAKERS)}")
    for name in args.names or MAKERS:
        packed = make(name, args.folder, args.size, verbose=True)
        if packed is not None:
            n, d = packed.shape
            print(f"{Path(args.folder) / name}: {n} x {d}, {packed.bytes / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
