"""Rows with a set of labels: ``1,5,7`` before the features of svmlight text, or a matrix Y in an ``.npz``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import numpy as np

from pragam.cli.tasks.base import Input, Task
from pragam.cli.tasks.rows import READING, RowsOfNumbers, training_rows
from pragam.risks import MultilabelHinge, Risk
from pragam.samples import Rows


def _read(args: argparse.Namespace) -> Input:
    data = training_rows(args, labels="sets")
    y = data.samples.y
    names = None if isinstance(y, np.ndarray) else label_names(y)
    known = data.known | ({} if names is None else {"label_names": names})
    return data._replace(samples=Rows(data.samples.X, y if names is None else indicator(y, names)), known=known)


def label_names(lists: list[list[str]]) -> list[str]:
    """The labels that occur: numbers by their size, others by the alphabet."""
    found = {name for own in lists for name in own}
    try:
        return sorted(found, key=float)
    except ValueError:
        return sorted(found)


def indicator(lists: list[list[str]], names: list[str]) -> Any:
    """(n, K) zeros and ones. Labels that are not among the names are left out."""
    place = {name: k for k, name in enumerate(names)}
    table = np.zeros((len(lists), len(names)), dtype=np.int8)
    for row, own in zip(table, lists, strict=True):
        row[[place[name] for name in own if name in place]] = 1
    return table


def _risk(lam: float, args: argparse.Namespace) -> Risk:
    return MultilabelHinge(lam=lam, bias=not args.no_bias)


class SetsOfLabels(RowsOfNumbers):
    """The labels of each row between commas, or zeros and ones where labels have no names."""

    labels = "sets"

    def encoded(self, y: Any, known: dict[str, Any], has_labels: bool) -> Any:
        if y is None or isinstance(y, np.ndarray):
            return y
        names = known.get("label_names")
        if type(names) is not list or not all(type(name) is str for name in names):
            raise ValueError("the model was trained on a matrix Y, and has no names of labels")
        return indicator(y, names) if any(y) else None

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str]:
        names = model.settings.get("label_names")
        for row, more in zip(predicted, extra.tolist(), strict=True):
            own = [names[k] for k in np.flatnonzero(row)] if names else None
            text = " ".join(map(str, row.tolist())) if own is None else ",".join(own)
            yield " ".join([text, *map(repr, more)]) + "\n"


MULTILABEL = Task(
    "multilabel", "rows with a set of labels, as 1,5,7", SetsOfLabels(), _read, _risk, (*READING, "no_bias"), tol=1e-3
)
