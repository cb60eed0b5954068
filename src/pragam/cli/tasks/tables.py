"""Rows of a table with a header (CSV, TSV, parquet): ``--target`` names a column, the others predict it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.cli.inputs import named
from pragam.cli.output import warn
from pragam.cli.tasks.base import Input
from pragam.cli.tasks.rows import READING, RowsOfNumbers, before_weights, training_rows, whole
from pragam.files import source
from pragam.files.frames import PARQUET, parquet_with_columns, read_parquet
from pragam.files.table_values import numbers_in, numbers_of, texts_in
from pragam.files.tables import Table, Text, read_text, with_columns
from pragam.models.encoding import Encoding
from pragam.models.features import Features
from pragam.packed import open_packed
from pragam.samples import Rows

#: The options of the tasks that take a table.
TABLE = ("target", "drop", "categorical", "missing")


def training_samples(args: argparse.Namespace, texts: bool = False) -> Input:
    """DATA with its labels, a table or rows of numbers; only classes may be ``texts``."""
    if args.target is None:
        if given := [name for name in TABLE if getattr(args, name) is not None]:
            raise ValueError(f"--{given[0]} is for tables, of which --target names the column to predict")
        return training_rows(args)
    if args.data is None:
        raise ValueError("--target needs DATA: the built-in example is no table")
    if given := [name for name in READING if getattr(args, name) is not None]:
        raise ValueError(f"--{given[0].replace('_', '-')} is not for tables, and --target says that DATA is one")
    if os.path.isdir(args.data):
        raise ValueError(f"{args.data}: --target is not for a packed directory, which pragam pack has told its columns")
    table = read_table(args.data)
    categorical = args.categorical or []
    notes: list[str] = []
    encoding = Encoding.learn(table, args.target, args.drop or [], categorical, args.missing, notes.append)
    X, _ = encoding.encode(table)
    y = target_of(table, args.target, texts, args.target in categorical)
    for note in notes:  # not before it is known that there is no error, which has one line
        warn(note)
    return Input(Rows.of(X, y, name=args.data), Features((encoding, *before_weights(args))))


def read_table(path: str | None) -> Table:
    """The table in a file, compressed or not, or in the standard input."""
    if path is None:
        raise ValueError("the model was trained on a table: name it as DATA")
    with source.opened(named(path)) as opened:
        if opened.head.startswith((b"PK\x03\x04", b"\x93NUMPY")):
            raise ValueError(f"{opened.name}: an array of NumPy, where a table with a header is needed")
        return read_parquet(opened) if opened.head.startswith(PARQUET) else read_text(opened)


def target_of(table: Table, name: str, texts: bool, is_text: bool) -> NDArray[Any]:
    """The targets of training data: numbers, or texts if these may be and a value is no number, or ``is_text``."""
    if is_text and not texts:
        raise ValueError(f"--categorical cannot have the target {name!r}, which must be a number for this task")
    column = table.columns[name]
    if not texts:
        found: NDArray[Any] | None = numbers_of(table, name, "as the target of this task must be")
    else:
        found = None if is_text or column.is_category else numbers_in(table, name)
    found = np.array(texts_in(column)) if found is None else found
    if (empty := _is_missing(found)).any():
        raise ValueError(f"{table.where(int(np.argmax(empty)))}: the target {name!r} is empty")
    return found


def _is_missing(targets: NDArray[Any]) -> NDArray[np.bool_]:
    return targets == "" if targets.dtype.kind == "U" else np.isnan(targets)


class RowsOfTable(RowsOfNumbers):
    """The table again, with columns for the predictions behind the others."""

    ignored = "values are of levels"
    has_header = True

    def check(self, model: Any) -> None:
        if model.risk.form != "rows" or model.risk.name == "multilabel_hinge":
            raise ValueError(
                f"its features are columns of a table, which a model of {model.risk.name!r} cannot have here"
            )

    def read(self, path: str, model: Any, needs_labels: bool) -> Input:
        if path is not None and os.path.isdir(path):
            _check_packed(path, model.features.find(Encoding))
            return super().read(path, model, needs_labels)
        return _in_features(path, model.features.find(Encoding), model.labels, needs_labels)

    def like(self, data: Input, path: str) -> Input:
        if os.path.isdir(path):
            _check_packed(path, data.features.find(Encoding))
            return super().like(data, path)
        return _in_features(path, data.features.find(Encoding), self.known(data.samples), needs_labels=True)

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        table, made = data.columns, _columns(model, predicted, extra)
        if table is None:  # of a packed directory, which has no texts to write back
            return super().lines(data, model, predicted, extra)
        if taken := [name for name in made if name in table.columns]:
            raise ValueError(f"{table.name}: it has a column {taken[0]!r}, which predict would add: rename that one")
        if isinstance(table.origin, Text):
            texts = [[text if isinstance(text, str) else repr(text) for text in own.tolist()] for own in made.values()]
            return with_columns(table.origin, list(made), texts)
        return [parquet_with_columns(table.origin, list(made), list(made.values()))]


def _check_packed(path: str, encoding: Encoding) -> None:
    """Refuse packed rows that are not in the columns of the model's table."""
    packed = open_packed(path)
    if packed.table is not None and packed.table.columns != encoding.columns:
        raise ValueError(f"{path}: its columns are not those of the model's table: they were packed from another one")


def _in_features(path: str, encoding: Encoding, labels: NDArray[Any], needs_labels: bool) -> Input:
    """The rows of a table in the numbers of a model with these labels."""
    table = read_table(path)
    X, ignored = encoding.encode(table)
    y, unknown = _known_targets(table, encoding.target, labels)
    if needs_labels and unknown:
        raise ValueError(f"{path}: the model does not know the labels {', '.join(unknown[:3])}")
    if needs_labels and y is None:
        if encoding.target is None:
            raise ValueError("the model does not say which column is its target: Encoding.learn(frame, target=NAME)")
        table.column(encoding.target, ", the target")
        raise ValueError(f"{path}: the target {encoding.target!r} is empty in some rows")
    return Input(Rows.of(X, y, name=path), ignored=ignored, unknown=unknown, columns=table)


def _known_targets(table: Table, name: str | None, labels: NDArray[Any]) -> tuple[Any, tuple[str, ...]]:
    """The targets, None if some are missing; and the texts among them where the model's labels are numbers."""
    if name is None or name not in table.columns or not table.n:
        return None, ()
    texts = np.array(texts_in(table.columns[name]))
    if labels.dtype.kind == "U":
        found: NDArray[Any] | None = texts
    else:
        found = numbers_in(table, name) if len(labels) else numbers_of(table, name, "as the model's target is")
    if found is None:
        return None, tuple(sorted(set(texts.tolist()) - {""}))
    if _is_missing(found).any():
        return None, ()
    return (whole(found) if len(labels) and found.dtype.kind == "f" else found), ()


def _columns(model: Any, predicted: Any, extra: dict[str, Any]) -> dict[str, Any]:
    """What ``predict`` adds, by the names of the columns."""
    found = np.asarray(predicted)
    parts = {"prediction": found if found.ndim > 1 else found[:, None]} | {
        name: values for name, values in extra.items() if name != "bounds"
    }
    if "bounds" in extra:
        parts |= {"least": extra["bounds"][:, ::2], "greatest": extra["bounds"][:, 1::2]}
    made: dict[str, Any] = {}
    for what, values in parts.items():
        names = _outputs(model, values.shape[1])
        made |= {f"{what} {name}" if name else what: values[:, k] for k, name in enumerate(names)}
    return made


def _outputs(model: Any, k: int) -> list[str]:
    """What k columns are called: nothing if there is one, the labels or outputs if there are as many, else numbers."""
    if k == 1:
        return [""]
    known = ([str(label) for label in model.labels.tolist()], model.risk.outputs(model.labels))
    return next((names for names in known if len(names) == k), [str(j + 1) for j in range(k)])
