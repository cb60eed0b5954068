"""Sequences whose tokens have labels: column files, made into features by a template, or ``.npz``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pragam.cli.inputs import named
from pragam.cli.tasks.base import Form, Input, Task, beside, given
from pragam.files import source
from pragam.files.column_files import ColumnData, with_column
from pragam.files.column_files import read_opened as read_columns
from pragam.files.sequence_arrays import ArrayData
from pragam.files.sequence_arrays import read_opened as read_npz
from pragam.models.features import Features
from pragam.models.names import Names
from pragam.numerics.arguments import is_whole
from pragam.risks import Risk
from pragam.samples import Chains
from pragam.selection.scorers import chunk_f1
from pragam.sequences import Template, Vocabulary, default_template
from pragam.structured.chains.record import ChainHinge

_ENTRY = re.compile(r"[0-9]+:[0-9.eE+-]+")


def _read(args: argparse.Namespace) -> Input:
    """The sequences to train on. The last column of a column file holds the labels."""
    if args.data is None:
        raise ValueError("--task chain needs DATA: a column file or an .npz of sequences")
    found = _content(args.data)
    if isinstance(found, ArrayData):
        if args.template is not None:
            raise ValueError(f"{args.data}: --template is for column files, and this is an .npz")
        return _of_arrays(found, args.data, needs_labels=True)
    *columns, labels = found.columns
    if not columns:
        raise ValueError(f"{args.data}: one column, and training needs the label in a column behind others")
    if all(map(_ENTRY.fullmatch, labels)):  # each line would be a token with a label of its own, and train for hours
        raise ValueError(f"{args.data}: its last column is INDEX:VALUE: these are rows of svmlight data, not sequences")
    text = default_template(len(columns)) if args.template is None else Path(args.template).read_text(encoding="utf-8")
    before = found._replace(columns=columns)
    occurrences = _occurrences(Template(text), before, args.data)
    vocabulary = Vocabulary.of_occurrences(occurrences)
    X, _ = vocabulary.vectorise_occurrences(occurrences)
    features = Features((Names(vocabulary.names, text),))
    samples = Chains(X, found.lengths, np.array(labels))
    return Input(samples, features, {"n_columns": len(columns)}, columns=before)


def _risk(lam: float, args: argparse.Namespace) -> Risk:
    return ChainHinge(lam=lam, **given(args, loss="loss", transitions="transitions"))


class Sequences(Form):
    """The columns of DATA, and behind them the predicted label of each token."""

    noun, unit = "sequences", "tokens"
    ignored = "occurrences are of features"

    def check(self, model: Any) -> None:
        names = model.features.find(Names)
        if model.kind != "chain" or len(model.features.maps) > (names is not None):
            raise ValueError("the model has a kernel: load it in Python")
        if names is not None and names.template is None:
            raise ValueError("the model has features of its user's: load it by pragam.ChainSVC.load")
        if names is not None and not is_whole(model.settings.get("n_columns")):
            raise ValueError(f"its n_columns must be a whole number, not {model.settings.get('n_columns')!r:.40}")

    def read(self, path: str, model: Any, needs_labels: bool) -> Input:
        names, found = model.features.find(Names), _content(path, may_be_empty=not needs_labels)
        if not len(found.lengths):
            return Input(Chains(np.empty((0, model.n_features)), found.lengths))
        if isinstance(found, ArrayData):
            data = _of_arrays(found, path, needs_labels)
            if names is not None:
                raise ValueError(f"{path}: an .npz, and the model was trained on a column file")
            if data.samples.n_features != model.n_features:
                raise ValueError(f"{path}: {data.samples.n_features} columns, and the model needs {model.n_features}")
            return data
        if names is None:
            raise ValueError(f"{path}: a column file, and the model was trained on an .npz")
        return _in_features(found, model.settings["n_columns"], names, path, needs_labels, "the model needs")

    def like(self, data: Input, path: str) -> Input:
        found, names = _content(path), data.features.find(Names)
        if isinstance(found, ArrayData) == (names is not None):
            raise ValueError(f"{path}: one of it and the training data is a column file, and the other an .npz")
        if not isinstance(found, ArrayData):
            return _in_features(found, data.known["n_columns"], names, path, True, "the training data have")
        other = _of_arrays(found, path, needs_labels=True)
        if other.samples.n_features != data.samples.n_features:
            wanted = data.samples.n_features
            raise ValueError(f"{path}: {other.samples.n_features} columns, and the training data have {wanted}")
        return other

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        columns = [] if data.columns is None else list(data.columns.columns)
        texts = [list(map(str, column.tolist())) for column in (data.samples.y, predicted) if column is not None]
        texts += [[repr(value) for value in column] for column in beside(extra, len(predicted)).T.tolist()]
        *before, last = columns + texts
        return with_column(ColumnData(before, data.samples.lengths), last)


def _in_features(found: ColumnData, width: int, names: Names, path: str, needs_labels: bool, needs: str) -> Input:
    """The first columns in the model's features. The labels are in the column behind them, if there is one."""
    count = len(found.columns)
    if count not in (width, width + 1) or (needs_labels and count == width):
        perhaps = "and the label behind them" if needs_labels else "and perhaps the label behind them"
        raise ValueError(f"{path}: {count} columns, and {needs} {width}, {perhaps}")
    columns = found._replace(columns=found.columns[:width])
    y = np.array(found.columns[width]) if count > width else None
    occurrences = _occurrences(Template(names.template or ""), columns, path)
    X, unseen = Vocabulary(names.names).vectorise_occurrences(occurrences)
    return Input(Chains(X, found.lengths, y), ignored=unseen, columns=columns)


def _content(path: str, may_be_empty: bool = False) -> ColumnData | ArrayData:
    with source.opened(named(path)) as opened:
        return (read_npz if opened.head.startswith(b"PK") else read_columns)(opened, may_be_empty)


def _occurrences(template: Template, data: ColumnData, path: str) -> Any:
    try:
        return template.occurrences(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _of_arrays(found: ArrayData, path: str, needs_labels: bool) -> Input:
    if needs_labels and found.y is None:
        raise ValueError(f"{path}: there are no labels: an array y is needed")
    return Input(Chains(found.X, found.lengths, found.y))


CHAIN = Task(
    "chain", "sequences, from a column file or an .npz", Sequences(), _read, _risk, ("loss", "template", "transitions"),
    tol=1e-2, lam=1e-2, grid="2^-14..2^0", scorer=chunk_f1,
)  # fmt: skip
