"""The first minute: estimators of rows on small data sets, each beside scikit-learn's.

All have their defaults: C = 1, an intercept, tol = 1e-4; the peers a raised max_iter. scikit-learn's LinearSVC and
LinearSVR penalise their intercepts and prove nothing; its QuantileRegressor has alpha = 0, an unpenalised linear
program. Levels have no peer there. Columns have mean 0 and variance 1. Regressions are of the first column on the
others. Prints the median CPU milliseconds of interleaved fits on one thread, their ratio, and the relative gap that
pragam certified. The target: at most 5 ms, or at most twice the peer's time. Exits 1 if missed.

    python benchmarks/small_sets.py [NAME ...] [--repeats 15] [--estimators LinearSVC ...]
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import datasets as examples
from sklearn.linear_model import QuantileRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

import pragam
from _common import interleaved, one_thread, show
from pragam.datasets import load_named

#: Of scikit-learn, and of the data folder.
BUILT_IN: dict[str, Callable[..., Any]] = {
    "iris": examples.load_iris, "wine": examples.load_wine, "cancer": examples.load_breast_cancer,
    "digits": examples.load_digits,
}  # fmt: skip
IN_FOLDER = ("diabetes", "vehicle", "ionosphere", "sonar", "german.numer_scale", "australian", "svmguide1")

ENOUGH, TWICE = 5e-3, 2.0
MAX_ITER = 1_000_000

#: (ours, the peer, whether y is a number)
PAIRS: dict[str, tuple[Any, Any, bool]] = {
    "LinearSVC": (pragam.LinearSVC(), LinearSVC(loss="hinge", max_iter=MAX_ITER, random_state=0), False),
    "squared": (pragam.LinearSVC(loss="squared_hinge"), LinearSVC(max_iter=MAX_ITER, random_state=0), False),
    "smoothed": (pragam.LinearSVC(loss="smoothed_hinge"), LinearSVC(max_iter=MAX_ITER, random_state=0), False),
    "OrdinalSVC": (pragam.OrdinalSVC(), None, False),
    "LinearSVR": (pragam.LinearSVR(), LinearSVR(max_iter=MAX_ITER, random_state=0), True),
    "Quantile": (pragam.QuantileRegressor(), QuantileRegressor(alpha=0.0), True),
}


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


def timed(ours: Any, peer: Any, X: np.ndarray, y: np.ndarray, repeats: int) -> tuple[float, float]:
    """Median CPU seconds of both; NaN without a peer."""
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: ours.fit(X, y)}
    if peer is not None:
        calls["peer"] = lambda: peer.fit(X, y)
    interleaved(calls, 1)  # imports and caches
    times = interleaved(calls, repeats, cpu=True)
    return times["ours"].median, times["peer"].median if peer is not None else math.nan


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--estimators", nargs="+", choices=list(PAIRS), default=list(PAIRS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, missed = [], 0
    with one_thread():
        for name, X, y in small_sets(options.names):
            for estimator in options.estimators:
                ours, peer, is_number = PAIRS[estimator]
                data = (X[:, 1:], X[:, 0]) if is_number else (X, y)
                mine, theirs = timed(ours, peer, *data, options.repeats)
                met = mine <= max(ENOUGH, TWICE * theirs if peer is not None else 0.0)
                missed += not met
                gap = f"{ours.certificate_.relative_gap:.1e}"
                shape = f"{data[0].shape[0]} x {data[0].shape[1]}"
                beside = ("", "") if peer is None else (1e3 * theirs, mine / theirs)
                rows.append((name, estimator, shape, 1e3 * mine, *beside, gap, "yes" if met else "no"))
    show("fit", ("set", "estimator", "size", "pragam, ms", "peer, ms", "ours / peer", "gap", "met"), rows)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
