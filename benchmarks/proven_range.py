"""What does it cost to prove that no lambda of [2^-20, 1] is better on rows left out by more than eps?

Seven sets, four fifths of the rows trained on, a fifth left out (stratified, seed 0; rows without entries are dropped),
or ``--cv`` folds. Columns: lambdas solved, solves of all folds, cells, seconds of CPU with all included, the least
errors of the rows left out, the eps that was proven, and the octaves that stayed open. ``--limit`` seconds of CPU end
it.

``--classic`` proves the same without a bias by the classic ball alone (Shibagaki, Suzuki, Karasuyama and Takeuchi 2015,
arXiv:1502.02344, at gap 0): the pair of a solved lambda is kept as it is, and each half of an interval is proven from
its nearer end. It is written in plain floats and rounds nothing outward.

    python benchmarks/proven_range.py [SET ...] [--eps 0.01 0] [--cv 5] [--no-bias] [--classic] [--limit 60]
"""

from __future__ import annotations

import argparse
import heapq
import sys
import time
from collections.abc import Iterator
from itertools import count, pairwise
from math import log2
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import one_thread, show
from proven_predictions import SETS, data, fifth

NAMES = ("german", "spambase", "splice", "letter-half", "a9a", "w8a", "covtype-50k")
HEADER = ("set", "eps", "way", "lams", "solves", "cells", "CPU s", "errors", "of", "proven", "octaves open")
LOW, HIGH = 2.0**-20, 1.0


def filled(name: str) -> tuple[Any, Any]:
    """All rows that have entries."""
    X, y = data(name)
    keep = np.diff(X.indptr) > 0
    return X[keep], y[keep]


def proven(name: str, eps: float, n_folds: int, bias: bool, limit: float) -> tuple[Any, ...]:
    """A row of the table."""
    X, y = filled(name)
    begin = time.process_time()

    def late(progress: Any) -> bool:
        return time.process_time() - begin > limit

    more: dict[str, Any] = {"bias": bias, "prove": eps, "callback": late}
    if n_folds:
        found = pragam.tune(X, y, (LOW, HIGH), cv=n_folds, **more)
    else:
        train, labels, out, truth = fifth(X, y)
        found = pragam.tune(train, labels, (LOW, HIGH), validation=(out, truth), **more)
    spent = time.process_time() - begin
    left = sum(map(log2, found.open.hi / found.open.lo))
    errors = round(found.error * found.n_rows)
    way = "with a bias" if bias else "no bias"
    numbers = len(found.points.lam), found.n_solves, len(found.cells.lo), spent, errors, found.n_rows
    return name, eps, way, *numbers, found.proven, left


def classic(name: str, eps: float, limit: float) -> tuple[Any, ...]:
    """The same by the ball of each solved pair, kept as it is; no bias."""
    X, y, V, t = fifth(*filled(name))
    begin, problem = time.process_time(), pragam.hinge(X, y, 1.0, bias=False).keeping()
    norms = sparse.linalg.norm(V, axis=1)

    def solved(lam: float, start: Any) -> dict[str, Any]:
        nonlocal problem
        problem = problem.at(lam)
        result = pragam.solve(problem, tol=1e-9, start=start)
        u = -problem.adjoint(result.alpha)
        inner = result.w @ result.w, result.w @ u, u @ u
        mean = np.maximum(0.0, 1 - y * (X @ result.w)).mean() - result.alpha.sum()
        w, held = V @ result.w, V @ u
        return {"lam": lam, "result": result, "wrong": int(np.sum((w > 0) != (t > 0))), "w": w, "u": held,
                "inner": inner, "mean": mean}  # fmt: skip

    def lower(point: dict[str, Any], lam: float) -> int:
        """The errors that are settled at a lam."""
        tau, (ww, wu, uu) = 1 / lam, point["inner"]
        radius = np.sqrt(max(ww / 4 + (point["mean"] + wu / 2) * tau + uu * tau * tau / 4, 0.0))
        score = (point["w"] + point["u"] * tau) / 2
        return int(np.sum((np.abs(score) > radius * norms) & ((score > 0) != (t > 0))))

    points = [solved(HIGH, None)]
    while points[-1]["lam"] > LOW:
        points.append(solved(max(points[-1]["lam"] / 4, LOW), points[-1]["result"]))
    best, number, waiting, n_cells = min(each["wrong"] for each in points), count(), [], 0
    for one, other in pairwise(points):
        heapq.heappush(waiting, (min(one["wrong"], other["wrong"]), next(number), one, other))
    n_solves = len(points)
    while waiting and time.process_time() - begin < limit:
        *_, one, other = heapq.heappop(waiting)
        middle, n_cells = (one["lam"] * other["lam"]) ** 0.5, n_cells + 2
        if all(lower(each, middle) >= best - eps * len(t) for each in (one, other)):
            continue
        found, n_solves = solved(middle, one["result"]), n_solves + 1
        best = min(best, found["wrong"])
        for above, below in ((one, found), (found, other)):
            heapq.heappush(waiting, (min(above["wrong"], below["wrong"]), next(number), above, below))
    left = sum(log2(one["lam"] / other["lam"]) for *_, one, other in waiting)
    spent = time.process_time() - begin
    return (
        name,
        eps,
        "classic, no bias",
        n_solves,
        n_solves,
        n_cells,
        spent,
        best,
        len(t),
        eps if not left else np.nan,
        left,
    )


def rows(options: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    for name in options.sets or NAMES:
        for eps in options.eps:
            try:
                yield proven(name, eps, options.cv, not options.no_bias, options.limit)
                if options.classic:
                    yield proven(name, eps, 0, False, options.limit)
                    yield classic(name, eps, options.limit)
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)


def main() -> None:
    """Print the table, a row at a time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--eps", nargs="+", type=float, default=[0.01])
    parser.add_argument("--cv", type=int, default=0, metavar="K")
    parser.add_argument("--no-bias", action="store_true")
    parser.add_argument("--classic", action="store_true")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS")
    options = parser.parse_args()
    with one_thread():
        show("proven range of lambda, 2^-20 .. 1", HEADER, list(rows(options)))


if __name__ == "__main__":
    main()
