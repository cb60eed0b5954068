"""Does watching a solver slow it down?

``pragam compare`` takes its times from runs in which the solver is wrapped (``pragam.compare.clocked``): the time is
noted after every step. For each solver: the CPU milliseconds of the plain ``pragam.solve`` and of the clocked one with
as many iterations, and their ratio, the median over pairs of runs that follow each other, in changing order. At most
1.03 is wanted. The last column is the same for one traced run, which no time is taken from.

    python benchmarks/traced.py [a9a w8a] [--solvers dcd newton ...] [--iterations 100] [--repeats 9]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import pragam
from _common import data_sets, one_thread, show
from pragam.compare.clocked import Clocked
from pragam.compare.judge import Judge
from pragam.compare.thinning import FULL
from pragam.compare.traced import Traced
from pragam.solvers.base import AnySolver

#: What is wanted of a clocked run over a plain one.
LIMIT = 1.03
#: A shorter run is repeated until it takes so many seconds: the clock is not that fine.
ENOUGH = 0.05

Wrap = Callable[[AnySolver], AnySolver]


def seconds(problem: pragam.Problem, make: Wrap, name: str, iterations: int, times: int) -> float:
    """CPU seconds of a solve, the mean over some."""
    begin = time.process_time()
    for _ in range(times):
        method = make(pragam.solvers.by_name(name))
        pragam.solve(problem, method, tol=1e-9, max_iter=iterations, stall=False)
    return (time.process_time() - begin) / times


def row(problem: pragam.Problem, judge: Judge, name: str, iterations: int, repeats: int) -> tuple[Any, ...]:
    """The line of one solver."""
    steps = FULL.steps(iterations)
    kinds: dict[str, Wrap] = {"plain": lambda method: method, "clocked": Clocked}
    first = seconds(problem, kinds["plain"], name, iterations, 1)
    times = max(1, round(ENOUGH / max(first, 1e-6)))
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for repeat in range(repeats):
        for kind in sorted(kinds, reverse=repeat % 2 == 1):
            found[kind].append(seconds(problem, kinds[kind], name, iterations, times))
    ratio = statistics.median(one / plain for one, plain in zip(found["clocked"], found["plain"], strict=True))
    plain, clocked = (statistics.median(found[kind]) for kind in ("plain", "clocked"))
    traced = seconds(problem, lambda method: Traced(method, judge, steps), name, iterations, 1) / plain
    return 1e3 * plain, 1e3 * clocked, f"{ratio:.4f}", "yes" if ratio <= LIMIT else "NO", traced


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=["a9a", "w8a"], metavar="SET")
    parser.add_argument("--solvers", nargs="+", metavar="NAME", default=pragam.solvers.names())
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    with one_thread():
        for name, X, y, lam in data_sets(args.sets):
            problem = pragam.hinge(X, y, lam, bias=False)
            judge = Judge(problem, X, y)
            for solver in args.solvers:
                if not pragam.solvers.by_name(solver).missing(problem):
                    rows.append((f"{name}, {solver}", *row(problem, judge, solver, args.iterations, args.repeats)))
    header = ["", "plain, ms", "clocked, ms", "clocked / plain", f"<= {LIMIT}", "traced / plain"]
    show("What the clock of a comparison costs", header, rows)


if __name__ == "__main__":
    main()
