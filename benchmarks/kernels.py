"""How many bytes a second does each kernel get through, as a share of what this machine can stream?

The yardsticks are measured in the same run, on as many bytes and in turns with the kernels: "read" is an inner
product, "triad" is y += a x, both by BLAS. X (or the vectors) take 256 KB, 8 MB and 64 MB, for L2, L3 and memory. Bytes
counted are those that must be moved once: X, or the vectors over the rows; for the Gram matrix, which is bound by its
updates, a reading and a writing of each. scipy's and numpy's own products stand beside ours.

    python benchmarks/kernels.py [--threads N] [--repeats R] [--wall]

Printed: GB/s, and the share of the rate of "read" at that size. --threads lets our products use N threads (and takes
wall time); the yardsticks stay on one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.blas import daxpy

import pragam
from _common import Call, interleaved, one_thread, show
from pragam import _kernels
from pragam._kernels.newton.records import Boxes, Line
from pragam.operators import ScaledRows, check_data
from pragam.operators.pattern import PatternRows
from pragam.solvers.dcd import Dcd

SIZES = {"L2": 2**18, "L3": 2**23, "memory": 2**26}
WIDTH, GAP, COLUMNS = 32, 16, 1024  # of the CSR: entries a row, the largest distance between them, columns
DENSE_COLUMNS, SWEEPS = 128, 9

Case = tuple[str, Call, int]  # name, call, bytes


def csr(rng: np.random.Generator, size: int, value: type) -> Any:
    """A CSR matrix of about ``size`` bytes with ``WIDTH`` sorted entries in each row."""
    n = size // (WIDTH * (np.dtype(value).itemsize + 4))
    starts = rng.integers(0, COLUMNS - WIDTH * GAP, (n, 1))
    indices = (starts + np.cumsum(rng.integers(1, GAP + 1, (n, WIDTH)), axis=1)).astype(np.int32)
    X = rng.standard_normal((n, WIDTH)).astype(value)
    return sparse.csr_array((X.ravel(), indices.ravel(), np.arange(0, n * WIDTH + 1, WIDTH)), shape=(n, COLUMNS))


def yardsticks(rng: np.random.Generator, size: int) -> Iterator[Case]:
    x, y = rng.standard_normal((2, size // 16))
    yield "read", lambda: x.dot(y), size
    yield "triad", lambda: daxpy(x, y, a=1e-9), 3 * size // 2


def products(rng: np.random.Generator, size: int) -> Iterator[Case]:
    for value in (np.float64, np.float32):
        n = size // (DENSE_COLUMNS * np.dtype(value).itemsize)
        C = rng.standard_normal((n, DENSE_COLUMNS)).astype(value)
        for name, X in {"CSR": csr(rng, size, value), "C": C, "F": np.asfortranarray(C)}.items():
            S = check_data(X)
            w, alpha = rng.standard_normal(S.shape[1]), rng.standard_normal(S.shape[0])
            label = f"{name} {value.__name__}"
            yield f"X w, {label}", lambda S=S, w=w: S.matvec(w), size
            yield f"X'alpha, {label}", lambda S=S, alpha=alpha: S.rmatvec(alpha), size
            if name == "CSR":
                yield f"X w by scipy, {label}", lambda X=X, w=w: X @ w, size
                yield f"X'alpha by scipy, {label}", lambda X=X, alpha=alpha: X.T @ alpha, size
                yield f"row norms, {label}", lambda S=S: S._row_squares(), size
                yield f"check, {label}", lambda S=S: _kernels.get("csr_check")(*S.arrays, S.shape[1]), size
                if value is np.float64:
                    yield from pattern(X, w, alpha)
            elif value is np.float32:
                narrow = w.astype(value)  # numpy sums in float32 then
                yield f"X w by numpy, {label}", lambda X=X, w=narrow: X @ w, size


def pattern(X: Any, w: np.ndarray, alpha: np.ndarray) -> Iterator[Case]:
    """Where X stands, packed without values. Its bytes are those of X: how much faster is the ratio of the rates."""
    ones = sparse.csr_array((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape)
    packed = PatternRows.by_length(ScaledRows(ones, np.ones(X.shape[0])))
    assert packed is not None
    size = X.data.nbytes + X.indices.nbytes
    yield "X w, packed", lambda: packed[0].matvec(w), size
    yield "X'alpha, packed", lambda: packed[0].rmatvec(alpha), size


def vectors(rng: np.random.Generator, size: int) -> Iterator[Case]:
    """The passes over the rows of a projection and of Newton's line search (four vectors each)."""
    one = np.ones(1)
    m, lower, upper, sigma = (rng.standard_normal(size // 32) for _ in range(4))
    yield "projection, one pass", lambda: _kernels.get("box_plane_sums")(m, lower, upper, sigma, one, 0.1, 1), size
    s, ds, base, width = (np.abs(rng.standard_normal(size // 32)) for _ in range(4))
    plain, line = Boxes(base, width, *(np.empty(0) for _ in range(3))), Line(-1.0, 1.0, 1e-12, 1)
    yield "line search, one pass", lambda: _kernels.get("box_line_search")(plain, s, ds, 0.1, line), size


def assembly(rng: np.random.Generator, size: int) -> Iterator[Case]:
    X = csr(rng, size, np.float64)
    S, n = check_data(X), X.shape[0]
    rows = np.arange(0, n, max(1, n // 1000))
    weights = np.ones(len(rows))
    gram = np.zeros((COLUMNS, COLUMNS))
    updates = len(rows) * WIDTH * (WIDTH + 1) // 2
    yield "Gram matrix, 1000 rows", lambda: S.add_outer(rows, weights, gram), 16 * updates


def dcd_rate(rng: np.random.Generator, size: int, repeats: int, cpu: bool) -> float:
    """Bytes of X a second in dcd's sweeps, free of their set-up: between the first sweep and the last."""
    X = csr(rng, size, np.float64)
    problem = pragam.hinge(X, rng.choice([-1, 1], X.shape[0]), lam=1.0 / X.shape[0], bias=False)

    def passes(k: int) -> float:
        solver = Dcd(face=False)
        state = solver.init(problem, np.random.default_rng(0), None, 1e-12)
        for _ in range(k):
            solver._sweep(problem, state)
        return state.passes

    times = interleaved({"first": lambda: passes(1), "all": lambda: passes(SWEEPS)}, repeats, cpu)
    return size * (passes(SWEEPS) - passes(1)) / (times["all"].best - times["first"].best)


def rates(rng: np.random.Generator, size: int, repeats: int, cpu: bool) -> dict[str, float]:
    """Name -> bytes a second at this size, all kernels in turns."""
    cases = [case for make in (yardsticks, products, vectors, assembly) for case in make(rng, size)]
    loops = max(1, 2**26 // size)  # all but the first find their data where it fits

    def looped(call: Call) -> Call:
        return lambda: [call() for _ in range(loops)]

    times = interleaved({name: looped(call) for name, call, _ in cases}, repeats, cpu)
    answer = {name: moved * loops / times[name].best for name, _, moved in cases}
    return answer | {"dcd sweep, CSR float64": dcd_rate(rng, size, min(3, repeats), cpu)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--wall", action="store_true", help="wall time instead of CPU time")
    args = parser.parse_args()
    os.environ["PRAGAM_NUM_THREADS"] = str(args.threads)
    cpu = args.threads == 1 and not args.wall
    with one_thread():
        columns = [rates(np.random.default_rng(0), size, args.repeats, cpu) for size in SIZES.values()]
    cells = [
        [cell for c in columns for cell in (f"{c[name] / 1e9:.1f}", f"{c[name] / c['read']:.2f}")]
        for name in columns[0]
    ]
    header = ("kernel", *(title for where in SIZES for title in (f"{where}, GB/s", "share")))
    show(f"{args.threads} thread(s)", header, [(name, *row) for name, row in zip(columns[0], cells, strict=True)])


if __name__ == "__main__":
    main()
