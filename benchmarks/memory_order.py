"""Does it matter whether a table is stored by rows or by columns, and is a plain loop ahead?

Correlated Gaussian data, dense, 300 x 1000 and 1000 x 300, C = 0.1, no bias, as C and as Fortran arrays (a DataFrame's
array is of the second kind). For each gap: the CPU milliseconds of ``pragam.hinge`` and ``pragam.solve`` on both,
certificate included, and their ratio. Beside them the plain loop of _peers.py on both, at the loosest of its tolerances
whose weights are within the gap of the optimum, chosen in hindsight and without a certificate. Least of interleaved
repeats, one thread.

    python benchmarks/memory_order.py [--shapes 300x1000 1000x300] [--tols 1e-1 1e-3 1e-6] [--repeats 15]
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import pragam
from _common import interleaved, one_thread, show
from _peers import SWEEP, Fit, ours, plain_loop

#: Neighbouring columns have this correlation.
CORRELATION = 0.6


def correlated(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of an autoregressive process, labels of a sparse model with a noise of a third of its deviation."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = CORRELATION * X[:, j - 1] + np.sqrt(1 - CORRELATION**2) * X[:, j]
    score = X @ (rng.standard_normal(d) * (rng.random(d) < 0.2))
    return X, np.where(score + score.std() / 3 * rng.standard_normal(n) > 0, 1.0, -1.0)


def loops(X: np.ndarray, F: np.ndarray, y: np.ndarray, lam: float) -> tuple[Fit, Fit] | None:
    """The plain loop on both arrays, compiled; None if numba is not installed."""
    try:
        pair = plain_loop(X, y, lam, False), plain_loop(F, y, lam, False)
    except ImportError:
        return None
    for fit in pair:
        fit(1.0)
    return pair


def tolerance(problem: pragam.Problem, alpha: np.ndarray, fit: Fit, gap: float) -> float | None:
    """The loosest tolerance at which the loop's weights are within ``gap`` of the optimum."""
    for tol in SWEEP:
        proof = pragam.certify(problem, np.ravel(fit(float(tol))[0]), alpha)
        if proof.primal - proof.dual <= gap * proof.primal:
            return float(tol)
    return None


def rows(n: int, d: int, tols: list[float], repeats: int) -> list[tuple[Any, ...]]:
    """The lines of the table for one shape."""
    X, y = correlated(n, d)
    F, lam = np.asfortranarray(X), 1 / (0.1 * n)
    problem = pragam.hinge(X, y, lam, bias=False)
    alpha = pragam.solve(problem, tol=min(tols) / 1000).alpha
    pair, found = loops(X, F, y, lam), []
    for tol in tols:
        by_rows, by_columns = ours(X, y, lam, False), ours(F, y, lam, False)
        calls = {"C": lambda f=by_rows, t=tol: f(t), "F": lambda f=by_columns, t=tol: f(t)}
        own = None if pair is None else tolerance(problem, alpha, pair[0], tol)
        if pair is not None and own is not None:
            calls |= {"loop C": lambda f=pair[0], t=own: f(t), "loop F": lambda f=pair[1], t=own: f(t)}
        times = {name: 1e3 * each.best for name, each in interleaved(calls, repeats, cpu=True).items()}
        line = (f"{n} x {d}", tol, times["C"], times["F"], times["F"] / times["C"])
        found.append((*line, times.get("loop C", "-"), times.get("loop F", "-")))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=["300x1000", "1000x300"], metavar="NxD")
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-1, 1e-3, 1e-6])
    parser.add_argument("--repeats", type=int, default=15)
    args = parser.parse_args()
    lines: list[tuple[Any, ...]] = []
    with one_thread():
        for shape in args.shapes:
            n, d = map(int, shape.split("x"))
            lines += rows(n, d, args.tols, args.repeats)
    header = ["shape", "gap", "C order, ms", "Fortran order, ms", "F/C", "plain loop, C", "plain loop, F"]
    show("CPU time by memory order; the plain loop has no certificate", header, lines)
    if any(line[-1] == "-" for line in lines):
        print("The plain loop needs numba, which is not installed, or reached no such gap.", file=sys.stderr)


if __name__ == "__main__":
    main()
