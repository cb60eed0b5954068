"""What do probabilities from the folds of the search cost, and what are they worth?

On three quarters of each set: ``LinearSVCCV(grid, cv=5, calibrate=...)`` against ``GridSearchCV`` over scikit-learn's
``LinearSVC`` (the hinge, LIBLINEAR) and then ``CalibratedClassifierCV(ensemble=False)`` at the C found, on the same
grid and folds; and the search of ``LinearSVCCV`` alone, without probabilities. On the last quarter: the log-loss
of the probabilities. Columns have been divided by their largest value. CPU seconds, least of the repeats, interleaved.

    python benchmarks/calibration.py [--method sigmoid|isotonic] [--repeats R] [SET ...]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

import pragam
from _common import interleaved, one_thread, show

SETS = ("german.numer_scale", "australian", "diabetes", "spambase", "splice", "a9a")
GRID = np.logspace(-3, 2, 11)


def compare(X: Any, y: Any, method: str, repeats: int) -> tuple[float, ...]:
    X, X_test, y, y_test = train_test_split(MaxAbsScaler().fit_transform(X), y, random_state=0, stratify=y)
    folds, found = StratifiedKFold(5), {}

    def ours() -> None:
        found["ours"] = pragam.LinearSVCCV(GRID, cv=folds, calibrate=method).fit(X, y)

    def search() -> None:
        found["search"] = pragam.LinearSVCCV(GRID, cv=folds).fit(X, y)

    def theirs() -> None:
        C = GridSearchCV(LinearSVC(loss="hinge"), {"C": GRID}, cv=folds, refit=False).fit(X, y)
        plain = LinearSVC(loss="hinge", **C.best_params_)
        found["theirs"] = CalibratedClassifierCV(plain, method=method, cv=folds, ensemble=False).fit(X, y)

    times = interleaved({"ours": ours, "search": search, "theirs": theirs}, repeats, cpu=True)
    losses = [log_loss(y_test, found[name].predict_proba(X_test)) for name in ("ours", "theirs")]
    seconds = [times[name].best for name in ("search", "ours", "theirs")]
    return *seconds, seconds[1] / seconds[2], *losses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--method", choices=("sigmoid", "isotonic"), default="sigmoid")
    parser.add_argument("--repeats", type=int, default=2)
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # LIBLINEAR's, that it has not converged
    rows = []
    with one_thread():
        for name in args.sets or SETS:
            try:
                X, y = pragam.datasets.load_named(name)
            except FileNotFoundError as error:
                print(f"skipped: {error}")
                continue
            rows.append((name, *compare(X, y, args.method, args.repeats)))
    header = ("set", "search, s", "ours, s", "sklearn, s", "ours / sklearn", "log-loss, ours", "log-loss, sklearn")
    show(f"{len(GRID)} values of C, 5 folds, {args.method}", header, rows)


if __name__ == "__main__":
    main()
