"""``pragam predict MODEL DATA``: the label, number or labels of each row or token, and its decision values."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pragam.cli.inputs import about, check_files, named
from pragam.cli.status import CERTIFIED


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "predict",
        help="predict what each row or token is",
        description="Print the prediction for each row of DATA, whose labels may be missing; how good they are goes to "
        "the standard error if DATA has labels. A model of sequences or of a table writes the columns of DATA with "
        "the predictions behind them.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote, or a LIBLINEAR text model; - is the standard input")
    add("data", metavar="DATA", help="as for train; features that the model does not have are ignored")
    add("-o", "--output", metavar="FILE", help="write the predictions here instead of the standard output")
    add("--decision", action="store_true", help="behind each, write its decision values, or its margin in a sequence")
    add("--bounds", action="store_true", help="then, the least and greatest decision value at the exact optimum")
    add("--json", action="store_true", help="print one JSON object: predictions (unless -o has them) and how good")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Predict and write."""
    from pragam import models
    from pragam.cli.output import warn
    from pragam.cli.tasks import form_of

    check_files([args.model, args.data], [args.output])
    model = models.load(named(args.model))
    with about(args.model):
        form = form_of(model)
        _check_bounds(model, args)
    data = form.read(args.data, model, needs_labels=False)
    if data.ignored:
        warn(f"{args.data}: {data.ignored} {form.ignored} that the model does not have, and are ignored")
    with about(args.data):
        predicted, columns = _predicted(model, data, args, form.has_header)
    found = _evaluated(model, data, predicted, args.data)
    if args.output or not args.json:
        writes = data.samples.n or form.has_header
        _write(form.lines(data, model, predicted, columns) if writes else [], args.output)
    if args.json:
        _report(args, model, form, data, predicted, columns, found)
    elif found is not None:
        _print(found, form)
    return CERTIFIED


def _check_bounds(model: Any, args: argparse.Namespace) -> None:
    """Refuse --bounds where none are known."""
    import numpy as np

    if args.bounds and model.kind != "linear":
        raise ValueError(f"--bounds is for linear models, not for one of the kind {model.kind}")
    if args.bounds and np.isinf(model.tensors["radius"]).all():
        raise ValueError("the model does not say how far the optimum is; train it again for --bounds")


def _predicted(model: Any, data: Any, args: argparse.Namespace, has_header: bool) -> tuple[Any, dict[str, Any]]:
    """The predictions, and the numbers behind each by what they are. Of nothing, nothing."""
    import numpy as np

    if data.samples.n == 0 and not has_header:
        return np.empty(0), {}
    predicted, columns = model.predicted(model.features.of(data.samples)), {}
    rows = len(predicted)
    if args.decision:
        flat = model.decision(data.samples) if model.kind == "linear" else _flat(model.margins(data.samples))
        columns["decision" if model.kind == "linear" else "margins"] = _matrix(np.asarray(flat), rows)
    if args.bounds:
        columns["bounds"] = _matrix(model.decision_bounds(data.samples), rows)
    return predicted, columns


def _matrix(values: Any, rows: int) -> Any:
    """A line for each row, of which there may be none."""
    import math

    return values.reshape(rows, math.prod(values.shape[1:]))


def _flat(values: Any) -> Any:
    import numpy as np

    return np.concatenate(values) if isinstance(values, list) else values


def _evaluated(model: Any, data: Any, predicted: Any, path: str) -> Any:
    """How good the predictions are; None without labels, or with labels that the model cannot predict."""
    import numpy as np

    from pragam.cli.evaluation import evaluate
    from pragam.cli.output import warn

    truth, unknown = data.samples.y, list(data.unknown)
    if model.risk.has_labels and np.ndim(truth) == 1:
        unknown = np.setdiff1d(truth, model.labels).tolist()
        if unknown == [0] and (truth == 0).all():
            return None  # 0 in all rows is how LIBLINEAR's tools mark data without labels
    if unknown:
        some = ", ".join(map(str, unknown[:3])) + (", ..." if len(unknown) > 3 else "")
        warn(f"{path}: the model does not know the labels {some}, so its accuracy is not measured")
        return None
    if truth is None or not len(predicted):
        return None
    if np.shape(truth) != np.shape(predicted) and np.ndim(truth) == 2:
        raise ValueError(f"{path}: Y has the shape {np.shape(truth)}, and the predictions have {predicted.shape}")
    return evaluate(model, data, predicted)


def _write(lines: Any, output: str | None) -> None:
    from pragam.files.atomic import replacing

    content = (line if isinstance(line, bytes) else line.encode() for line in lines)
    if output:
        with replacing(output) as stream:
            stream.writelines(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(content)
        sys.stdout.flush()


def _print(found: Any, form: Any) -> None:
    from pragam.cli.table import show

    if form.noun != "sequences":  # whose first table says it all
        print(found.sentence, file=sys.stderr)
    for table in found.tables:
        show(table.title, table.header, table.rows, sys.stderr)


def _report(
    args: argparse.Namespace, model: Any, form: Any, data: Any, predicted: Any, columns: dict[str, Any], found: Any
) -> None:
    from pragam.cli.output import show_json

    measured = {} if found is None else found.record
    record: dict[str, Any] = {"model": args.model, "data": args.data, "n": len(predicted)}
    record |= {f"n_{form.noun}": data.samples.n, f"n_{form.unit}": len(predicted)}
    record |= {"ignored_entries" if form.noun == "rows" else "ignored_features": data.ignored}
    record |= {"accuracy": measured.get("accuracy"), "evaluation": measured or None}
    if args.output:
        record["output"] = args.output
    else:
        record["predictions"] = predicted.tolist()
        if model.risk.has_labels:
            record["labels"] = record["predictions"]
        record |= {
            name: (values[:, 0] if values.shape[1] == 1 else values).tolist() for name, values in columns.items()
        }
        if form.noun == "sequences":
            record["lengths"] = data.samples.lengths.tolist()
    show_json(record)
