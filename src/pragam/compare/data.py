"""The data of a comparison: a name or a path becomes training rows, test rows and what there is to say about them.

The only file here that knows where data come from.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pragam import datasets
from pragam.atomic import replacing
from pragam.compare.experiment import DataFacts
from pragam.vector import Vector

#: Tried if no data set is named: those that the paper has and that often are at hand.
USUAL = ("a9a", "w8a", "covtype")
#: The name of the built-in data.
EXAMPLE = "example"
#: The paper's nine sets and, where it differs, the name that the registry knows.
PAPER = {
    "adult9": "a9a", "astro-ph": "astro-ph", "aut-avn": "aut-avn", "covertype": "covtype", "news20": "news20",
    "real-sim": "real-sim", "reuters-c11": "reuters-c11", "reuters-ccat": "reuters-ccat", "web8": "w8a",
}  # fmt: skip
_SHARE = 0.2


class Prepared(NamedTuple):
    """A data set as all solvers see it."""

    X: Any
    y: Vector
    X_test: Any
    y_test: Vector
    facts: DataFacts


def is_path(name: str) -> bool:
    """Whether this names a file rather than a registered data set."""
    return name not in PAPER and name not in datasets.names() and name != EXAMPLE


def title(name: str) -> str:
    """What to call it: a registered name as it is, a file without folders and endings."""
    return Path(name).name.partition(".")[0] or name if is_path(name) else name


def prepare(name: str, lam: float | None = None, test: str | None = None) -> Prepared:
    """Read a data set. Without test rows of its own, a fifth of its rows, drawn with seed 0, is left out for testing.

    lam is the paper's where it gives one, else 1/n, which is C = 1.
    """
    begin = time.perf_counter()
    X, y = _read(name)
    if test is not None:
        X_test, y_test = _labelled(test, X.shape[1])
        y, y_test = _signed(y, y_test, name)
        said = "file"
    else:
        y, _ = _signed(y, y[:0], name)
        X, y, X_test, y_test = _split(X, y)
        said = f"{100 * _SHARE:.0f} % of the rows, seed 0"
    lam = _usual_lam(name, len(y)) if lam is None else lam
    nnz = int(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X))
    seconds = time.perf_counter() - begin
    n, d = X.shape
    facts = DataFacts(title(name), n, d, nnz, lam, len(y_test), said, source=_source(name), seconds=seconds)
    return Prepared(X, y, X_test, y_test, facts)


def save(prepared: Prepared, folder: Path) -> None:
    """Write the rows so that a process can map them into its memory."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, X, y in (("train", prepared.X, prepared.y), ("test", prepared.X_test, prepared.y_test)):
        if hasattr(X, "indptr"):
            with replacing(folder / f"{part}.npz") as stream:
                np.savez(stream, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
        else:
            for name, array in ((f"{part}.y.npy", y), (f"{part}.npy", X)):
                with replacing(folder / name) as stream:
                    np.save(stream, array)


def load(folder: Path) -> tuple[Any, Vector, Any, Vector]:
    """X, y, X_test, y_test, mapped into memory."""
    ending = "npz" if (folder / "train.npz").exists() else "npy"
    (X, y), (X_test, y_test) = (_with_labels(folder / f"{part}.{ending}") for part in ("train", "test"))
    return X, y, X_test, y_test


def _read(name: str) -> tuple[Any, Vector]:
    if name == EXAMPLE:
        return datasets.load_example()
    if is_path(name):
        return _labelled(name)
    if PAPER.get(name, name) not in datasets.names():
        raise ValueError("no copy of it is registered")
    return datasets.load_named(PAPER.get(name, name))


def _labelled(path: str, n_features: int | None = None) -> tuple[Any, Vector]:
    if not os.path.exists(path):
        raise ValueError(f"there is no data set and no file {path!r}")
    return _with_labels(Path(path), n_features)


def _with_labels(path: Path, n_features: int | None = None) -> tuple[Any, Vector]:
    X, y = datasets.load(path, n_features)
    if y is None:
        raise ValueError(f"{path}: there are no labels")
    return X, y


def _signed(y: Vector, y_test: Vector, name: str) -> tuple[Vector, Vector]:
    """Labels -1 (the lower one) and +1."""
    classes = np.unique(y)
    if len(classes) != 2 or not np.isin(y_test, classes).all():
        raise ValueError(f"{name}: a comparison needs two classes, not {len(np.union1d(classes, y_test))}")
    return np.where(y == classes[1], 1.0, -1.0), np.where(y_test == classes[1], 1.0, -1.0)


def _split(X: Any, y: Vector) -> tuple[Any, Vector, Any, Vector]:
    order = np.random.default_rng(0).permutation(len(y))
    n_test = int(_SHARE * len(y))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    return X[train], y[train], X[test], y[test]


def _usual_lam(name: str, n: int) -> float:
    try:
        return datasets.paper_lambda(PAPER.get(name, name))
    except ValueError:
        return 1 / n


def _source(name: str) -> str:
    if name == EXAMPLE:
        return "scikit-learn's breast cancer data"
    return "a file of the user's" if is_path(name) else f"the registered data set {PAPER.get(name, name)}"
