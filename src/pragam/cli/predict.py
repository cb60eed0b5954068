"""``pragam predict MODEL DATA``: the label of each row, and its decision values."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pragam.cli.status import CERTIFIED


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "predict",
        help="predict the label of each row",
        description="Print the predicted label of each row of DATA; the accuracy goes to the standard error.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote, or a LIBLINEAR text model; - is the standard input")
    add("data", metavar="DATA", help="as for train; features that the model does not have are ignored")
    add("-o", "--output", metavar="FILE", help="write the labels here instead of the standard output")
    add("--decision", action="store_true", help="behind each label, write its decision values")
    add("--json", action="store_true", help="print one JSON object: labels (unless -o has them) and accuracy")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    from pragam import io
    from pragam.cli.data import check_inputs, named, read_for
    from pragam.cli.output import warn

    check_inputs(args.model, args.data)
    model = io.load(named(args.model))
    samples, ignored = read_for(model, args.data)
    if ignored:
        warn(f"{args.data}: {ignored} entries are in columns that the model does not have, and are ignored")
    scores = model.decision_function(samples.X)
    labels = model.labels(scores)
    accuracy = None if samples.y is None else _accuracy(labels, samples.y, model, args.data)
    if args.output or not args.json:
        _write(_lines(labels, scores if args.decision else None), args.output)
    if args.json:
        _report(args, labels, scores, accuracy, ignored)
    elif accuracy is not None:
        right = round(accuracy * len(labels))
        print(f"accuracy {100 * accuracy:.2f} % ({right} of {len(labels)})", file=sys.stderr)
    return CERTIFIED


def _lines(labels: Any, scores: Any) -> str:
    if scores is None:
        return "".join(f"{label}\n" for label in labels.tolist())
    rows = scores.reshape(len(labels), -1).tolist()
    return "".join(f"{label} {' '.join(map(repr, row))}\n" for label, row in zip(labels.tolist(), rows, strict=True))


def _write(text: str, output: str | None) -> None:
    from pragam.atomic import replacing

    if output:
        with replacing(output) as stream:
            stream.write(text.encode())
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def _accuracy(labels: Any, y: Any, model: Any, path: str) -> float:
    """The share of right labels. Labels that the model cannot predict would make it meaningless."""
    import numpy as np

    unknown = np.setdiff1d(y, [label for label in model.classes if not isinstance(label, str)])
    if len(unknown):
        some = ", ".join(f"{label:g}" for label in unknown[:3])
        raise ValueError(
            f"{path}: the model does not know the labels {some}{', ...' if len(unknown) > 3 else ''}, only "
            f"{', '.join(map(str, model.classes[:10]))}; are these the data that it was made for?"
        )
    return float((labels == y).mean())


def _report(args: argparse.Namespace, labels: Any, scores: Any, accuracy: float | None, ignored: int) -> None:
    from pragam.cli.output import show_json

    record = {"model": args.model, "data": args.data, "n": len(labels), "ignored_entries": ignored}
    record["accuracy"] = accuracy
    if args.output:
        record["output"] = args.output
    else:
        record["labels"] = labels.tolist()
        if args.decision:
            record["decision"] = scores.tolist()
    show_json(record)
