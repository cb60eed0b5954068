"""The first minute: ``LinearSVC().fit`` on small data sets, estimator against estimator.

Both estimators have their defaults: C = 1, an intercept, tol = 1e-4. The peer is scikit-learn's
``LinearSVC(loss="hinge")`` with a raised max_iter; it penalises its intercept and proves nothing. Columns have mean 0
and variance 1. Prints the median CPU milliseconds of interleaved fits on one thread, their ratio, and the relative gap
that pragam certified. The target for each set: at most 5 ms, or at most twice the peer's time. Exits 1 if missed.

    python benchmarks/small_sets.py [NAME ...] [--repeats 15]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import datasets as examples
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Peer

import pragam
from _common import interleaved, one_thread, show
from pragam.datasets import load_named

#: Of scikit-learn, and of the data folder.
BUILT_IN: dict[str, Callable[..., Any]] = {
    "iris": examples.load_iris, "wine": examples.load_wine, "cancer": examples.load_breast_cancer,
    "digits": examples.load_digits,
}  # fmt: skip
IN_FOLDER = ("diabetes", "vehicle", "ionosphere", "sonar", "german.numer_scale", "australian")

ENOUGH, TWICE = 5e-3, 2.0
MAX_ITER = 1_000_000


def small_sets(names: list[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, standardised X, y); absent sets are skipped."""
    for name in names or [*BUILT_IN, *IN_FOLDER]:
        try:
            X, y = BUILT_IN[name](return_X_y=True) if name in BUILT_IN else load_named(name)
        except FileNotFoundError as error:
            print(f"skipped: {error}", file=sys.stderr)
            continue
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        yield name, StandardScaler().fit_transform(dense), y


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, missed = [], 0
    with one_thread():
        for name, X, y in small_sets(options.names):
            ours, peer = pragam.LinearSVC(), Peer(loss="hinge", max_iter=MAX_ITER, random_state=0)
            calls = {"ours": lambda: ours.fit(X, y), "peer": lambda: peer.fit(X, y)}  # noqa: B023 (called here)
            interleaved(calls, 1)  # imports and caches
            times = interleaved(calls, options.repeats, cpu=True)
            mine, theirs = times["ours"].median, times["peer"].median
            met = mine <= max(ENOUGH, TWICE * theirs)
            missed += not met
            shape = f"{X.shape[0]} x {X.shape[1]}, {len(ours.classes_)} classes"
            gap = f"{ours.certificate_.relative_gap:.1e}"
            rows.append((name, shape, 1e3 * mine, 1e3 * theirs, mine / theirs, gap, "yes" if met else "no"))
    show("LinearSVC().fit", ("set", "size", "pragam, ms", "peer, ms", "ours / peer", "gap", "met"), rows)


if __name__ == "__main__":
    main()
