"""How much of a certificate is rounding? primal - J and D - dual relative to |J|, with J and D in rational arithmetic.

The first table has a row for each set and tolerance: the slack of both bounds, and their sum over the goal,
max(2e-13, tol/10). The other two have the distribution over the problems of tests/adversarial.py that converged: of
that ratio, and of the sum itself. "limited" counts the solves that ended with another status. Every solve is ``auto``
at the given tolerance. A negative slack would be a false bound: the script then exits with status 1.

    python benchmarks/certificate_slack.py [--sets a9a w8a] [--tols 1e-3 1e-6] [--seeds 500] [--no-bias] [--cap 10]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pragam
from _common import one_thread, show
from _peers import SETS
from pragam.certificate.exact import judge

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from adversarial import adversarial, ordinary
from exact_judge import exact_dual, exact_primal

#: The sets of docs/benchmarks.md.
DEFAULT = [name for name in SETS if name != "issue-22283"]
TOLS = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)


class Slack(NamedTuple):
    """Of both bounds, relative to |J|."""

    primal: float
    dual: float

    @classmethod
    def of(cls, proof: pragam.Certificate, J: Fraction, D: Fraction) -> Slack:
        """From the floats and the exact values."""
        size = abs(J) or Fraction(1)
        return cls(float((Fraction(proof.primal) - J) / size), float((D - Fraction(proof.dual)) / size))

    @property
    def both(self) -> float:
        return self.primal + self.dual

    def over_goal(self, tol: float) -> float:
        """At most 1 if the bounds are as tight as they are meant to be."""
        return self.both / max(2e-13, tol / 10)


def of_set(name: str, tols: Sequence[float], bias: bool, cap: float) -> Iterator[tuple[Any, ...]]:
    """A row for each tolerance."""
    load, lam = SETS[name]
    X, y = load()
    problem = pragam.hinge(X, y, lam, bias=bias)
    results = [pragam.solve(problem, tol=tol, max_seconds=cap) for tol in tols]
    risk, rows = {"name": "hinge", "lam": lam, "bias": bias}, X if isinstance(X, np.ndarray) else _arrays(X)
    for tol, result in zip(tols, results, strict=True):
        exact = judge(risk, rows, y, result.w, result.biases, result.alpha)
        slack = Slack.of(result.certificate, exact.primal, exact.dual)
        yield name, tol, result.status.name, result.certificate.relative_gap, *slack, slack.over_goal(tol)


def _arrays(X: Any) -> tuple[Any, Any, Any]:
    return X.data, X.indices, X.indptr


def of_problems(make: Any, seeds: int, tol: float, cap: float) -> tuple[list[Slack], int]:
    """The slacks where the tolerance was certified, and how many solves ended without."""
    slacks, limited = [], 0
    for seed in range(seeds):
        problem, _, settings = make(seed)
        if settings["solver"] is None:
            continue
        try:
            result = pragam.solve(problem, tol=tol, max_seconds=cap)
        except Exception as error:
            print(f"{make.__name__} {seed}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        proof = result.certificate
        if not result.converged:
            limited += 1
            continue
        D = exact_dual(problem, result.alpha)
        slacks.append(Slack.of(proof, exact_primal(problem, result.w, proof.biases), D))
    return slacks, limited


def quantiles(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(np.quantile(values, q)) for q in (0, 0.5, 0.9, 0.99, 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=DEFAULT, metavar="SET")
    parser.add_argument("--tols", nargs="+", type=float, default=TOLS)
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--no-bias", action="store_true")
    parser.add_argument("--cap", type=float, default=10.0, metavar="SECONDS")
    args = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    spread: list[tuple[Any, ...]] = []
    sums: list[tuple[Any, ...]] = []
    with one_thread():
        for name in args.sets:
            try:
                rows += of_set(name, args.tols, not args.no_bias, args.cap)
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)
        for make in (ordinary, adversarial):
            for tol in args.tols if args.seeds else ():
                slacks, limited = of_problems(make, args.seeds, tol, args.cap / 40)
                over = quantiles([slack.over_goal(tol) for slack in slacks]) if slacks else ()
                spread.append((make.__name__, tol, len(slacks), limited, *over))
                sums.append((*spread[-1][:4], *(quantiles([slack.both for slack in slacks]) if slacks else ())))
    show("slack relative to |J|", ("set", "tol", "status", "gap", "primal - J", "D - dual", "sum / goal"), rows)
    header = ("problems", "tol", "judged", "limited", "least", "median", "90 %", "99 %", "most")
    show("slack / max(2e-13, tol/10) |J|", header, spread)
    show("slack / |J|", header, sums)
    return int(any(min(row[4:6]) < 0 for row in rows) or any(min(row[4:], default=0) < 0 for row in spread))


if __name__ == "__main__":
    sys.exit(main())
