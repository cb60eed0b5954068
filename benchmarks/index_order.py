"""Does it matter whether the indices of a sparse row are sorted, or unique?

Text as vectorisers make it: the words of a row in no order. The same rows are solved with sorted indices, with shuffled
ones, and with one word of every row stored as two entries, each half its value. For each gap: the CPU milliseconds of
``pragam.hinge`` and ``pragam.solve`` on sorted rows, and the ratios. Least of interleaved repeats, one thread. The
order of summation changes a few bits, and with them perhaps the number of sweeps: the passes are printed too.

    python benchmarks/index_order.py [--rows 25000] [--columns 75000] [--words 140] [--tols 1e-2 1e-3] [--repeats 7]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import interleaved, one_thread, show
from _peers import ours, text


def shuffled(X: Any, seed: int = 0) -> Any:
    """The entries of every row in random order."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.lexsort((np.random.default_rng(seed).random(X.nnz), rows))
    return sparse.csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def repeated(X: Any) -> Any:
    """The first entry of every row as two halves, the second of them at the row's end."""
    first, lengths = X.indptr[:-1][np.diff(X.indptr) > 0], np.diff(X.indptr)
    data = X.data.copy()
    data[first] /= 2
    ends = X.indptr[1:][lengths > 0]
    indptr = np.concatenate([[0], np.cumsum(lengths + (lengths > 0))]).astype(X.indptr.dtype)
    return sparse.csr_array((np.insert(data, ends, data[first]), np.insert(X.indices, ends, X.indices[first]), indptr),
                            shape=X.shape)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=25_000)
    parser.add_argument("--columns", type=int, default=75_000)
    parser.add_argument("--words", type=int, default=140)
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6])
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    X, y = text(args.rows, args.columns, args.words)
    X.sort_indices()
    lam = 1 / args.rows
    data = {"sorted": X, "unsorted": shuffled(X), "repeated": repeated(shuffled(X))}
    lines: list[tuple[Any, ...]] = []
    with one_thread():
        for tol in args.tols:
            fits = {name: ours(each, y, lam, False) for name, each in data.items()}
            times = interleaved({name: lambda f=fit, t=tol: f(t) for name, fit in fits.items()}, args.repeats, cpu=True)
            passes = [
                pragam.solve(pragam.hinge(X, y, lam, bias=False), tol=tol).history.passes[-1] for X in data.values()
            ]
            best = {name: each.best for name, each in times.items()}
            ratios = best["unsorted"] / best["sorted"], best["repeated"] / best["unsorted"]
            lines.append((f"{tol:g}", 1e3 * best["sorted"], *ratios, " ".join(f"{p:.1f}" for p in passes)))
    title = f"text, {args.rows} x {args.columns}, {X.nnz} entries, lam {lam:g}"
    show(title, ["gap", "sorted, ms", "unsorted/sorted", "repeated/unique", "passes of the three"], lines)


if __name__ == "__main__":
    main()
