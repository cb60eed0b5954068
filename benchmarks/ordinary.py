"""On which share of ordinary problems does ``auto`` certify the tolerance in time?

Generated problems of every risk at ordinary scales (``ordinary`` of tests/adversarial.py), each solved with a budget;
with ``--risks`` those of the named risks on simplices (``_label_problems.py``). Where the minimum is 0 no relative gap
can be certified: a gap of 1e-12 J(0, 0) is counted apart. The seeds of all others are printed: they are missed.

    python benchmarks/ordinary.py [--first 7000] [--problems 500] [--tol 1e-6] [--cap 2]
    python benchmarks/ordinary.py --risks multiclass_hinge multilabel_hinge max_affine --problems 1000
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import pragam
from _common import cpu_limit, one_thread, show
from _label_problems import RISKS, label_problem

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import adversarial

#: A gap this small, of J(0, 0), is 0.
ZERO = 1e-12
#: J(0, 0) may be 0 itself, for offsets or costs of 0.
TINY = 1e-6


def posed_by(seed: int, risks: list[str]) -> tuple[str, pragam.Problem]:
    """(risk, problem) of a seed."""
    if risks:
        return label_problem(seed, risks)
    problem, text, *_ = adversarial.ordinary(seed)
    return text.split(",")[0].split(" ")[0], problem


def is_zero(problem: pragam.Problem, gap: float) -> bool:
    """Whether the minimum is 0 to rounding, as far as J(0, 0) tells."""
    return gap <= ZERO * max(problem.primal(np.zeros(problem.n_weights), np.zeros(problem.n_biases)), TINY)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=7000, help="the first seed")
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--cap", type=float, default=2.0, help="seconds of CPU for a problem")
    parser.add_argument("--risks", nargs="+", choices=RISKS, default=[], metavar="RISK", help="on simplices, alone")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    posed, converged, zero, missed = Counter(), Counter(), Counter(), []
    with one_thread():
        for seed in range(args.first, args.first + args.problems):
            try:
                kind, problem = posed_by(seed, args.risks)
            except ValueError:  # refused at the door
                continue
            result = pragam.solve(problem, tol=args.tol, callback=cpu_limit(args.cap))
            posed[kind] += 1
            converged[kind] += result.converged
            if not result.converged and is_zero(problem, result.certificate.gap):
                zero[kind] += 1
            elif not result.converged:
                missed.append(f"{seed} ({kind}, {result.certificate.relative_gap:.0e})")
    rows = [[kind, posed[kind], converged[kind], zero[kind]] for kind in sorted(posed)]
    rows.append(["all", posed.total(), converged.total(), zero.total()])
    rows = [[*row, f"{100 * row[2] / row[1]:.1f} %"] for row in rows]
    header = ["risk", "problems", "certified", "minimum 0", "share"]
    show(f"certified to {args.tol:g} within {args.cap:g} s", header, rows)
    print(f"{len(missed)} missed:", ", ".join(missed) or "none")


if __name__ == "__main__":
    main()
