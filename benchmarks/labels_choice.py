"""What does the choice that auto makes cost for several classes and several labels, against the best single solver?

Generated problems, multiclass of even and multilabel of odd seeds, and real sets with standardised columns at C = 1;
each without and with biases. For each and each gap it prints the CPU milliseconds of every solver that fits, except
those known to be slow, and of auto over the best of them: one thread, problem and certificates included, the least of
``--repeats``, in which all take turns. What is not certified within the cap is "-". A solver that has taken three times
as long as another is not repeated.

    kind, sizes   dense, sparse, one-hot or text; 1e4 to 2e5 entries (``_regimes.py``)
    K             3 to 40 classes or labels
    labels        of the highest scores of a linear model with noise of 0.1 to 1 times their deviation
    C R^2         0.1 to 1e3, R^2 the mean of the squared lengths of the rows

    python benchmarks/labels_choice.py [--seeds 0 1] [--sets iris] [--tols 1e-3] [--repeats 3] [--cap 5]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import pragam
from _common import cpu_limit, one_thread, show
from _peers import machine
from _regimes import KINDS, features, log_uniform, sizes
from _risk_data import labelled, table

#: Baselines of the paper, which take many times as long: "auto" does not choose among them.
KNOWN_SLOW = {"auto", "bcfw", "ls-bmrm", "pegasos-1", "pegasos-n", "pragam", "pragam-entropy"}
REAL: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("iris", "wine", "vehicle", "letter", "dna", "digits"), table),
    **dict.fromkeys(("emotions", "scene"), labelled),
}
SEEDS = 20
#: Entries of X at most.
MOST = 2e5
#: A solver that takes this much longer than the best so far is not repeated.
SLOW = 3.0
#: What auto may take, in times of the best.
ALLOWED = 2.0


class Posed(NamedTuple):
    """A problem, still to be built."""

    label: str
    build: Callable[[], pragam.Problem]


class Cell(NamedTuple):
    """CPU seconds to one gap (inf: not certified within the cap)."""

    label: str
    tol: float
    solvers: dict[str, float]
    auto: float
    ended: str

    @property
    def ratio(self) -> float:
        """auto over the best; nan if nobody has certified it, inf if auto alone has not."""
        best = min(self.solvers.values())
        return self.auto / best if best < np.inf else 1.0 if self.auto < np.inf else np.nan


def generated(seed: int) -> tuple[str, Any, np.ndarray, float]:
    """(label, X, y, lam) of a seed."""
    rng = np.random.default_rng([21, seed])
    kind = KINDS[rng.integers(len(KINDS))]
    n, d, per_row = sizes(rng, kind, MOST)
    X = features(rng, kind, n, d, per_row)
    K = round(log_uniform(rng, 3, 40))
    scores = X @ rng.standard_normal((d, K))
    scores += log_uniform(rng, 0.1, 1.0) * scores.std() * rng.standard_normal(scores.shape)
    rank = np.argsort(np.argsort(-scores, axis=1), axis=1)
    y = scores.argmax(axis=1) if seed % 2 == 0 else rank < rng.integers(1, max(2, K // 3) + 1, n)[:, None]
    hardness = log_uniform(rng, 0.1, 1e3)
    squares = float((X * X).sum()) / n
    return f"{seed} {kind} {n} x {d}, K {K}, {hardness:.2g}", X, y, squares / (n * hardness)


def real(name: str) -> tuple[str, Any, np.ndarray, float]:
    """(label, X, y, lam) of a real set."""
    X, y = REAL[name](name)
    return name, X, y, 1 / len(y)


def problems(options: argparse.Namespace) -> Iterator[Posed]:
    """Those that were asked for, without and with biases; absent sets are skipped."""
    for pose, keys in ((generated, options.seeds), (real, options.sets)):
        for key in keys:
            try:
                label, X, y, lam = pose(key)
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)
                continue
            risk = pragam.multiclass_hinge if y.ndim == 1 else pragam.multilabel_hinge
            for bias in (False, True):
                yield Posed(label + ", biases" * bias, partial(risk, X, y, lam, bias=bias))


def timed(posed: Posed, solver: str, tol: float, cap: float) -> tuple[float, str]:
    """CPU seconds of one solve, the building of the problem included, and the solver that ended it."""
    begin = time.process_time()
    result = pragam.solve(posed.build(), solver, tol=tol, callback=cpu_limit(cap))
    seconds = time.process_time() - begin
    return (seconds if result.converged else np.inf), result.solver


def cells(posed: Posed, options: argparse.Namespace) -> Iterator[Cell]:
    """All gaps on one problem. Who has not certified a gap is not asked for a smaller one."""
    fitting = [name for name in pragam.solvers.fitting(posed.build()) if name not in KNOWN_SLOW]
    active = ["auto", *fitting]
    for tol in sorted(options.tols, reverse=True):
        best, ended = dict.fromkeys(["auto", *fitting], np.inf), ""
        for repeat in range(options.repeats):
            for solver in active:
                if not repeat or best[solver] <= SLOW * min(best.values()) < np.inf:
                    seconds, name = timed(posed, solver, tol, options.cap)
                    best[solver] = min(best[solver], seconds)
                    ended = name if solver == "auto" else ended
        active = [solver for solver in active if best[solver] < np.inf]
        yield Cell(posed.label, tol, {name: best[name] for name in fitting}, best["auto"], ended)


def report(found: list[Cell]) -> None:
    """The table, and what it says in all."""
    names = sorted({name for cell in found for name in cell.solvers})
    rows = [
        (cell.label, f"{cell.tol:g}", *(ms(cell.solvers.get(name, np.inf)) for name in names), ms(cell.auto),
         f"{cell.ratio:.2f}", cell.ended.removeprefix("auto ").strip("()"))
        for cell in found
    ]  # fmt: skip
    show("CPU ms", ["problem", "gap", *names, "auto", "auto/best", "by"], rows)
    ratios = np.array([cell.ratio for cell in found])
    finite = ratios[np.isfinite(ratios)]
    print(machine())
    print(
        f"{len(ratios)} cells: geometric mean {np.exp(np.log(finite).mean()) if len(finite) else np.nan:.2f}, worst "
        f"{max(finite, default=np.nan):.2f}, above {ALLOWED:g}: {int((finite > ALLOWED).sum())}; certified by "
        f"another solver alone: {int(np.isinf(ratios).sum())}, by none: {int(np.isnan(ratios).sum())}"
    )


def ms(seconds: float) -> str:
    """For the table."""
    return f"{1e3 * seconds:.3g}" if seconds < np.inf else "-"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--seeds", nargs="*", type=int, default=list(range(SEEDS)), help="of generated problems")
    add("--sets", nargs="*", choices=REAL, default=list(REAL), metavar="SET", help=f"out of {', '.join(REAL)}")
    add("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6])
    add("--repeats", type=int, default=3)
    add("--cap", type=float, default=5.0, metavar="SECONDS", help="of CPU")
    options = parser.parse_args()
    found: list[Cell] = []
    with one_thread():
        for posed in problems(options):
            print(posed.label, file=sys.stderr)
            found += cells(posed, options)
    if found:
        report(found)


if __name__ == "__main__":
    main()
