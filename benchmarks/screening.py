"""What does safe screening save on a warm-started lambda path, and how many samples does it remove?

A path of ``--values`` lambdas from ``--first`` down by ``--ratio``, each to the relative gap tol with ``auto``: cold,
warm without screening, warm with it. Printed: CPU seconds of the path, warm over screened (above 1: screening pays),
and the mean share of samples that left. All paths certify the same tol at every lambda.

    python benchmarks/screening.py [--solver S] [--values K] [--ratio F] [--first L] [--repeats R] [SET ...]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import pragam
from _common import data_sets, interleaved, one_thread, show
from pragam.operators import check_data

SETS = ("a9a", "w8a", "news20-bow")


def path(problems: list[pragam.Problem], solver: str, tol: float, warm: bool, screening: bool) -> float:
    """Solve one after the other; the mean share of samples screened, the first problem apart."""
    result, shares = None, []
    for problem in problems:
        result = pragam.solve(problem, solver, tol=tol, start=result if warm else None, screening=screening)
        assert result.converged
        shares.append(result.n_screened / problem.Q.size)
    return float(np.mean(shares[1:]))


def compare(problems: list[pragam.Problem], solver: str, tol: float, repeats: int) -> tuple[float, ...]:
    calls = {
        "cold": lambda: path(problems, solver, tol, warm=False, screening=False),
        "warm": lambda: path(problems, solver, tol, warm=True, screening=False),
        "screened": lambda: path(problems, solver, tol, warm=True, screening=True),
    }
    times = interleaved(calls, repeats, cpu=True)
    cold, warm, screened = (times[name].best for name in calls)
    return cold, warm, screened, warm / screened, calls["screened"]()


def problems_of(X: Any, y: Any, lams: list[float], bias: bool) -> list[pragam.Problem]:
    storage = check_data(X)
    return [pragam.hinge(storage, y, lam=lam, bias=bias) for lam in lams]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--values", type=int, default=20)
    parser.add_argument("--ratio", type=float, default=2**0.25)
    parser.add_argument("--first", type=float, default=1e-2)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    lams = [args.first * args.ratio**-k for k in range(args.values)]
    rows = []
    with one_thread():
        for name, X, y, _ in data_sets(args.sets or SETS):
            for bias in (False, True):
                problems = problems_of(X, y, lams, bias)
                for tol in (1e-4, 1e-6):
                    label = f"{name}{', bias' * bias}"
                    rows.append((label, tol, *compare(problems, args.solver, tol, args.repeats)))
    header = ("set", "tol", "cold, s", "warm, s", "screened, s", "warm / screened", "rows screened")
    show(f"{args.solver}, {args.values} values of lambda, ratio {args.ratio:.3g}", header, rows)


if __name__ == "__main__":
    main()
