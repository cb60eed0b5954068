"""What does a warm start from the neighbour save on the paper's grid of lambda?

``pragam.path`` over lambda = 2^0 .. 2^-20 against separate solves of the same problems from nothing, with ``auto``.
Printed: CPU seconds of both, their ratio (above 1: warm starts pay), and the passes over the data. Both certify the
same tol at every lambda.

    python benchmarks/path.py [--tols T ...] [--smallest K] [--repeats R] [SET ...]
"""

from __future__ import annotations

import argparse

import pragam
from _common import interleaved, one_thread, show

SETS = ("a9a", "w8a", "rcv1-small", "covtype")


def cold(problem: pragam.Problem, lams: list[float], tol: float) -> list[pragam.Result]:
    return [pragam.solve(problem.at(lam), tol=tol) for lam in lams]


def passes(results: list[pragam.Result]) -> float:
    assert all(result.converged for result in results)
    return float(sum(result.history.passes[-1] for result in results))


def compare(problem: pragam.Problem, lams: list[float], tol: float, repeats: int) -> tuple[float, ...]:
    calls = {"cold": lambda: cold(problem, lams, tol), "path": lambda: pragam.path(problem, lams, tol)}
    times = interleaved(calls, repeats, cpu=True)
    apart, together = times["cold"].best, times["path"].best
    return apart, together, apart / together, passes(calls["cold"]()), passes(calls["path"]())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--tols", type=float, nargs="+", default=[1e-3, 1e-6])
    parser.add_argument("--smallest", type=int, default=20, metavar="K", help="the smallest lambda is 2^-K")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    lams = [2.0**-k for k in range(args.smallest + 1)]
    rows = []
    with one_thread():
        for name in args.sets or SETS:
            try:
                X, y = pragam.datasets.load_named(name)
            except FileNotFoundError as error:
                print(f"skipped: {error}")
                continue
            for bias in (False, True):
                problem = pragam.hinge(X, y, bias=bias)
                for tol in args.tols:
                    rows.append((f"{name}{', bias' * bias}", tol, *compare(problem, lams, tol, args.repeats)))
    header = ("set", "tol", "cold, s", "path, s", "cold / path", "passes, cold", "passes, path")
    show(f"auto, lambda = 2^0 .. 2^-{args.smallest}", header, rows)


if __name__ == "__main__":
    main()
