"""Rows of numbers: svmlight text, ``.npz`` and ``.npy``; what the tasks on them share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.cli.inputs import about, named
from pragam.cli.tasks.base import Form, Input, beside, free_bias
from pragam.files.columns import check_width, compact_columns, restricted
from pragam.files.rows import Samples, read
from pragam.models.features import Columns, Constant, Features, Map
from pragam.models.standardize import Standardize
from pragam.numerics.arguments import check_number
from pragam.packed import open_packed
from pragam.samples import Rows

#: The options of all tasks on rows.
READING = ("n_features", "zero_based", "compact_columns")


def training_rows(args: argparse.Namespace, labels: Any = "numbers") -> Input:
    """DATA with its labels, all its columns or those that occur."""
    found = content(args.data, args.n_features, args.zero_based, labels)
    if found.y is None:
        hint = "; put them into NAME.y.npy beside NAME.npy" if isinstance(found.X, np.ndarray) else ""
        raise ValueError(f"{args.data}: there are no labels{hint}")
    columns, table = None, getattr(found.X, "table", None)
    if sparse.issparse(found.X):
        if args.compact_columns:
            columns = compact_columns(found.X)[1]
        else:
            check_width(found.X, found.cause)
    maps: list[Map] = [] if columns is None else [Columns(columns)]
    maps += [] if table is None else [table]  # with which the model reads tables, too
    samples = Rows.of(found.X, found.y, getattr(found.X, "weights", None), name=name_of(args.data))
    return Input(samples, Features((*maps, *before_weights(args))), {"zero_based": found.zero_based})


def before_weights(args: argparse.Namespace) -> list[Map]:
    """Standardised columns, and the column whose weight is the intercept, if that is penalised."""
    maps: list[Map] = [Standardize(centred=not free_bias(args))] if args.standardize else []
    if args.penalised is not None:
        maps.append(Constant(check_number("--penalised", args.penalised, above=0)))
    return maps


def content(
    path: str | None, n_features: int | None = None, zero_based: Any = None, labels: Any = "numbers"
) -> Samples:
    """The content of a file, or of the built-in example if ``path`` is None."""
    from pragam import datasets

    if path is not None and os.path.isdir(path):
        return _packed(path, n_features)
    if path is not None:
        return read(named(path), n_features, "auto" if zero_based is None else zero_based, labels)
    X, y = datasets.load_example()
    if n_features not in (None, X.shape[1]):
        raise ValueError(f"the built-in example has {X.shape[1]} features, not {n_features}")
    return Samples(X, y, "the built-in example")


def _packed(path: str, n_features: int | None) -> Samples:
    """A packed directory: X stays on the disk."""
    packed = open_packed(path)
    if n_features not in (None, packed.shape[1]):
        raise ValueError(f"{path}: {packed.shape[1]} columns, where n_features={n_features}")
    return Samples(packed, packed.y, "the manifest", packed.zero_based)


def name_of(path: str | None) -> str:
    """What messages call DATA."""
    return path or "the built-in example"


def whole(y: Any) -> Any:
    """Labels as integers if all of them are whole numbers that float64 holds; texts, of packed data, as they are."""
    if y.dtype.kind == "U":
        return y
    is_whole = bool(((y == np.floor(y)) & (np.abs(y) < 2**53)).all())
    return y.astype(np.int64) if is_whole else y


class RowsOfNumbers(Form):
    """A prediction for each row."""

    labels: Any = "any"

    def check(self, model: Any) -> None:
        zero_based = model.settings.get("zero_based")
        if not (zero_based is None or isinstance(zero_based, bool)):
            raise ValueError(f"its zero_based must be true, false or null, not {zero_based!r:.40}")

    def read(self, path: str, model: Any, needs_labels: bool) -> Input:
        found = content(path, zero_based=model.settings.get("zero_based"), labels=self.labels)
        if needs_labels and found.y is None:
            raise ValueError(f"{path}: there are no labels")
        X, ignored = _in_columns(found.X, model.features, model.n_features, name_of(path), "the model needs")
        with about(path):
            y, unknown = self.targets(found.y, model.labels)
        if needs_labels and unknown:
            raise ValueError(f"{path}: the model does not know the labels {', '.join(unknown[:3])}")
        samples = Rows.of(X, y, labels=self.names(model.labels), name=name_of(path))
        return Input(samples, ignored=ignored, unknown=unknown)

    def like(self, data: Input, path: str) -> Input:
        found = content(path, zero_based=data.known.get("zero_based"), labels=self.labels)
        if found.y is None:
            raise ValueError(f"{path}: there are no labels")
        X, ignored = _in_columns(found.X, data.features, data.samples.n_features, path, "the training data have")
        with about(path):
            y, _ = self.targets(found.y, self.known(data.samples))
        return Input(Rows.of(X, y, labels=data.samples.labels, name=path), ignored=ignored)

    def known(self, samples: Rows) -> NDArray[Any]:
        """The labels of training data; none if they have numbers."""
        return np.empty(0) if samples.y.dtype.kind == "f" else np.unique(samples.y)

    def names(self, labels: NDArray[Any]) -> NDArray[Any] | None:
        """Of the columns of y, if it is a matrix whose columns have names."""
        return None

    def targets(self, y: Any, labels: NDArray[Any]) -> tuple[Any, tuple[str, ...]]:
        """y as a model with these labels takes it, and the labels of sets that it does not know."""
        return (whole(np.asarray(y)) if y is not None and len(labels) else y), ()

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        rows = np.asarray(predicted).reshape(len(predicted), -1).tolist()
        for row, more in zip(rows, beside(extra, len(rows)).tolist(), strict=True):
            yield " ".join([*map(str, row), *map(repr, more)]) + "\n"


def _in_columns(X: Any, features: Features, d: int, name: str, needs: str) -> tuple[Any, int]:
    """Data in the columns of other data, and how many entries are in columns that those do not have.

    Columns that sparse data lack are empty. A map of columns takes data of any width.
    """
    own = features.find(Columns)
    if not sparse.issparse(X):
        if own is None and X.shape[1] != d:
            raise ValueError(f"{name}: {X.shape[1]} columns, and {needs} {d}")
        return X, 0
    rows: Any = X
    if own is not None:
        return X, restricted(rows, own.columns)[1]
    if rows.shape[1] > d:
        return restricted(rows, np.arange(d))
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], d)), 0
