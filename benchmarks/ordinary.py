"""On which share of ordinary problems does ``auto`` certify the tolerance in time?

Generated problems of every risk at ordinary scales (``ordinary`` of tests/adversarial.py), each solved with a budget.

    python benchmarks/ordinary.py [--first 7000] [--problems 500] [--tol 1e-6] [--cap 2]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import pragam
from _common import one_thread, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import adversarial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=7000, help="the first seed")
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--cap", type=float, default=2.0, help="seconds for a problem")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    posed, converged = Counter(), Counter()
    with one_thread():
        for seed in range(args.first, args.first + args.problems):
            try:
                problem, text, *_ = adversarial.ordinary(seed)
            except ValueError:  # refused at the door
                continue
            kind = text.split(",")[0].split(" ")[0]
            result = pragam.solve(problem, tol=args.tol, max_seconds=args.cap)
            posed[kind] += 1
            converged[kind] += result.converged
    rows = [[kind, posed[kind], converged[kind]] for kind in sorted(posed)]
    rows.append(["all", posed.total(), converged.total()])
    rows = [[*row, f"{100 * row[2] / row[1]:.1f} %"] for row in rows]
    show(f"certified to {args.tol:g} within {args.cap:g} s", ["risk", "problems", "certified", "share"], rows)


if __name__ == "__main__":
    main()
