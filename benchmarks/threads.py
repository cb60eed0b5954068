"""What does a second thread bring to whole solves?

Prints the wall-clock time of pragam.solve(..., "auto") with PRAGAM_NUM_THREADS 1 and --threads, the least over repeats
in turns, and their ratio (above 1: several are faster). The answers are compared: they must be equal to the bit. Only
an idle machine says something.

    python benchmarks/threads.py [--sets covtype mnist-odd-even] [--tols 1e-3 1e-6] [--threads 2]
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import pragam
from _common import interleaved, show
from _peers import SETS, loaded


def solve(X: Any, y: np.ndarray, lam: float, tol: float, threads: int) -> pragam.Result:
    """On so many threads."""
    os.environ["PRAGAM_NUM_THREADS"] = str(threads)
    return pragam.solve(pragam.hinge(X, y, lam, bias=False), tol=tol)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--sets", nargs="+", choices=SETS, default=["a9a", "covtype", "mnist-odd-even", "news20-bow", "wide"])
    add("--tols", nargs="+", type=float, default=[1e-3, 1e-6])
    add("--threads", type=int, default=2)
    add("--repeats", type=int, default=7)
    options = parser.parse_args()
    rows = []
    with threadpool_limits(1):
        for name, X, y, lam in loaded(options.sets):
            for tol in options.tols:
                one, many = (solve(X, y, lam, tol, count) for count in (1, options.threads))
                assert np.array_equal(one.w, many.w) and np.array_equal(one.alpha, many.alpha)
                times = interleaved(
                    {str(count): lambda c=count: solve(X, y, lam, tol, c) for count in (1, options.threads)},  # noqa: B023
                    options.repeats,
                )
                first, second = times["1"].best, times[str(options.threads)].best
                rows.append((name, f"{tol:g}", one.solver, 1e3 * first, 1e3 * second, first / second))
    show("whole solves", ("set", "gap", "solver", "1 thread, ms", f"{options.threads} threads, ms", "ratio"), rows)


if __name__ == "__main__":
    main()
