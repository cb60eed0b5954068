"""How long does the exact leave-one-out error take, who decides the rows, and how many times as long are n fits?

The hinge (``--loss``) with and without a bias, on whole sets. Columns: the share of the rows that the model of all rows
decides, the pair moved off the row, and a solve without it; the rows that stay open; solves; errors; CPU seconds of
``leave_one_out``, the solve of the model included; milliseconds of one fit to ``--tol``, the least of several beside
it; and n of these over the CPU seconds. ``--cases SET:EXPONENT:BIAS`` chooses others, ``--seconds`` ends each early
(the errors are then an interval), and ``--markdown`` prints the table for the documentation.

    python benchmarks/leave_one_out.py [--cases a9a:-8:1 ...] [--loss hinge] [--tol 1e-6] [--seconds S] [--markdown]
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import one_thread, show
from pragam.datasets import load_named
from pragam.samples import Rows
from pragam.selection import leave_one_out
from proven_predictions import SETS

CASES = (
    "german:-6:1",
    "splice:-5:0",
    "splice:-5:1",
    "spambase:-13:0",
    "spambase:-13:1",
    "letter-half:-6:1",
    "a9a:-8:1",
)
HEADER = ("set", "lam", "bias", "model", "moved", "solve", "open", "solves", "errors", "CPU s", "fit ms", "n fits")
#: Fits beside which the search is measured.
_FITS = 7


def rows_of(name: str) -> tuple[Any, Any]:
    """X without empty rows, and y."""
    known, scaled, _ = SETS[name]
    X, y = load_named(known)
    X = sparse.csr_array(scaled(sparse.csr_array(X)))
    kept = np.diff(X.indptr) > 0
    return X[kept], np.where(y > np.median(np.unique(y)), 1, -1)[kept]


def fit_of(X: Any, y: Any, lam: float, bias: bool, loss: str, tol: float) -> tuple[Any, float]:
    """(a fitted model, its seconds of CPU)."""
    begin = time.process_time()
    model = pragam.LinearSVC(C=1 / (len(y) * lam), fit_intercept=bias, loss=loss, tol=tol).fit(X, y)
    return model, time.process_time() - begin


def row_of(case: str, loss: str, tol: float, seconds: float | None) -> tuple[Any, ...]:
    """A row of the table."""
    name, exponent, bias = case.split(":")
    (X, y), lam = rows_of(name), 2.0 ** int(exponent)
    fits = [fit_of(X, y, lam, bias == "1", loss, tol) for _ in range(_FITS)]
    fit = min(each for _, each in fits)
    begin = time.process_time()
    found = leave_one_out(fits[0][0].model_, Rows.of(X, y), max_seconds=seconds)
    spent = time.process_time() - begin
    shares = [f"{100 * found.decided(stage) / found.n:.2f} %" for stage in ("model", "moved", "solve")]
    errors = str(found.errors) if found.is_settled else "{}..{}".format(*found.errors)
    times = f"{spent:.2f}", f"{1e3 * fit:.1f}", f"{found.n * fit / spent:.0f} x"
    return name, f"2^{exponent}", "yes" if bias == "1" else "no", *shares, found.n_open, found.solves, errors, *times


def markdown(rows: list[tuple[Any, ...]]) -> str:
    """The same as a table of Markdown."""
    lines = [HEADER, ["---"] * len(HEADER), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=CASES, metavar="SET:EXPONENT:BIAS")
    parser.add_argument("--loss", default="hinge", choices=("hinge", "squared_hinge", "smoothed_hinge"))
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    with one_thread():
        for case in options.cases:
            try:
                rows.append(row_of(case, options.loss, options.tol, options.seconds))
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)
    if options.markdown:
        print(markdown(rows))
    else:
        show(f"leave-one-out, {options.loss}; a fit to {options.tol:g}", HEADER, rows)


if __name__ == "__main__":
    main()
