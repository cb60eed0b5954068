"""What a certificate loses by being a sum over blocks: its gap over that of the whole, at the same (w, alpha).

Each set is solved whole, to each tolerance. The pair is then certified anew on X whole and on X in 7, 16 and 64 blocks
of consecutive rows, which give the products as sums. Printed: the relative gap of the whole, and for each number of
blocks the gap of the sum over it. Exits with status 1 if a ratio is above the limit.

    python benchmarks/certificate_sums.py [--sets covtype news20-bow a9a] [--rows 100000] [--tols 1e-3 1e-6 1e-9]
        [--blocks 7 16 64] [--cap 60]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import pragam
from _common import one_thread, show
from pragam.datasets import load_named, paper_lambda
from pragam.operators import check_data
from pragam.operators.storage import InMemory

#: A sum of certificates is said to lose at most this factor.
LIMIT = 1.05

SETS = ("covtype", "news20-bow", "a9a")


def rows_of(name: str, count: int) -> tuple[Any, np.ndarray]:
    """The first rows of a set, or all of them; those of a9a again and again."""
    X, y = load_named(name)
    rows = np.arange(count) % X.shape[0] if name == "a9a" else np.arange(min(count, X.shape[0]))
    return X[rows], y[rows]


def of_set(name: str, args: Any) -> Iterator[tuple[Any, ...]]:
    """A row for each tolerance and bias, and the largest ratio at its end."""
    (X, y), lam = rows_of(name, args.rows), paper_lambda(name)
    for bias in (False, True):
        whole = pragam.hinge(X, y, lam, bias=bias)
        for tol in args.tols:
            found = pragam.solve(whole, tol=tol, max_seconds=args.cap)
            alone = pragam.certify(whole, found.w, found.alpha).gap
            ratios = []
            for count in args.blocks:
                ends = np.linspace(0, X.shape[0], count + 1).astype(int).tolist()
                blocks = InMemory([check_data(X[first:last]) for first, last in pairwise(ends)])
                of_sum = pragam.certify(pragam.hinge(blocks, y, lam, bias=bias), found.w, found.alpha).gap
                ratios.append(of_sum / alone if alone else 1.0)
            label = f"{name}, {X.shape[0]} rows{', bias' if bias else ''}"
            yield label, f"{tol:g}", found.certificate.relative_gap, *(f"{ratio:.4f}" for ratio in ratios), max(ratios)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-3, 1e-6, 1e-9])
    parser.add_argument("--blocks", nargs="+", type=int, default=[7, 16, 64])
    parser.add_argument("--cap", type=float, default=60.0, help="seconds of each solve")
    args = parser.parse_args(arguments)
    rows: list[tuple[Any, ...]] = []
    with one_thread():
        for name in args.sets:
            try:
                rows += of_set(name, args)
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)
    columns = ["set", "tol", "gap", *(f"{count} blocks" for count in args.blocks)]
    show(f"gap of the sum over that of the whole (at most {LIMIT})", columns, [row[:-1] for row in rows])
    return int(any(row[-1] > LIMIT for row in rows))


if __name__ == "__main__":
    sys.exit(main())
