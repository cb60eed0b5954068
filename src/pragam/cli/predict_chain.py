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
        print(found, file=sys.stderr)
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
