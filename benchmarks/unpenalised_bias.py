"""What does an unpenalised bias cost, and what do others take for it?

The only widespread exact solver of J(w, b) = lam/2 |w|^2 + (1/n) sum of hinge losses with a free b is LIBSVM,
scikit-learn's SVC(kernel="linear"). It takes minutes on whole sets, so both get the same random rows unless --full.
Prints the time of pragam with the bias, that of SVC over it (the best of a sweep of its tolerances that has
J <= (1 + gap) J*; "> 50": none of them within the cap, which is 50 times our time), and, always on the whole set,
pragam's time with the bias over that without. CPU seconds on one thread, the least over repeats, in turns; every J, D
and gap comes from pragam.certify. A table for each set, as soon as it is done.

    python benchmarks/unpenalised_bias.py [--rows 4000 | --full] [--cap 60]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import pragam
from _peers import SETS, Runner, loaded, machine, ours
from versus_peers import Row, race


def subset(X: Any, y: np.ndarray, rows: int) -> tuple[Any, np.ndarray]:
    """Random rows, always the same ones."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
    return X[chosen], y[chosen]


def price(X: Any, y: np.ndarray, lam: float, tol: float, repeats: int, cap: float) -> tuple[float, float]:
    """Least CPU seconds to a certified ``tol`` with and without a bias (inf: not certified), in turns."""
    best = [np.inf, np.inf]
    kinds = [
        (bias, Runner.on(ours, X, y, lam, bias, cap), pragam.hinge(X, y, lam, bias=bias)) for bias in (True, False)
    ]
    for repeat in range(repeats + 1):
        for i, (_, runner, problem) in enumerate(kinds):
            fit = runner.fit(tol)
            if repeat and fit is not None and pragam.certify(problem, fit.w, fit.alpha).relative_gap <= tol:
                best[i] = min(best[i], fit.seconds)  # repeat 0 maps the memory
    for _, runner, _ in kinds:
        runner.close()
    return best[0], best[1]


def cells(row: Row, whole: tuple[float, float], cap: float) -> list[str]:
    """A row of the table as text."""
    svc = row.peers["svc"]
    if row.seconds is None or isinstance(svc, str):
        ratio = "—" if row.seconds is None else str(svc)
    else:
        ratio = f"> {cap / row.seconds:.0f}" if svc == np.inf else f"{svc / row.seconds:.1f}"
    ours_ms = "—" if row.seconds is None else f"{1e3 * row.seconds:.1f}"
    biased, unbiased = whole
    cost = f"{biased / unbiased:.2f}" if np.isfinite([biased, unbiased]).all() else "—"
    return [row.problem, f"{row.tol:g}", f"{row.gap:.1e}", ours_ms, ratio, f"{1e3 * biased:.1f}", cost]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--sets", nargs="+", choices=SETS, default=["a9a", "w8a"], metavar="SET")
    add("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6, 1e-9])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--rows", type=int, default=4000, help="for both, where SVC takes part")
    size.add_argument("--full", action="store_true", help="all rows for SVC, too")
    add("--repeats", type=int, default=3)
    add("--cap", type=float, default=60.0, metavar="SECONDS", help="of CPU, for each fit")
    options = parser.parse_args()
    options.bias, options.peers = True, ["svc"]
    console = Console()
    console.width = max(console.width, 130)
    header = ("problem", "gap", "certified", "pragam, ms", "SVC / pragam", "all rows, ms", "bias / none")
    with threadpool_limits(1), console.status("") as status:
        for name, X, y, lam in loaded(options.sets):
            status.update(name)
            few = (X, y) if options.full else subset(X, y, options.rows)
            table = Table(*header, title=machine())
            for row in race(name, *few, lam, options):
                whole = price(X, y, lam, row.tol, options.repeats, options.cap)
                table.add_row(*cells(row, whole, options.cap))
            console.print(table)


if __name__ == "__main__":
    main()
