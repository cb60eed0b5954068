"""What a door costs: a default fit through each of them, beside the direct one, which is the same problem's.

The direct fit is pragam's own estimator on an array. The doors: the columns of X in a pandas DataFrame (with their
names); a Pipeline of a scaler and the estimator (beside the scaler and the estimator by hand); the classes that
``patch_sklearn`` puts in the place of scikit-learn's LinearSVC and LinearSVR (beside ours with their loss, their
penalised intercept and their gap); and ``models.fit``, which is what the estimator calls. Columns have mean 0 and
variance 1. LinearSVR is of the first column on the others. Prints the least CPU milliseconds of interleaved fits on one
thread and their ratio. The target: at most 1.1 in total, for each door. Exits 1 if one misses it.

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


def frame(X: np.ndarray, y: np.ndarray) -> Pair:
    import pandas

    table = pandas.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
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
    "frame": frame, "pipeline": pipeline, "patched-svc": patched_svc, "patched-svr": patched_svr,
    "models.fit": models_fit,
}  # fmt: skip


def measured(names: list[str], doors: list[str], repeats: int) -> Iterator[tuple[str, str, float, float]]:
    """(set, door, milliseconds through the door, milliseconds of the direct fit)."""
    for name, X, y in small_sets(names):
        for door in doors:
            through, direct = DOORS[door](X, y)
            calls = {"through": through, "direct": direct}
            interleaved(calls, 1)  # imports and caches
            times = interleaved(calls, repeats, cpu=True)
            yield name, door, 1e3 * times["through"].best, 1e3 * times["direct"].best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="data sets; default: all small ones")
    parser.add_argument("--doors", nargs="+", choices=list(DOORS), default=list(DOORS))
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", UserWarning)
    doors = options.doors
    if find_spec("pandas") is None and "frame" in doors:
        print("skipped: frame: pandas is not installed", file=sys.stderr)
        doors = [door for door in doors if door != "frame"]
    with one_thread():
        found = list(measured(options.names, doors, options.repeats))
    rows = [(*where, f"{door:.2f}", f"{direct:.2f}", f"{door / direct:.2f}") for *where, door, direct in found]
    totals = {}
    for door in doors:
        own = np.array([each[2:] for each in found if each[1] == door])
        totals[door] = float(np.divide(*own.sum(axis=0))) if len(own) else 0.0
    show("Default fits: CPU ms", ("set", "door", "through", "direct", "ratio"), rows)
    print(", ".join(f"{door} {ratio:.3f}" for door, ratio in totals.items()))
    print(f"in total of the direct fits; the target is at most {AT_MOST} for each")
    return int(any(ratio > AT_MOST for ratio in totals.values()))


if __name__ == "__main__":
    sys.exit(main())
