"""How many predictions on rows left out are proven to be the optimum's, by the ball around w alone and by the region?

The hinge with a bias at C = 1 on four fifths of the rows of ten sets, solved by coordinate ascent (``--solver``), which
stops near the tolerance. The other fifth is predicted. Columns: the relative gap reached; the share that
|w - w*| <= sqrt(2 gap/lam) and the interval of b* prove; the share that the sphere and the anchor prove; the share with
the kinks. Then milliseconds of CPU: to make the region, beside the solve, and to bound the rows with and without kinks,
beside a plain product. ``--markdown`` prints the shares as a table for the documentation.

    python benchmarks/proven_predictions.py [SET ...] [--tols 1e-2 1e-3 1e-6] [--C 1] [--solver dcd] [--markdown]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler

import pragam
from _common import one_thread, show
from pragam.certificate.optimum import neighbourhood
from pragam.certificate.region import region
from pragam.datasets import load_named
from pragam.models.places import narrower
from pragam.operators import check_data


def _scaled(X: Any) -> Any:
    return MaxAbsScaler().fit_transform(X)


def _logarithms(X: Any) -> Any:
    return _scaled(X.log1p())


#: The set's name, how its columns are scaled, how many rows are drawn at most.
SETS: dict[str, tuple[str, Callable[[Any], Any], int]] = {
    "german": ("german.numer_scale", lambda X: X, 0), "splice": ("splice", lambda X: X / 4, 0),
    "spambase": ("spambase", _logarithms, 0), "letter-half": ("letter", _scaled, 0), "a9a": ("a9a", lambda X: X, 0),
    "w8a": ("w8a", lambda X: X, 0), "covtype-50k": ("covtype", lambda X: X, 50_000),
    "ionosphere": ("ionosphere", _scaled, 0), "diabetes": ("diabetes", _scaled, 0),
    "australian": ("australian", _scaled, 0),
}  # fmt: skip
HEADER = ("set", "tol", "gap", "ball", "anchor", "kinks", "solve", "region", "ball", "anchor", "kinks", "product")


def data(name: str) -> tuple[Any, Any]:
    """All rows, with labels -1 and 1."""
    known, scaled, most = SETS[name]
    X, y = load_named(known)
    if most and most < len(y):
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
        X, y = X[rows], y[rows]
    X = sparse.csr_array(scaled(sparse.csr_array(X)))
    return X, np.where(y > (np.median(np.unique(y))), 1, -1)


def fifth(X: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """(X, y, X left out, y left out): a stratified fifth, drawn by seed 0."""
    rng = np.random.default_rng(0)
    left = [rng.permutation(np.flatnonzero(y == side)) for side in (-1, 1)]
    out = np.sort(np.concatenate([rows[: round(0.2 * len(rows))] for rows in left]))
    kept = np.setdiff1d(np.arange(len(y)), out)
    return X[kept], y[kept], X[out], y[out]


def settled(ends: Any) -> float:
    """The share of predictions that all scores between these ends share: a score of 0 is of the first class."""
    return float(np.mean((ends[:, 0, 0] > 0) | (ends[:, 0, 1] <= 0)))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The answer of a call, and its milliseconds of CPU."""
    begin = time.process_time()
    return call(), 1e3 * (time.process_time() - begin)


def rows_of(name: str, tols: list[float], C: float, solver: str) -> Iterator[tuple[Any, ...]]:
    X, y, out, _ = fifth(*data(name))
    problem, out = pragam.hinge(X, y, 1 / (C * len(y)), bias=True), check_data(out)
    for tol in tols:
        result, solve = timed(lambda tol=tol: pragam.solve(problem, solver, tol=tol))
        w, proof = result.w, result.certificate
        near = neighbourhood(problem, w, proof)
        place, made = timed(lambda pair=result: region(problem, pair.w, pair.alpha, pair.certificate))
        ball, by_ball = timed(lambda near=near, w=w: near.decisions(out, w))
        found, by_anchor = timed(lambda place=place, ball=ball: narrower(ball, place.decisions(out)))
        open_rows = np.flatnonzero((found[:, 0, 0] <= 0) & (found[:, 0, 1] > 0))
        finer, by_kinks = timed(
            lambda place=place, rows=open_rows: place.combined(out.take(rows)) if rows.size else None
        )
        whole = found.copy()
        if finer is not None:
            whole[open_rows] = narrower(found[open_rows], finer)
        _, product = timed(lambda w=w: out.matvec(w))
        shares = settled(ball), settled(found), settled(whole)
        times = solve, made, by_ball, by_anchor, by_kinks, product
        yield name, tol, proof.relative_gap, *shares, *times


def markdown(rows: list[tuple[Any, ...]], tols: list[float]) -> str:
    """A row for each set: before -> after at each tolerance."""
    lines = ["| set | " + " | ".join(f"gap {tol:g}" for tol in tols) + " |", "|---" * (len(tols) + 1) + "|"]
    for name in dict.fromkeys(row[0] for row in rows):
        own = [f"{100 * row[3]:.1f} -> {100 * row[5]:.1f} %" for row in rows if row[0] == name]
        lines.append(f"| {name} | " + " | ".join(own) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6])
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--solver", default="dcd")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    with one_thread():
        for name in options.sets or SETS:
            try:
                rows += rows_of(name, options.tols, options.C, options.solver)
            except FileNotFoundError as error:
                print(f"skipped: {error}", file=sys.stderr)
    if options.markdown:
        print(markdown(rows, options.tols))
    else:
        show(f"proven predictions, {options.solver}, C = {options.C:g}; times in ms", HEADER, rows)


if __name__ == "__main__":
    main()
