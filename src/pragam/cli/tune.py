"""``pragam tune [DATA] -o MODEL``: choose lam by validation on a certified path, then train at the best lam."""

from __future__ import annotations

import argparse
import math
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pragam.cli import train_chain
from pragam.cli.arguments import number
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.task import add_task, settle_task
from pragam.cli.terminate import Termination
from pragam.cli.training import (
    Trained,
    TrainingData,
    add_data_options,
    add_training_options,
    check_target,
    train,
    training_data,
    write,
)

if TYPE_CHECKING:
    from pragam.selection import Tuning

#: The paper's grid, and one for sequences.
_GRID, _CHAIN_GRID = "2^-20..2^0", "2^-14..2^0"


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "tune",
        help="choose lam by validation on a certified path",
        description="Train at every lam, each from its neighbour's solution, and measure the accuracy on rows that "
        "were left out. With -o, train on all of DATA at the best lam. Ctrl-C and SIGTERM end early, keeping the "
        "points done. With --task chain, DATA holds sequences, and what counts is the F1 of chunks where the labels "
        "are IOB tags, else the share of right labels.",
    )
    add = parser.add_argument
    add_data_options(parser)
    add_task(parser)
    add("--lams", type=lams_of, metavar="LIST",
        help="numbers and powers between commas, as in 1e-4,2^-10; 2^-20..2^0 is all powers between; default: "
        f"{_GRID}, of sequences {_CHAIN_GRID}")  # fmt: skip
    held = parser.add_mutually_exclusive_group()
    held.add_argument("--validation", metavar="PATH", help="data to validate on; the model is trained on all of DATA")
    held.add_argument(
        "--share",
        type=number,
        default=0.2,
        help="else, this share of the rows of each class, or of the sequences; default: %(default)g",
    )
    add_training_options(parser)
    train_chain.add_arguments(parser)
    parser.set_defaults(run=run, max_iter=None, liblinear=None)


def lams_of(text: str) -> list[float]:
    """The numbers of a list such as ``1e-4,2^-10,2^-3..2^0``."""
    try:
        return [lam for item in text.split(",") for lam in _range_of(item)]
    except (ValueError, ArithmeticError):
        form = "numbers > 0 between commas, as in 1e-4,2^-10, or powers from the least on, as in 2^-20..2^0"
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not of the form: {form}") from None


def _range_of(item: str) -> list[float]:
    first, dots, last = item.partition("..")
    if not dots:
        return [_number_of(item)]
    (base, low), (other, high) = ((int(part) for part in end.split("^")) for end in (first, last))
    if base != other or base < 2 or low > high:
        raise ValueError
    return [float(base) ** k for k in range(low, high + 1)]


def _number_of(text: str) -> float:
    base, power, exponent = text.partition("^")
    value = float(base) ** int(exponent) if power else float(text)
    if not 0 < value < math.inf:
        raise ValueError
    return value


def run(args: argparse.Namespace) -> int:
    """Tune, train, write, report. The status is 0 only if every gap was certified, on the path and of the model."""
    from pragam.cli import tune_report
    from pragam.cli.data import check_inputs

    settle_task(args)
    args.lams = args.lams or lams_of(_GRID if args.task == "rows" else _CHAIN_GRID)
    check_inputs(args.data, args.validation)
    if args.task == "chain":
        from pragam.cli import tune_chain

        return tune_chain.run(args)
    if args.output:
        check_target(Path(args.output))
    data = training_data(args)
    held = None if args.validation is None else _validation(args.validation, data)
    begin = time.perf_counter()
    with Termination() as termination:
        tuning = _tune(data, held, args, termination)
        trained: Trained | None = None
        if args.output:
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            left = 0.0 if tuning.is_interrupted else left  # the model is then the best of the path, and its gap
            trained = train(data, tuning.best, args, termination, left, tuning.starts(len(data.y)))
            write(trained.model, args)
        certified = tuning.converged and (trained is None or trained.certified)
        (tune_report.as_json if args.json else tune_report.as_table)(tuning, trained, len(data.y), args, certified)
    return CERTIFIED if certified else NOT_CERTIFIED


def _tune(data: TrainingData, held: Any, args: argparse.Namespace, termination: Termination) -> Tuning:
    from pragam.driver.progress import ProgressLine
    from pragam.selection import tune

    seconds = args.max_seconds
    if seconds is not None and args.output:  # the model is one point more
        seconds *= len(args.lams) / (len(args.lams) + 1)
    with nullcontext() if args.quiet else ProgressLine() as line:
        return termination.run(
            lambda left: tune(
                data.X, data.y, args.lams, validation=held, share=args.share, seed=args.seed, bias=not args.no_bias,
                class_weight=args.class_weight, tol=args.tol, solver=args.solver, max_seconds=left, callback=line,
            ),
            seconds,
        )  # fmt: skip


def _validation(path: str, data: TrainingData) -> tuple[Any, Any]:
    """The rows to validate on, in the columns of the training data. What is in others is ignored, with a warning."""
    import numpy as np
    from scipy import sparse

    from pragam.cli.data import labels_of, read
    from pragam.cli.output import warn
    from pragam.files.columns import restricted

    samples, d = read(path, zero_based=data.zero_based), data.X.shape[1]
    X = samples.X
    if sparse.issparse(X):
        X, ignored = restricted(X, np.arange(d) if data.columns is None else data.columns)
        if ignored:
            warn(f"{path}: {ignored} entries are in columns that the training data do not have, and are ignored")
    elif X.shape[1] != d:
        raise ValueError(f"{path}: {X.shape[1]} columns, and the training data have {d}")
    return X, labels_of(samples, path)
