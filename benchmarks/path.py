"""What does a path save over separate solves of its points, on the paper's grid of lambda?

``pragam.path`` over lambda = 2^0 .. 2^-20 against separate solves of the same problems from nothing, with ``auto``.
Both certify the same tol at every lambda. The two take turns, each time on a problem made anew. Printed: CPU seconds,
path over separate solves (below 1: the path is faster) by the least and by the median of the repeats, the passes over
the data, and the geometric mean of the ratios.

    python benchmarks/path.py [--tols T ...] [--smallest K] [--repeats R] [--no-bias] [SET ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import pragam
from _common import Times, interleaved, one_thread, show

SETS = ("german.numer_scale", "a9a", "w8a", "covtype", "rcv1-small", "news20-bow")
#: Sets whose 21 solves take some hundredths of a second are measured so many times as often.
_OFTENER, _SHORT = 10, 0.05


def passes(results: list[pragam.Result]) -> float:
    assert all(result.converged for result in results)
    return float(sum(result.history.passes[-1] for result in results))


def compare(make: Callable[[], pragam.Problem], lams: list[float], tol: float, repeats: int) -> tuple[float, ...]:
    found: dict[str, list[pragam.Result]] = {}

    def apart() -> None:
        problem = make()
        found["apart"] = [pragam.solve(problem.at(lam), tol=tol) for lam in lams]

    def together() -> None:
        found["path"] = pragam.path(make(), lams, tol)

    def measured(times: int) -> dict[str, Times]:
        return interleaved({"apart": apart, "path": together}, times, cpu=True)

    times = measured(repeats)
    if times["apart"].best < _SHORT:
        times = measured(_OFTENER * repeats)
    one, other = times["apart"], times["path"]
    ratios = other.best / one.best, other.median / one.median
    return one.best, other.best, *ratios, passes(found["apart"]), passes(found["path"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--tols", type=float, nargs="+", default=[1e-3, 1e-6])
    parser.add_argument("--smallest", type=int, default=20, metavar="K", help="the smallest lambda is 2^-K")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-bias", action="store_true")
    args = parser.parse_args()
    lams = [2.0**-k for k in range(args.smallest + 1)]
    rows: list[tuple[Any, ...]] = []
    with one_thread():
        for name in args.sets or SETS:
            try:
                X, y = pragam.datasets.load_named(name)
            except FileNotFoundError as error:
                print(f"skipped: {error}")
                continue
            for tol in args.tols:
                make = lambda X=X, y=y: pragam.hinge(X, y, bias=not args.no_bias)  # noqa: E731
                rows.append((name, tol, *compare(make, lams, tol, args.repeats)))
    header = ("set", "tol", "apart, s", "path, s", "path / apart", "by medians", "passes, apart", "passes, path")
    bias = "no bias" if args.no_bias else "with a bias"
    show(f"auto, lambda = 2^0 .. 2^-{args.smallest}, {bias}", header, rows)
    if rows:
        means = (np.exp(np.mean(np.log([row[k] for row in rows]))) for k in (4, 5))
        print("geometric mean: {:.2f} (by medians {:.2f})".format(*means))


if __name__ == "__main__":
    main()
