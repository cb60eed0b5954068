"""Rows with a set of labels: ``1,5,7`` before the features of svmlight text, or a matrix Y in an ``.npz``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.cli.tasks.base import Input, Task, beside
from pragam.cli.tasks.rows import READING, RowsOfNumbers, training_rows
from pragam.risks import MultilabelHinge, Risk
from pragam.samples import Rows
from pragam.samples.label_sets import indicator


def _read(args: argparse.Namespace) -> Input:
    data = training_rows(args, labels="sets")
    sets = data.samples.y
    if isinstance(sets, np.ndarray):
        return data
    names = label_names(sets)
    return data._replace(samples=Rows(data.samples.X, indicator(sets, names), labels=names))


def label_names(sets: list[list[str]]) -> NDArray[Any]:
    """The labels that occur: numbers by their size, others by the alphabet."""
    found = {name for own in sets for name in own}
    try:
        return np.array(sorted(found, key=float))
    except ValueError:
        return np.array(sorted(found))


def _risk(lam: float, args: argparse.Namespace) -> Risk:
    return MultilabelHinge(lam=lam, bias=not args.no_bias)


class SetsOfLabels(RowsOfNumbers):
    """The labels of each row between commas, or zeros and ones where labels have no names."""

    labels = "sets"

    def known(self, samples: Rows) -> NDArray[Any]:
        return np.empty(0) if samples.labels is None else samples.labels

    def names(self, labels: NDArray[Any]) -> NDArray[Any] | None:
        return labels if labels.dtype.kind == "U" else None

    def targets(self, y: Any, labels: NDArray[Any]) -> tuple[Any, tuple[str, ...]]:
        """Of sets with labels that the model does not know, what is known of them; None if there is none."""
        if y is None or isinstance(y, np.ndarray):
            return y, ()
        if self.names(labels) is None:
            raise ValueError("sets of labels as text, where the training data have a matrix Y")
        names = set(labels.tolist())
        unknown = {name for own in y for name in own} - names
        sets = [[name for name in own if name in names] for own in y]
        return (indicator(sets, labels) if any(sets) else None), tuple(sorted(unknown))

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        names = self.names(model.labels)
        for row, more in zip(predicted, beside(extra, len(predicted)).tolist(), strict=True):
            own = map(str, row.tolist()) if names is None else [",".join(names[row.astype(bool)].tolist())]
            yield " ".join([*own, *map(repr, more)]) + "\n"


MULTILABEL = Task(
    "multilabel",
    "rows with a set of labels, as 1,5,7",
    SetsOfLabels(),
    _read,
    _risk,
    (*READING, "no_bias", "standardize"),
    tol=1e-3,
)
