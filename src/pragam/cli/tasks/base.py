"""What a task says of itself, and what the form of its data says: how samples are read and predictions written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.models.features import Features
from pragam.risks import Risk
from pragam.risks.scaling import lam_of
from pragam.selection.scorers import Scorer, mean_worth


class Input(NamedTuple):
    """What DATA holds.

    samples : Rows, Chains or Graphs, in numbers; y is None where there are no labels
    features : how they became numbers, which a model remembers
    known : what else a model must remember of the file, as JSON: from where indices count, how many columns
    ignored : entries that the model has no weights for
    unknown : labels that the model cannot predict, where y is therefore None
    columns : of a column file, what stands before the labels; of a table, the Table
    """

    samples: Any
    features: Features = Features()
    known: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    ignored: int = 0
    unknown: tuple[str, ...] = ()
    columns: Any = None


class Table(NamedTuple):
    """A part of a report: a title, the names of columns, and rows of text."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Evaluation(NamedTuple):
    """How good predictions are: in a line, in tables, and as JSON."""

    sentence: str
    tables: list[Table]
    record: dict[str, Any]


class Form:
    """The base of the forms of data."""

    #: What a sample is called, and what of it is labelled.
    noun, unit = "rows", "rows"
    #: What a model may lack weights for, in a warning with their number before it.
    ignored = "entries are in columns"
    #: Whether something is written even of no samples.
    has_header = False

    def check(self, model: Any) -> None:
        """Refuse a model whose samples no file can hold."""

    def read(self, path: str, model: Any, needs_labels: bool) -> Input:
        """The samples of DATA as a model takes them, before its own features; there may be none without labels."""
        raise NotImplementedError

    def like(self, data: Input, path: str) -> Input:
        """The samples of another file, with labels, in the features of the training data."""
        raise NotImplementedError

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        """What ``predict`` writes: a line for each row or token; ``extra`` has matrices of numbers, by name."""
        raise NotImplementedError


@dataclass(frozen=True)
class Task:
    """``read(args)`` is the training data, ``risk(lam, args)`` the record, ``options`` those of the command line.

    ``lam`` is the default of lam; without one C is 1, that is lam = 1/n.
    """

    name: str
    help: str
    form: Form
    read: Callable[[argparse.Namespace], Input]
    risk: Callable[[float, argparse.Namespace], Risk]
    options: tuple[str, ...] = ()
    tol: float = 1e-6
    lam: float | None = None
    grid: str = "2^-20..2^0"
    scorer: Scorer = field(default=mean_worth)

    def record(self, args: argparse.Namespace, n: int) -> Risk:
        """The record that the options mean, at lam or C = 1/(n lam)."""
        if args.lam is not None:
            return self.risk(args.lam, args)
        if args.C is None and self.lam is not None:
            return self.risk(self.lam, args)
        try:
            lam = lam_of(1.0 if args.C is None else args.C, n)
        except ValueError as error:
            raise ValueError(f"-{error}") from error  # "C must be ..." is about the option -C
        return self.risk(lam, args)


def given(args: argparse.Namespace, **names: str) -> dict[str, Any]:
    """The options that were given, under the names of the record."""
    found = {parameter: getattr(args, option) for parameter, option in names.items()}
    return {name: value for name, value in found.items() if value is not None}


def beside(extra: dict[str, Any], n: int) -> NDArray[Any]:
    """The matrices of n rows side by side."""
    return np.hstack([np.empty((n, 0)), *extra.values()])


def free_bias(args: argparse.Namespace) -> bool:
    """Whether the model has an intercept that costs nothing, as it has unless an option says otherwise."""
    if args.no_bias and args.penalised is not None:
        raise ValueError("--penalised is a kind of intercept, and --no-bias is none: leave one of them out")
    return not args.no_bias and args.penalised is None
