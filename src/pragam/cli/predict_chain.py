"""``pragam predict MODEL DATA`` for a model of sequences: the columns of DATA and behind them the predicted labels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pragam.cli.output import show_json, warn
from pragam.cli.status import CERTIFIED

if TYPE_CHECKING:
    from pragam.cli.chain_data import ChainData
    from pragam.io import SequenceModel
    from pragam.sequences import Evaluation

#: Confusions that the report shows.
_SHOWN = 10


def run(model: SequenceModel, args: argparse.Namespace) -> int:
    """Predict and write. The report, if DATA has labels, goes to the standard error."""
    import numpy as np

    from pragam.cli.chain_data import data_for
    from pragam.cli.predict import write
    from pragam.sequences import evaluate

    if args.bounds:
        raise ValueError("--bounds is not for models of sequences")
    data = data_for(model, args.data)
    if data.n_unseen:
        warn(f"{args.data}: {data.n_unseen} occurrences of features that the model does not have are ignored")
    codes, margins = model.weights.labels_and_margins(data.X, data.lengths)
    labels = np.array(model.classes)[codes]
    found = None if data.y is None else evaluate(data.y, labels, data.lengths)
    if args.output or not args.json:
        write("".join(_lines(data, labels, margins if args.decision else None)), args.output)
    if args.json:
        _report_json(args, data, labels, margins, found)
    elif found is not None:
        _report(found)
    return CERTIFIED


def _lines(data: ChainData, labels: Any, margins: Any) -> Iterator[str]:
    """The columns as they came, the true label if there is one, the predicted one and perhaps its margin."""
    from pragam.sequences import ColumnData, with_column

    columns = [] if data.columns is None else list(data.columns.columns)
    texts = [list(map(str, column.tolist())) for column in (data.y, labels) if column is not None]
    if margins is not None:
        texts.append([repr(margin) for margin in margins.tolist()])
    *before, last = columns + texts
    return with_column(ColumnData(before, data.lengths), last)


def _report(found: Evaluation) -> None:
    from pragam.cli.table import show

    rows = [
        ("tokens", f"{100 * found.accuracy:.2f} % of {found.n_tokens} right"),
        ("sequences", f"{100 * found.sequence_accuracy:.2f} % of {found.n_sequences} right"),
    ]
    show("evaluation", (), rows, sys.stderr)
    if found.chunks:
        header = ("chunks", "precision, %", "recall, %", "F1, %", "right", "predicted", "true")
        show("", header, (
            (name or "all", *(f"{100 * value:.2f}" for value in (one.precision, one.recall, one.f1)),
             *map(str, one))
            for name, one in found.chunks.items()
        ), sys.stderr)  # fmt: skip
    wrong = _confusions(found)
    if wrong:
        show("most frequent confusions", ("true", "predicted", "tokens"), wrong, sys.stderr)


def _confusions(found: Evaluation) -> list[tuple[str, str, str]]:
    """(true, predicted, count), the most frequent first."""
    pairs = [
        (int(count), str(true), str(predicted))
        for true, row in zip(found.labels, found.confusion, strict=True)
        for predicted, count in zip(found.labels, row, strict=True)
        if count and true != predicted
    ]
    return [(true, predicted, str(count)) for count, true, predicted in sorted(pairs, reverse=True)[:_SHOWN]]


def _report_json(
    args: argparse.Namespace, data: ChainData, labels: Any, margins: Any, found: Evaluation | None
) -> None:
    record = {
        "model": args.model,
        "data": args.data,
        "n_sequences": len(data.lengths),
        "n_tokens": len(labels),
        "ignored_features": data.n_unseen,
        "evaluation": None if found is None else found.to_dict(),
    }
    if args.output:
        record["output"] = args.output
    else:
        record |= {"lengths": data.lengths.tolist(), "labels": labels.tolist()}
        record |= {"margins": margins.tolist()} if args.decision else {}
    show_json(record)
