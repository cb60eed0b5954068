"""What a door costs: a default fit through each of them, beside the direct one, which is the same problem's.

The direct fit is pragam's own estimator on an array. The doors: the columns of X in a DataFrame of pandas, or of
polars (with their names); a Pipeline of a scaler and the estimator (beside the scaler and the estimator by hand); the
classes that ``patch_sklearn`` puts in the place of scikit-learn's LinearSVC and LinearSVR (beside ours with their loss,
their penalised intercept and their gap); and ``models.fit``, which is what the estimator calls. Columns have mean 0 and
variance 1. LinearSVR is of the first column on the others. Prints the median CPU milliseconds of interleaved fits on
one thread and their ratio, on small sets and on "many rows", 20,000 generated ones of 50 columns. The target: at most
1.1 in the median of the sets, for each door. Exits 1 if one misses it.

    python benchmarks/doors.py [NAME ...] [--doors frame ...] [--repeats 30]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pragam
from _common import Call, interleaved, one_thread, show
from pragam import models
from pragam.driver.jobs import Settings
from pragam.patch import linear_svc, linear_svr
from pragam.risks import Hinge, OneVsRest
from pragam.samples import Rows
from small_sets import small_sets

AT_MOST = 1.1

#: A fit through the door, and the direct one.
Pair = tuple[Call, Call]


def names_of(X: np.ndarray) -> list[str]:
    return [f"column {k}" for k in range(X.shape[1])]


def frame(X: np.ndarray, y: np.ndarray) -> Pair:
    import pandas

    table = pandas.DataFrame(X, columns=names_of(X))
    return partial(pragam.LinearSVC().fit, table, y), partial(pragam.LinearSVC().fit, X, y)


def polars_frame(X: np.ndarray, y: np.ndarray) -> Pair:
    import polars

    table = polars.DataFrame(X, schema=names_of(X))
    return partial(pragam.LinearSVC().fit, table, y), partial(pragam.LinearSVC().fit, X, y)


def pipeline(X: np.ndarray, y: np.ndarray) -> Pair:
    def by_hand() -> Any:
        return pragam.LinearSVC().fit(StandardScaler().fit_transform(X), y)

    return partial(make_pipeline(StandardScaler(), pragam.LinearSVC()).fit, X, y), by_hand


def patched_svc(X: np.ndarray, y: np.ndarray) -> Pair:
    door = linear_svc.LinearSVC()
    own = pragam.LinearSVC(loss="squared_hinge", intercept_scaling=1.0, tol=door._gap, max_iter=1000)
    return partial(door.fit, X, y), partial(own.fit, X, y)


def patched_svr(X: np.ndarray, y: np.ndarray) -> Pair:
    door = linear_svr.LinearSVR()
    own = pragam.LinearSVR(intercept_scaling=1.0, tol=door._gap, max_iter=1000)
    return partial(door.fit, X[:, 1:], X[:, 0]), partial(own.fit, X[:, 1:], X[:, 0])


def models_fit(X: np.ndarray, y: np.ndarray) -> Pair:
    risk, settings = OneVsRest(each=Hinge(lam=1 / len(y), bias=True)), Settings(tol=1e-4, exact_end=True)

    def fit() -> Any:
        return models.fit(risk, Rows.of(X, y), settings, fingerprint=False)

    return fit, partial(pragam.LinearSVC().fit, X, y)


DOORS: dict[str, Callable[[np.ndarray, np.ndarray], Pair]] = {
    "frame": frame, "polars": polars_frame, "pipeline": pipeline, "patched-svc": patched_svc,
    "patched-svr": patched_svr, "models.fit": models_fit,
}  # fmt: skip
#: What a door needs beside pragam.
PACKAGES = {"frame": "pandas", "polars": "polars"}


def sets(names: list[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The small sets of these names; without a name, all of them and many rows."""
    yield from small_sets(names)
    if not names:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((20_000, 50))
        yield "many rows", X, np.where(X @ rng.standard_normal(50) + rng.standard_normal(len(X)) > 0, 1, -1)


def measured(names: list[str], doors: list[str], repeats: int) -> Iterator[tuple[str, str, float, float]]:
    """(set, door, milliseconds through the door, milliseconds of the direct fit)."""
    for name, X, y in sets(names):
        for door in doors:
            through, direct = DOORS[door](X, y)
            calls = {"through": through, "direct": direct}
            interleaved(calls, 1)  # imports and caches
            times = interleaved(calls, repeats, cpu=True)
            yield name, door, 1e3 * times["through"].median, 1e3 * times["direct"].median


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="data sets; default: all small ones")
    parser.add_argument("--doors", nargs="+", choices=list(DOORS), default=list(DOORS))
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", UserWarning)
    doors = options.doors
    absent = {door for door in doors if door in PACKAGES and find_spec(PACKAGES[door]) is None}
    for door in sorted(absent):
        print(f"skipped: {door}: {PACKAGES[door]} is not installed", file=sys.stderr)
    doors = [door for door in doors if door not in absent]
    with one_thread():
        found = list(measured(options.names, doors, options.repeats))
    rows = [(*where, f"{door:.2f}", f"{direct:.2f}", f"{door / direct:.2f}") for *where, door, direct in found]
    show("Default fits: CPU ms", ("set", "door", "through", "direct", "ratio"), rows)
    ratios = {door: [own / direct for _, name, own, direct in found if name == door] for door in doors}
    medians = {door: float(np.median(each)) for door, each in ratios.items() if each}
    print(", ".join(f"{door} {median:.3f} (most {max(ratios[door]):.2f})" for door, median in medians.items()))
    print(f"in the median of the sets; the target is at most {AT_MOST} for each door")
    return int(any(median > AT_MOST for median in medians.values()))


if __name__ == "__main__":
    sys.exit(main())
