"""How long until something happens? ``import pragam``, a first fit, and the whole command ``pragam train FILE``.

Prints CPU seconds (user and system) of whole processes on one thread, the least over repeats, in turns, and the ratio
of the other to pragam (above 1: pragam is faster). Importing is compared with the modules of scipy and scikit-learn
that no package like this one can do without; the first fit is that of LinearSVC on iris, of both estimators in a
process of its own, where pragam's may take 1.2 times as long; training on a9a is compared with a script that reads the
same plain text file by load_svmlight_file, fits LinearSVC and prints its accuracy. pragam's output includes a proof of
its gap, which scikit-learn has none of; C = 1, no bias, and scikit-learn has its default tolerance, 1e-4.

    python benchmarks/start_up.py [--repeats 10]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from _peers import machine
from pragam.datasets import load_named, save_svmlight

SCRIPT = """
from sys import argv
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC
X, y = load_svmlight_file(argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # LinearSVC refuses what was just loaded
model = LinearSVC(loss="hinge", fit_intercept=False, random_state=0, max_iter=200_000).fit(X, y)
print("accuracy", model.score(X, y))
"""

FIRST_FIT = """
from sklearn.datasets import load_iris
from {package} import LinearSVC
LinearSVC({arguments}).fit(*load_iris(return_X_y=True))
"""


def seconds(command: list[str]) -> float:
    """CPU seconds of a command that succeeds."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    before = os.times()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def race(ours: list[str], theirs: list[str], repeats: int) -> tuple[float, float]:
    """The least CPU seconds of both, in turns."""
    best = [np.inf, np.inf]
    for _ in range(repeats):
        for i, arguments in enumerate((ours, theirs)):
            best[i] = min(best[i], seconds([sys.executable, *arguments]))
    return best[0], best[1]


def training(file: str) -> dict[str, tuple[list[str], list[str]]]:
    """Write a9a to the file, and train on it; nothing, with a word, where the set is absent."""
    try:
        save_svmlight(file, *load_named("a9a"))
    except FileNotFoundError as error:
        print(f"skipped: {error}", file=sys.stderr)
        return {}
    train = ["-m", "pragam", "train", file, "--no-bias", "--quiet", "--tol"]
    return {f"train a9a to {tol}": ([*train, tol], ["-c", SCRIPT, file]) for tol in ("1e-3", "1e-6")}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    table = Table("what", "pragam, ms", "other, ms", "other / pragam", title=machine())
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            "import": (["-c", "import pragam"], ["-c", "import scipy.sparse, sklearn.base"]),
            "first fit": (
                ["-c", FIRST_FIT.format(package="pragam", arguments="")],
                ["-c", FIRST_FIT.format(package="sklearn.svm", arguments="loss='hinge', max_iter=1_000_000")],
            ),
            **training(str(Path(folder) / "a9a")),
        }
        for what, (ours, theirs) in cases.items():
            mine, other = race(ours, theirs, options.repeats)
            table.add_row(what, f"{1e3 * mine:.0f}", f"{1e3 * other:.0f}", f"{other / mine:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
