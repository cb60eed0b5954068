"""What does the choice that auto makes cost, against the better of its two paths?

Runs newton and dcd alone to each gap on each set, for lam = 2^-20, 2^-16, ... 1, and prints both times (the least CPU
seconds of two, certificates included; inf: not certified within the cap), the path that auto's estimates prefer, and
its time over that of the better one: the loss. Cases that neither path certifies in time are left out, and counted.

    python benchmarks/choice.py [--sets a9a w8a] [--tols 1e-3 1e-6] [--cap 1]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import pragam
from _common import one_thread, show
from _peers import SETS, loaded
from pragam.solvers.auto import _dcd_cost, _newton_cost, _Sizes

DEFAULT = ("german.numer_scale", "splice", "rcv1-small", "a9a", "issue-22283", "w8a", "gaussian", "news20-bow")


def seconds(problem: pragam.Problem, solver: str, tol: float, cap: float) -> float:
    """The least CPU seconds of two solves, inf if one does not certify ``tol``."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        result = pragam.solve(problem, solver, tol=tol, max_seconds=cap)
        times.append(time.process_time() - begin if result.converged else np.inf)
        if times[-1] > 0.1:
            break
    return min(times)


def case(name: str, problem: pragam.Problem, exponent: int, tol: float, cap: float) -> tuple[Any, ...] | None:
    """A row of the table, or None if neither path got there."""
    size = _Sizes.of(problem, tol)
    estimated = {"dcd": _dcd_cost(size).total, "newton": _newton_cost(size).total}
    measured = {solver: seconds(problem, solver, tol, cap) for solver in estimated}
    best = min(measured.values())
    if best == np.inf:
        return None
    chosen = min(estimated, key=estimated.__getitem__)
    loss = measured[chosen] / best
    return f"{name} 2^{exponent}", tol, 1e3 * measured["newton"], 1e3 * measured["dcd"], chosen, loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=DEFAULT, metavar="SET")
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6, 1e-9])
    parser.add_argument("--cap", type=float, default=1.0, metavar="SECONDS")
    args = parser.parse_args()
    rows, left_out = [], 0
    with one_thread():
        for name, X, y, _ in loaded(args.sets):
            for exponent in range(-20, 1, 4):
                problem = pragam.hinge(X, y, 2.0**exponent, bias=False)
                for tol in args.tols:
                    row = case(name, problem, exponent, tol, args.cap)
                    rows += [row] if row else []
                    left_out += row is None
    header = ("problem", "gap", "newton, ms", "dcd, ms", "chosen", "loss")
    show("loss: time of the chosen path over the better", header, rows)
    losses = [row[-1] for row in rows]
    if losses:
        mean = np.exp(np.mean(np.log(losses)))
        print(f"{len(losses)} cases ({left_out} left out): geometric mean {mean:.3f}, worst {max(losses):.2f}")


if __name__ == "__main__":
    main()
