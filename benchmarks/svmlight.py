"""How fast is svmlight text read? MB/s of pragam and of scikit-learn, on the same plain files, one core.

Synthetic files of the kinds of ``_svmlight_texts.py``, then the real ones of ``pragam.datasets.data_folder()``,
decompressed first. Each time is the best of ``--repeats`` runs, the two
readers taking turns, in seconds of CPU (both use one core; a busy machine would blur the clock's). Both
results are compared before a number is printed.

    python benchmarks/svmlight.py [--megabytes 40] [--repeats 3]
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

import _common  # noqa: F401  it finds the data beside the checkout
from _svmlight_texts import KINDS, page
from pragam import _kernels
from pragam.datasets import data_folder, load_svmlight

REAL = (
    "a9a/a9a.xz",
    "w8a/w8a.xz",
    "covtype/covtype.binary.scale.svm.xz",
    "news20-bow/news20.train.svm.xz",
    "rcv1-small/rcv1_small.svm.xz",
    "libsvm-small/svmlight_example1.train.xz",
)


def files(folder: Path, megabytes: float) -> Iterator[tuple[str, Path]]:
    """Plain text files, by name; each is made when it is asked for."""
    for row in KINDS:
        # Some rows over and over: what is read matters here, not how it came about.
        rows = page(row, 1_000_000)
        target = folder / row.__name__
        target.write_bytes(rows * max(1, round(megabytes * 1e6 / len(rows))))
        yield f"synthetic {row.__name__}", target
    source = data_folder()
    for name in REAL:
        if source is None or not (source / name).exists():
            where = f" in {source}" if source else ""
            print(f"skipped: no {name}{where}; set PRAGAM_DATA to the folder of the data sets", file=sys.stderr)
        else:
            target = folder / Path(name).stem
            with lzma.open(source / name) as packed, open(target, "wb") as plain:
                shutil.copyfileobj(packed, plain)
            yield target.name, target


def race(path: Path, repeats: int) -> tuple[float, float]:
    """The best CPU seconds of pragam and of scikit-learn, once their results are found equal."""
    best = [np.inf, np.inf]
    for _ in range(repeats):
        results = []
        for i, reader in enumerate((load_svmlight, load_svmlight_file)):
            start = time.process_time()
            results.append(reader(str(path)))
            best[i] = min(best[i], time.process_time() - start)
        (X, y), (X_sk, y_sk) = results
        assert np.array_equal(X.data, X_sk.data) and np.array_equal(X.indices, X_sk.indices)
        assert np.array_equal(X.indptr, X_sk.indptr) and np.array_equal(y, y_sk)
    return best[0], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"compiled kernels: {_kernels.compiled}")
    print(f"{'file':32}{'MB':>8}{'pragam MB/s':>14}{'sklearn MB/s':>14}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in files(Path(folder), options.megabytes):
            size = path.stat().st_size / 1e6
            ours, theirs = race(path, options.repeats)
            print(f"{name:32}{size:8.1f}{size / ours:14.0f}{size / theirs:14.1f}{theirs / ours:8.1f}")


if __name__ == "__main__":
    main()
