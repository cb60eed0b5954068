"""``pragam predict MODEL DATA``: the label of each row."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "predict",
        help="predict the label of each row",
        description="Print the predicted label of each row of DATA; the accuracy goes to the standard error.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote, or a LIBLINEAR text model")
    add("data", metavar="DATA", help="as for train; sparse data may have fewer columns than the model")
    add("-o", "--output", metavar="FILE", help="write the labels here instead of the standard output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    from pragam import datasets, io
    from pragam.atomic import replacing

    model = io.load(args.model)
    X, y = datasets.load(args.data, model.n_features)
    labels = model.predict(X)
    text = "".join(f"{label}\n" for label in labels.tolist())
    if args.output:
        with replacing(args.output) as stream:
            stream.write(text.encode())
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    if y is not None:
        right = int((labels == y).sum())
        print(f"accuracy {100 * right / len(y):.2f} % ({right} of {len(y)})", file=sys.stderr)
    return 0
