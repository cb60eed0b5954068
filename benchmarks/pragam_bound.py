"""Does PRAGAM's gap stay below its bound mu_k D_2 in every iteration on real data, and how far does it get?

Runs K iterations with the paper's lambda and certifies each. Printed: the largest gap / bound (at most 1 by theory)
and the relative gap at the end. "news20-bigram" runs until a relative gap of 1e-2. Exits 1 if a bound or that goal
is missed.

    python benchmarks/pragam_bound.py [--fixed] [--bias] [--iterations K] [SET ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np

import pragam
from _common import data_sets, show
from pragam.solvers import Pragam

ITERATIONS = {"a9a": 300, "w8a": 300, "covtype": 100, "news20-bigram": 1000}
GOALS = {"news20-bigram": 1e-2}
#: Rounding of a gap that is a difference of two sums.
SLACK = 1e-9


class Run(NamedTuple):
    iterations: int
    passes: float
    worst: float
    relative_gap: float
    seconds: float


def run(problem: pragam.Problem, solver: Pragam, iterations: int, goal: float) -> Run:
    """Drive the solver, certify every iterate, and keep the worst ratio of gap and bound."""
    begin = time.process_time()
    state = solver.init(problem, np.random.default_rng(0), None, goal)
    worst, k = 0.0, 0
    while True:
        proof = pragam.certify(problem, *solver.candidate(problem, state))
        worst = max(worst, proof.gap / state.bound)
        if k == iterations or proof.relative_gap <= goal:
            return Run(k, state.passes, worst, proof.relative_gap, time.process_time() - begin)
        state = solver.step(problem, state)
        k += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--fixed", action="store_true", help='lipschitz="bound" instead of adaptive')
    parser.add_argument("--bias", action="store_true", help="with an unpenalised bias (PRAGAM-b)")
    parser.add_argument("--iterations", type=int, help="the same number for every set, without goals")
    args = parser.parse_args()
    solver = Pragam(lipschitz="bound") if args.fixed else Pragam()
    rows, good = [], True
    for name, X, y, lam in data_sets(args.sets):
        goal = 0.0 if args.iterations is not None or args.fixed else GOALS.get(name, 0.0)
        steps = ITERATIONS[name] if args.iterations is None else args.iterations
        result = run(pragam.hinge(X, y, lam, bias=args.bias), solver, steps, goal)
        ok = result.worst <= 1 + SLACK and (not goal or result.relative_gap <= goal)
        good &= ok
        rows.append((name, *result, "ok" if ok else "MISSED"))
    header = ("set", "iterations", "passes", "max gap / bound", "relative gap", "CPU s", "")
    show(f"pragam, L {'fixed' if args.fixed else 'adapted'}{', bias' if args.bias else ''}", header, rows)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
