"""How much memory does training on many sequences take beyond the data?

Printed: the peak of the process during the building of the problem and the solve, or during the ``fit`` of a
``ChainSVC``, less what it had with the data alone, in bytes a token (Linux only: it reads /proc).

    python benchmarks/chain_memory.py [--sequences 100000] [--labels 8]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import pragam
from _common import show
from pragam.structured import chain_hinge

COLUMNS, ENTRIES = 2000, 5  # of X, and of a token


def made(n: int, K: int) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Sequences of 2 to 8 tokens, whose labels follow from their features up to noise."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 9, n)
    N = int(lengths.sum())
    columns = np.sort(rng.integers(0, COLUMNS, (N, ENTRIES)).astype(np.int32), axis=1)
    weights, y = rng.standard_normal((COLUMNS, K)), np.empty(N, dtype=np.int64)
    for first in range(0, N, 50_000):
        some = slice(first, first + 50_000)
        scores = weights[columns[some]].sum(axis=1)
        y[some] = np.argmax(scores + rng.standard_normal(scores.shape), axis=1)
    indptr = np.arange(0, N * ENTRIES + 1, ENTRIES)
    return sparse.csr_array((np.ones(N * ENTRIES), columns.ravel(), indptr), shape=(N, COLUMNS)), y, lengths


def status(field: str) -> int:
    """A size in bytes of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sequences", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=8)
    options = parser.parse_args()
    X, y, lengths = made(options.sequences, options.labels)
    lam, loss = 10 / options.sequences, "hamming_sum"
    pragam.ChainSVC(tol=0.5).fit(X[:20], np.arange(20) % 2, [10, 10])  # what is imported is not counted
    ways = {
        "solve": lambda: pragam.solve(chain_hinge(X, y, lengths, lam, loss), tol=1e-2).certificate,
        "ChainSVC": lambda: pragam.ChainSVC(lam, loss=loss, tol=1e-2).fit(X, y, lengths).certificate_,
    }
    rows = []
    for name, train in ways.items():
        before = status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        begin = time.perf_counter()
        gap = train().relative_gap
        seconds, more = time.perf_counter() - begin, status("VmHWM") - before
        rows.append([name, str(len(y)), f"{gap:.1e}", f"{seconds:.2f}", f"{more / len(y):.0f}"])
    show("Memory beyond the data", ["", "tokens", "gap", "s", "bytes a token"], rows)


if __name__ == "__main__":
    main()
