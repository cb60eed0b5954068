"""How long after Ctrl-C does ``LinearSVC.fit`` return its certified model?

Each run is a fit of several classes on two threads that would go on for long; a real SIGINT comes at a random moment of
its first seconds, and the clock on the wall runs from the signal to the return. Prints the quantiles of the
milliseconds, for dense rows (every Hessian and product is a call of BLAS) and for sparse ones.

    python benchmarks/interrupt.py [--runs 20] [--rows 60000] [--columns 300] [--classes 3 10] [--within 3]
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from _peers import machine
from pragam import LinearSVC


class Interrupt(threading.Thread):
    """Sends SIGINT to this process after ``delay`` seconds, unless ``over`` is set by then."""

    def __init__(self, delay: float) -> None:
        super().__init__()
        self.delay = delay
        self.over = threading.Event()
        self.sent: float | None = None

    def run(self) -> None:
        if not self.over.wait(self.delay):
            self.sent = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)


def seconds_to_return(X: Any, y: Any, delay: float) -> float | None:
    """From the signal to the end of fit; None if the fit was the first to end."""
    interrupt = Interrupt(delay)
    try:
        interrupt.start()
        LinearSVC(tol=0.0, n_jobs=2).fit(X, y)
        end = time.perf_counter()
        interrupt.over.set()
        interrupt.join()
    except KeyboardInterrupt:  # while fit looked at its arguments, or too late
        end = time.perf_counter()
    return None if interrupt.sent is None else max(end - interrupt.sent, 0.0)


def make_data(n: int, d: int, n_classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal((d, n_classes)) + 10 * rng.standard_normal((n, n_classes))).argmax(axis=1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--columns", type=int, default=300)
    parser.add_argument("--classes", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--within", type=float, default=3.0, help="seconds in which the signal comes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    table = Table("data", "classes", "runs", "least, ms", "median", "90 %", "most", title=machine())
    for kind in ("dense", "sparse"):
        for n_classes in options.classes:
            X, y = make_data(options.rows, options.columns, n_classes)
            X = X if kind == "dense" else sparse.csr_array(np.where(np.abs(X) > 1.3, X, 0.0))
            delays = options.within * np.random.default_rng(1).random(options.runs)
            times = [t for delay in delays if (t := seconds_to_return(X, y, delay)) is not None]
            shown = [f"{1e3 * q:.0f}" for q in np.quantile(times, [0.0, 0.5, 0.9, 1.0])] if times else ["-"] * 4
            table.add_row(kind, str(n_classes), str(len(times)), *shown)
    Console().print(table)


if __name__ == "__main__":
    main()
