"""``pragam train [DATA] -o MODEL``: train until the gap is certified or the budget ends."""

from __future__ import annotations

import argparse
from typing import Any

from pragam.cli.arguments import number
from pragam.cli.cluster import spread_over
from pragam.cli.commands.training import Trained, add_training_options, train
from pragam.cli.inputs import about, check_files
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    from pragam.cli.tasks import add_options

    parser = commands.add_parser(
        "train",
        help="train a model and prove how good it is",
        description="Train on DATA until the relative duality gap, computed with every rounding bounded, is proved to "
        "be at most TOL. Of --task classify, more than two classes are trained one against the rest. Ctrl-C and "
        "SIGTERM end early, keeping the best model so far.",
    )
    add_training_options(parser)
    parser.add_argument("--liblinear", metavar="FILE", help="also write a LIBLINEAR text model here")
    parser.add_argument("--max-iter", type=int, metavar="N", help="stop each problem after N iterations")
    parser.add_argument(
        "--cluster",
        metavar="local:N|ADDRESS",
        help="of a packed directory: multiply by N processes here, or by the workers of a Dask scheduler",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-C", type=number, help="weight of the summed loss, C = 1/(n lam); default: 1")
    size.add_argument("--lam", type=number, help="weight of the regulariser lam/2 |w|^2 against the mean loss")
    add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, write, report. The status is 0 only if every problem was certified."""
    from pragam.cli.commands import train_report
    from pragam.cli.tasks import task_of

    task = task_of(args)
    check_files([args.data, args.template], [args.output, args.liblinear])
    data = task.read(args)
    risk = task.record(args, data.samples.n)
    if args.liblinear:
        _check_liblinear(risk, data, args)
    with spread_over(args.cluster, data, args) as data, Termination() as termination:
        trained = train(risk, data, args, termination, args.max_seconds, checkpoint=args.checkpoint)
        _write(trained, args)
        (train_report.as_json if args.json else train_report.as_table)(trained, data, task, args)
    return CERTIFIED if trained.certified else NOT_CERTIFIED


def _check_liblinear(risk: Any, data: Any, args: argparse.Namespace) -> None:
    """Fail before training, not after it."""
    from pragam.models.encoding import Encoding
    from pragam.models.liblinear import integer_labels
    from pragam.models.liblinear_types import solver_type_of

    if data.features.find(Encoding) is not None:
        raise ValueError("--liblinear writes weights of columns by number, and those of a table have names and levels")
    try:
        solver_type_of(risk)
    except ValueError as error:
        raise ValueError(f"--liblinear: {error}") from error
    if risk.has_labels:
        with about(args.data):
            integer_labels(risk.learn(data.samples).tolist())
    if args.compact_columns:
        raise ValueError("--liblinear writes a weight for every column, which --compact-columns does not have")


def _write(trained: Trained, args: argparse.Namespace) -> None:
    from pragam import models

    if args.output:
        models.save(args.output, trained.model, proofs=not args.no_proofs)
    if args.liblinear:
        models.save_liblinear(args.liblinear, trained.model)
