"""``pragam predict MODEL DATA``: the label of each row, and its decision values."""

from __future__ import annotations

import argparse
import sys
from math import isinf
from typing import Any

from pragam.cli import predict_chain
from pragam.cli.status import CERTIFIED


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "predict",
        help="predict the label of each row",
        description="Print the predicted label of each row of DATA; the accuracy goes to the standard error. A model "
        "of sequences writes the columns of DATA with the predicted label behind them.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote, or a LIBLINEAR text model; - is the standard input")
    add("data", metavar="DATA", help="as for train; features that the model does not have are ignored")
    add("-o", "--output", metavar="FILE", help="write the labels here instead of the standard output")
    add(
        "--decision",
        action="store_true",
        help="behind each label, write its decision values, or its margin in a sequence",
    )
    add("--bounds", action="store_true", help="then, the least and greatest decision value at the exact optimum")
    add("--json", action="store_true", help="print one JSON object: labels (unless -o has them) and accuracy")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    from pragam import io
    from pragam.cli.data import check_inputs, named, read_for
    from pragam.cli.output import warn

    check_inputs(args.model, args.data)
    model = io.load_any(named(args.model))
    if isinstance(model, io.SequenceModel):
        return predict_chain.run(model, args)
    samples, ignored = read_for(model, args.data)
    if ignored:
        warn(f"{args.data}: {ignored} entries are in columns that the model does not have, and are ignored")
    scores = model.decision_function(samples.X)
    bounds = _bounds(model, samples.X, args.model) if args.bounds else None
    labels = model.labels(scores)
    accuracy = None if samples.y is None else _accuracy(labels, samples.y, model, args.data)
    if args.output or not args.json:
        write(_lines(labels, scores if args.decision else None, bounds), args.output)
    if args.json:
        _report(args, labels, scores, bounds, accuracy, ignored)
    elif accuracy is not None:
        right = round(accuracy * len(labels))
        print(f"accuracy {100 * accuracy:.2f} % ({right} of {len(labels)})", file=sys.stderr)
    return CERTIFIED


def _bounds(model: Any, X: Any, name: str) -> Any:
    """(n, outputs, 2): bounds from the certificates on the decision values at the exact optimum."""
    import numpy as np

    from pragam.certificate.optimum import Neighbourhood

    stored = model.parameters.get("optima")
    if not isinstance(stored, list) or len(stored) != len(model.coef):
        raise ValueError(f"{name}: the model does not say how far the optimum is; train it again for --bounds")
    optima = [Neighbourhood.from_record(entry) for entry in stored]
    return np.concatenate([near.decisions(X, w) for near, w in zip(optima, model.coef, strict=True)], axis=1)


def _lines(labels: Any, *columns: Any) -> str:
    rows = [part.reshape(len(labels), -1).tolist() for part in columns if part is not None]
    lines = zip(map(str, labels.tolist()), *rows, strict=True)
    return "".join(" ".join([label, *(repr(x) for part in parts for x in part)]) + "\n" for label, *parts in lines)


def write(text: str, output: str | None) -> None:
    from pragam.files.atomic import replacing

    if output:
        with replacing(output) as stream:
            stream.write(text.encode())
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def _accuracy(labels: Any, y: Any, model: Any, path: str) -> float:
    """The share of correct labels. It would be meaningless with labels that the model cannot predict."""
    import numpy as np

    unknown = np.setdiff1d(y, [label for label in model.classes if not isinstance(label, str)])
    if len(unknown):
        some = ", ".join(f"{label:g}" for label in unknown[:3])
        raise ValueError(
            f"{path}: the model does not know the labels {some}{', ...' if len(unknown) > 3 else ''}, only "
            f"{', '.join(map(str, model.classes[:10]))}; are these the data that it was made for?"
        )
    return float((labels == y).mean())


def _report(
    args: argparse.Namespace, labels: Any, scores: Any, bounds: Any, accuracy: float | None, ignored: int
) -> None:
    from pragam.cli.output import show_json

    record = {"model": args.model, "data": args.data, "n": len(labels), "ignored_entries": ignored}
    record["accuracy"] = accuracy
    if args.output:
        record["output"] = args.output
    else:
        record["labels"] = labels.tolist()
        if args.decision:
            record["decision"] = scores.tolist()
        if bounds is not None:  # JSON has no infinity, so null
            ends = [[None if isinf(end) else end for end in row] for row in bounds.reshape(len(labels), -1).tolist()]
            record["bounds"] = ends
    show_json(record)
