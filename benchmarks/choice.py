"""What does the choice that auto makes cost, against the better of its fixed paths, and against LIBLINEAR?

Generated regimes of all kinds (``_regimes.py``): the constants of the costs are fitted to those of even seeds, and the
figures come from the odd ones. For each regime and gap it prints the CPU milliseconds of every path alone, and of auto
as it runs, hand-overs included: the least of 5, in which all take turns, problem and certificates included. A path that
has twice taken three times as long as another is not repeated. Nothing is left out: what is not certified within the
cap counts as the cap.

    loss        auto over the better path
    LIBLINEAR   scikit-learn's LinearSVC, the fastest of all fits over a sweep of tolerances whose J(w) is at most
                (1 + gap) J*: it needs no proof, and its tolerance is chosen for it in hindsight (``_peers.py``). It is
                ended where it can no longer be ahead.

    python benchmarks/choice.py [--seeds 1 3 5] [--sets a9a w8a] [--tols 1e-3 1e-6] [--fit]

``--fit`` measures the paths on the even seeds instead, and prints the records of constants that go into the cost.py
of each solver.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import pragam
from _common import one_thread, show
from _cost_fit import Solve, fits
from _peers import PEERS, SETS, Runner, loaded, machine
from _regimes import regime
from pragam.solvers import by_name
from versus_peers import Judge, again, fastest, sweep

PATHS = ("newton", "dcd", "newton-dense")
#: A path that takes this much longer than the best so far is not repeated.
SLOW = 3.0
#: LIBLINEAR is ended at this many times what auto takes: it is behind then, however it goes on.
BEHIND = 1.5
#: But not before so many seconds: short fits are repeated.
LEAST_CAP = 0.5
#: A solve that ends before this many seconds is counted in the mean, but not among the worst.
SHORT = 5e-3
#: A solve of the fit is repeated until so many seconds have passed.
ENOUGH = 0.3


class Data(NamedTuple):
    """A problem without a bias."""

    label: str
    X: Any
    y: np.ndarray
    lam: float

    def problem(self) -> pragam.Problem:
        return pragam.hinge(self.X, self.y, self.lam, bias=False)


class Cell(NamedTuple):
    """CPU seconds on one problem to one gap."""

    label: str
    tol: float
    paths: dict[str, float]
    auto: float
    peer: float
    chosen: str

    @property
    def better(self) -> float:
        return min(self.paths.values())

    @property
    def loss(self) -> float:
        return self.auto / self.better


def timed(data: Data, solver: str, tol: float, cap: float) -> tuple[float, pragam.Result]:
    """CPU seconds of one solve, the building of the problem included; the cap if it does not certify ``tol``."""
    begin = time.process_time()
    result = pragam.solve(data.problem(), solver, tol=tol, max_seconds=cap)
    seconds = time.process_time() - begin
    return min(seconds, cap) if result.converged else cap, result


def cells(data: Data, options: argparse.Namespace) -> Iterator[Cell]:
    """All tolerances on one problem."""
    fitting = [path for path in PATHS if not by_name(path).missing(data.problem())]
    times: dict[float, dict[str, float]] = {}
    chosen: dict[float, str] = {}
    for tol in options.tols:
        best = dict.fromkeys(("auto", *fitting), np.inf)
        timed(data, "auto", tol, options.cap)  # the first one is slower: memory is mapped
        for repeat in range(options.repeats):
            for solver in best:
                if repeat < 2 or solver == "auto" or best[solver] <= SLOW * min(best.values()):
                    seconds, result = timed(data, solver, tol, options.cap)
                    best[solver] = min(best[solver], seconds)
                    if solver == "auto":
                        chosen[tol] = result.solver
        times[tol] = best
    peers = liblinear(data, options, max(LEAST_CAP, BEHIND * max(best["auto"] for best in times.values())))
    for tol, best in times.items():
        paths = {path: best[path] for path in fitting}
        yield Cell(data.label, tol, paths, best["auto"], peers.get(tol, np.inf), chosen[tol])


def liblinear(data: Data, options: argparse.Namespace, cap: float) -> dict[float, float]:
    """CPU seconds to each gap."""
    if options.no_peer:
        return {}
    judge = Judge(data.problem(), min(options.tols) / 100, options.cap)
    runner = Runner.on(PEERS["liblinear"], data.X, data.y, data.lam, False, cap)
    found = sweep(runner, judge, options.tols, False)
    for _ in range(options.repeats - 1):
        again(runner, found, options.tols, False)
    runner.close()
    return {tol: fastest(found, tol) for tol in options.tols}


def problems(options: argparse.Namespace, odd: bool) -> Iterator[Data]:
    """The real sets that were asked for, else the regimes."""
    for name, X, y, lam in loaded(options.sets or []):
        yield Data(f"{name}, lam {lam:.3g}", X, y, lam)
    if not options.sets:
        for seed in options.seeds or range(int(odd), options.regimes, 2):
            drawn = regime(seed)
            yield Data(drawn.label, drawn.X, drawn.y, drawn.lam)


def report(found: list[Cell]) -> None:
    """The table, and what it says in all."""
    names = [path for path in PATHS if any(path in cell.paths for cell in found)]
    rows = [
        (cell.label, f"{cell.tol:g}", *(1e3 * cell.paths.get(name, np.nan) for name in names), 1e3 * cell.auto,
         1e3 * cell.peer, cell.loss, cell.chosen.removeprefix("auto ").strip("()"))
        for cell in found
    ]  # fmt: skip
    header = "problem", "gap", *map(short, names), "auto", "LIBL.", "loss", "by"
    show("CPU ms; loss: auto over the better path", header, rows)
    losses = np.array([cell.loss for cell in found])
    long = [cell.loss for cell in found if cell.better >= SHORT]
    print(machine())
    print(
        f"{len(found)} cells: geometric mean {np.exp(np.log(losses).mean()):.3f}, "
        f"95 % at most {np.quantile(losses, 0.95):.2f}, worst {losses.max():.2f}, "
        f"worst of {len(long)} where the better path takes {1e3 * SHORT:g} ms or more {max(long, default=np.nan):.2f}"
    )
    ahead = np.array([cell.auto / cell.peer for cell in found])
    if ahead.any():
        most = max((cell.auto / cell.peer for cell in found if cell.peer >= SHORT), default=0.0)
        print(
            f"LIBLINEAR more than 10 % ahead in {100 * np.mean(ahead > 1.1):.1f} % of the cells; where it takes "
            f"{1e3 * SHORT:g} ms or more at most {most:.2f} times as fast"
        )


def short(path: str) -> str:
    """The head of its column."""
    return path.removeprefix("newton-")


def fit(options: argparse.Namespace) -> None:
    """Measure the paths on the even seeds, and print the constants."""
    solves: dict[str, list[Solve]] = {path: [] for path in (*PATHS, "qp-bmrm")}
    for data in problems(options, odd=False):
        print(data.label, file=sys.stderr)
        for path in solves:
            problem = data.problem()
            if by_name(path).missing(problem):
                continue
            for tol in options.tols:
                best, total = np.inf, 0.0
                while total < ENOUGH:
                    seconds, result = timed(data, path, tol, options.cap)
                    best, total = min(best, seconds), total + seconds
                count = float(result.history.passes[-1]), result.n_iter
                solves[path].append(Solve(problem, tol, *count, best, result.converged))
    for record in fits(solves):
        print(record)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--seeds", nargs="+", type=int, help="these regimes alone")
    add("--regimes", type=int, default=60, help="seeds below this, the odd ones, or the even ones with --fit")
    add("--sets", nargs="+", choices=SETS, metavar="SET", help="real sets instead")
    add("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6])
    add("--repeats", type=int, default=5)
    add("--cap", type=float, default=10.0, metavar="SECONDS")
    add("--no-peer", action="store_true", help="without LIBLINEAR")
    add("--fit", action="store_true", help="fit the constants of the costs")
    options = parser.parse_args()
    with one_thread():
        if options.fit:
            fit(options)
            return
        found = []
        for data in problems(options, odd=True):
            print(data.label, file=sys.stderr)
            found += cells(data, options)
    if found:
        report(found)


if __name__ == "__main__":
    main()
