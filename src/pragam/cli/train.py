"""``pragam train [DATA] -o MODEL``: train until the gap is certified or the budget ends."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pragam.cli import train_chain, train_report
from pragam.cli.arguments import number
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.task import add_task, settle_task
from pragam.cli.terminate import Termination
from pragam.cli.training import add_data_options, add_training_options, check_target, train, training_data, write


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "train",
        help="train a linear SVM to a certified gap",
        description="Train a linear SVM with the hinge loss until the relative duality gap is proven to be "
        "at most TOL. More than two classes are trained one against the rest. Ctrl-C and SIGTERM end early, "
        "keeping the best model so far. With --task chain, DATA holds sequences, and the model labels their tokens.",
    )
    add = parser.add_argument
    add_data_options(parser)
    add_task(parser)
    add("--liblinear", metavar="FILE", help="also write a LIBLINEAR text model here")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-C", type=number, help="weight of the summed loss, C = 1/(n lam); default: 1")
    size.add_argument("--lam", type=number, help="weight of the regulariser lam/2 |w|^2 against the mean loss")
    add("--max-iter", type=int, metavar="N", help="stop each problem after N iterations")
    add_training_options(parser)
    train_chain.add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, write, report. The status is 0 only if every problem was certified."""
    from pragam.io.liblinear import integer_labels

    settle_task(args)
    if args.task == "chain":
        return train_chain.run(args)
    for path in filter(None, (args.output, args.liblinear)):
        check_target(Path(path))
    data = training_data(args)
    if args.liblinear:
        integer_labels(data.classes)
        if args.compact_columns:
            raise ValueError("--liblinear writes a weight for every column, which --compact-columns does not have")
    with Termination() as termination:
        trained = train(data, _lam(args, len(data.y)), args, termination, args.max_seconds)
        write(trained.model, args)
        if args.json:
            train_report.as_json(trained.model, data.X, data.y, trained.results, args, trained.certified)
        else:
            train_report.as_table(trained.model, data.X, data.y, trained.results, args)
    return CERTIFIED if trained.certified else NOT_CERTIFIED


def _lam(args: argparse.Namespace, n: int) -> float:
    from pragam.risks.scaling import lam_of

    try:
        return lam_of(1.0 if args.C is None else args.C, n) if args.lam is None else args.lam
    except ValueError as error:
        raise ValueError(f"-{error}") from error  # "C must be ..." is about the option -C
