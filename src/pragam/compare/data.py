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
from pragam.compare.experiment import DataFacts
from pragam.compare.sequences import SequenceLabels, features
from pragam.files.atomic import replacing
from pragam.numerics.vector import Vector

#: Tried if no data set is named: those that the paper has and that often are at hand.
USUAL = ("a9a", "w8a", "covtype")
#: The name of the built-in data.
EXAMPLE = "example"
#: The paper's nine sets.
PAPER = tuple(name for name in datasets.names() if datasets.describe(name).paper is not None)
#: The share of the rows that is left out for testing, where a set has no test rows of its own.
_SHARE = 0.2


#: Signs (a vector), or labels of sequences.
Labels = Any


class Prepared(NamedTuple):
    """A data set as all solvers see it."""

    X: Any
    y: Labels
    X_test: Any
    y_test: Labels
    facts: DataFacts


def is_path(name: str) -> bool:
    """Whether this names a file rather than a registered data set."""
    return name not in (*datasets.names(), *datasets.sequence_names(), EXAMPLE)


def check_there(name: str) -> None:
    """Refuse a name that is neither registered nor that of a file."""
    if is_path(name) and not os.path.exists(name):
        raise ValueError(f"there is no data set and no file {name!r}")


def title(name: str) -> str:
    """What to call it: a registered name as it is, a file without folders and endings."""
    return Path(name).name.partition(".")[0] or name if is_path(name) else name


def prepare(name: str, lam: float | None = None, test: str | None = None) -> Prepared:
    """Read a data set, with its own test rows if it has any.

    Else a fifth of its rows, drawn with seed 0, is left out for testing; but nothing of a set of the paper, which has
    the paper's size. lam is the paper's where it gives one, else 1/n, which is C = 1.
    """
    begin = time.perf_counter()
    X, y, X_test, y_test, said = _sequences(name) if name in datasets.sequence_names() else _two_classes(name, test)
    lam = _usual_lam(name, len(y)) if lam is None else lam
    nnz = int(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X))
    n, d = X.shape
    stand_in, source = _origin(name)
    seconds = time.perf_counter() - begin
    n_sequences = len(y.lengths) if isinstance(y, SequenceLabels) else 0
    facts = DataFacts(title(name), n, d, nnz, lam, len(y_test), said, stand_in, source, "", seconds, n_sequences)
    return Prepared(X, y, X_test, y_test, facts)


def save(prepared: Prepared, folder: Path) -> None:
    """Write the rows so that a process can map them into its memory."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, X, y in (("train", prepared.X, prepared.y), ("test", prepared.X_test, prepared.y_test)):
        labels = y
        if isinstance(y, SequenceLabels):
            labels = y.labels
            with replacing(folder / f"{part}.sequences.npz") as stream:
                np.savez(stream, lengths=y.lengths, K=y.K, names=y.names)
        if hasattr(X, "indptr"):
            with replacing(folder / f"{part}.npz") as stream:
                np.savez(stream, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=labels)
        else:
            for name, array in ((f"{part}.y.npy", labels), (f"{part}.npy", X)):
                with replacing(folder / name) as stream:
                    np.save(stream, array)


def load(folder: Path) -> tuple[Any, Labels, Any, Labels]:
    """X, y, X_test, y_test, mapped into memory."""
    ending = "npz" if (folder / "train.npz").exists() else "npy"
    (X, y), (X_test, y_test) = (_with_labels(folder / f"{part}.{ending}") for part in ("train", "test"))
    return X, _in_sequences(y, folder / "train"), X_test, _in_sequences(y_test, folder / "test")


def _in_sequences(y: Vector, part: Path) -> Labels:
    """y as it is, or with the lengths that are stored beside it."""
    path = part.with_name(f"{part.name}.sequences.npz")
    if not path.exists():
        return y
    with np.load(path) as stored:
        labels = np.asarray(y, dtype=np.int64)
        return SequenceLabels(labels, stored["lengths"], int(stored["K"]), stored["names"].tolist())


def _two_classes(name: str, test: str | None) -> tuple[Any, Vector, Any, Vector, str]:
    X, y, X_test, y_test, said = _registered(name) if name in datasets.names() else _own(name, test)
    signs, test_signs = _signed(y, y_test, name)
    return X, signs, X_test, test_signs, said


def _sequences(name: str) -> tuple[Any, SequenceLabels, Any, SequenceLabels, str]:
    train, test, K, how, names = datasets.load_sequences(name)
    X, X_test = features(train, test)
    y, y_test = (SequenceLabels(part.y, part.lengths, K, names) for part in (train, test))
    return X, y, X_test, y_test, f"{how}; a column of ones was added"


def _registered(name: str) -> tuple[Any, Vector, Any, Vector, str]:
    X, y, X_test, y_test, how = datasets.load_split(name, hold_out=0.0 if name in PAPER else _SHARE)
    return (X, y, X[:0], y[:0], how) if X_test is None or y_test is None else (X, y, X_test, y_test, how)


def _own(name: str, test: str | None) -> tuple[Any, Vector, Any, Vector, str]:
    """A file, or the built-in example."""
    X, y = datasets.load_example() if name == EXAMPLE else _labelled(name)
    if test is None:
        return *_split(X, y), f"{100 * _SHARE:.0f} % of the rows, seed 0"
    return X, y, *_labelled(test, X.shape[1]), "file"


def _labelled(path: str, n_features: int | None = None) -> tuple[Any, Vector]:
    check_there(path)
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
    known = None if name == EXAMPLE or is_path(name) else _record(name).lam
    return 1 / n if known is None else known


def _origin(name: str) -> tuple[str, str]:
    """The set that generated rows stand for, if they are generated, and the source."""
    if name == EXAMPLE:
        return "", "scikit-learn's breast cancer data"
    if is_path(name):
        return "", "a file of the user's"
    record = _record(name)
    return record.stand_in_for, record.source


def _record(name: str) -> datasets.Dataset:
    return datasets.describe(name) if name in datasets.names() else datasets.describe_sequences(name)
