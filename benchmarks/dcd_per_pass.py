"""How long does one sweep of dcd take, against one iteration of LIBLINEAR's dual solver (in scikit-learn)?

Both shrink, without a bias, with the paper's lambda. The fits have k sweeps and one sweep, and (t(k) - t(1)) / (k - 1)
is the time of a sweep free of conversion and setup. Printed: milliseconds, and LIBLINEAR over ours (above 1: ours
is faster). The two shrink by their own rules, so the rows met in a sweep differ: "rows" is our mean share.

    python benchmarks/dcd_per_pass.py [--sweeps K] [--repeats R] [--wall] [SET ...]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import pragam
from _common import data_sets, interleaved, one_thread, show
from pragam.solvers.dcd import Dcd


def our_sweeps(problem: pragam.Problem, k: int) -> float:
    """k sweeps from zero; returns the passes over all rows that they amount to."""
    solver = Dcd(face=False)
    state = solver.init(problem, np.random.default_rng(0), None, 1e-12)
    before = state.passes
    for _ in range(k):
        solver._sweep(problem, state)
    return state.passes - before


def their_sweeps(X: Any, y: Any, C: float, k: int) -> None:
    LinearSVC(C=C, loss="hinge", dual=True, fit_intercept=False, tol=1e-12, max_iter=k, random_state=0).fit(X, y)


def compare(X: Any, y: Any, lam: float, k: int, repeats: int, cpu: bool) -> tuple[float, float, float]:
    """Seconds per sweep, ours and theirs, and the share of rows that ours met."""
    problem = pragam.hinge(X, y, lam, bias=False)
    C = 1 / (len(y) * lam)
    calls = {
        "ours 1": lambda: our_sweeps(problem, 1),
        "theirs 1": lambda: their_sweeps(X, y, C, 1),
        "ours k": lambda: our_sweeps(problem, k),
        "theirs k": lambda: their_sweeps(X, y, C, k),
    }
    times = interleaved(calls, repeats, cpu)
    ours, theirs = ((times[f"{who} k"].best - times[f"{who} 1"].best) / (k - 1) for who in ("ours", "theirs"))
    return ours, theirs, our_sweeps(problem, k) / k


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--wall", action="store_true", help="wall time instead of CPU time")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = []
    with one_thread():
        for name, X, y, lam in data_sets(args.sets):
            ours, theirs, share = compare(X, y, lam, args.sweeps, args.repeats, not args.wall)
            rows.append((name, 1e3 * ours, 1e3 * theirs, theirs / ours, share))
    show("one sweep", ("set", "ours, ms", "LIBLINEAR, ms", "LIBLINEAR / ours", "rows"), rows)


if __name__ == "__main__":
    main()
