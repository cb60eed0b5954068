"""``pragam tune [DATA] -o MODEL``: choose lam by validation on a certified path, then train at the best lam."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pragam.cli.arguments import number
from pragam.cli.commands import tune_range
from pragam.cli.commands.training import Trained, add_training_options, progress, settings_of, train
from pragam.cli.inputs import check_files
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination
from pragam.driver.checkpoint.place import Checkpoints, checkpoints_of


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    from pragam.cli.commands import leave_out
    from pragam.cli.tasks import add_options

    parser = commands.add_parser(
        "tune",
        help="choose lam by validation on a certified path",
        description="Train at every lam, each from its neighbour's solution, and score the models on rows or sequences "
        "that were left out. With -o, train on all of DATA at the best lam. Ctrl-C and SIGTERM end early, keeping the "
        "points done. Of --task chain, what counts is the F1 of chunks where the labels are tags. With --prove it is "
        "proven that no lam of the whole range is better.",
    )
    add_training_options(parser)
    parser.add_argument("--lams", type=lams_of, metavar="LIST", help="numbers between commas; A^I..A^J stands for all "
        "powers between; default: 2^-20..2^0, of sequences 2^-14..2^0")  # fmt: skip
    held = parser.add_mutually_exclusive_group()
    held.add_argument("--validation", metavar="PATH", help="data to validate on; the model is trained on all of DATA")
    held.add_argument("--folds", type=int, metavar="K", help="leave out each sample once, in K parts")
    held.add_argument(
        "--share",
        type=number,
        default=0.2,
        help="else, leave out this share of the rows of each class, or of the sequences; default: %(default)g",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="go on to smaller gaps until the count of wrong predictions of every exact model is proven",
    )
    tune_range.add_option(parser)
    leave_out.add_option(parser)
    add_options(parser)
    parser.set_defaults(run=run, max_iter=None, liblinear=None, C=None, lam=None)


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
    """Tune, train, write, report. The status is 0 only if every gap was certified, on the path and of the model, and
    the leave-one-out error, if it was asked for, is a number."""
    from pragam import models
    from pragam.cli.commands import leave_out, tune_report
    from pragam.cli.tasks import task_of

    task = task_of(args)
    if args.folds is not None and args.folds < 2:
        raise ValueError(f"--folds must be 2 or more, not {args.folds}")
    check_files([args.data, args.validation, args.template], [args.output])
    data = task.read(args)
    risk = task.record(args, data.samples.n)
    leave_out.check(args, risk, data)
    held = None if args.validation is None else _validation(risk, data, args.validation)
    if args.prove is not None:
        _share(args)
        return tune_range.run(args, data, risk, held)
    args.lams = args.lams or lams_of(task.grid)
    begin = time.perf_counter()
    places = checkpoints_of(args.checkpoint)
    with Termination() as termination:
        with _options():
            tuning = _tune(task, risk, data, held, args, termination, places)
        trained: Trained | None = None
        if args.output:
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            starts = tuning.starts(data.samples.n)
            if tuning.is_interrupted:  # the model is then the best of the path, and its gap
                left, starts, places = 0.0, starts or tuning.weights(), None
            place = None if places is None else places.within("model", begins_anywhere=True)
            trained = train(risk.at(tuning.best), data, args, termination, left, starts, place)
            models.save(args.output, trained.model, proofs=not args.no_proofs)
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            leave_out.run(args, trained.model, data, termination, left, places)
        certified = tuning.converged and (trained is None or trained.certified)
        (tune_report.as_json if args.json else tune_report.as_table)(tuning, trained, task, data, args, certified)
    return CERTIFIED if certified and leave_out.is_settled(args) else NOT_CERTIFIED


def _tune(
    task: Any,
    risk: Any,
    data: Any,
    held: Any,
    args: argparse.Namespace,
    termination: Termination,
    places: Checkpoints | None,
) -> Any:
    from pragam.selection import choose

    seconds = args.max_seconds
    if seconds is not None and args.output:  # the model is one point more
        seconds *= len(args.lams) / (len(args.lams) + 1)
    with progress(args.quiet, "") as line:
        return termination.run(
            lambda left: choose(
                risk, data.samples, args.lams, settings_of(args, left), validation=held, share=_share(args),
                n_folds=args.folds or 1, seed=args.seed, features=data.features, scorer=task.scorer, callback=line,
                checkpoint=places, exact=args.exact,
            ),
            seconds,
        )  # fmt: skip


@contextmanager
def _options() -> Iterator[None]:
    """What is wrong with ``share`` or ``folds`` is so with an option."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"--{error}" if str(error).startswith(("share ", "folds ")) else str(error)) from error


def _share(args: argparse.Namespace) -> float:
    if not 0 < args.share < 1:
        raise ValueError(f"--share must be above 0 and below 1, not {args.share:g}")
    return args.share


def _validation(risk: Any, data: Any, path: str) -> Any:
    """The samples to validate on, in the columns of the training data. What is in others is ignored, with a warning."""
    from pragam.cli.output import warn
    from pragam.cli.tasks import form_for

    form = form_for(risk, data.features)
    found = form.like(data, path)
    if found.ignored:
        warn(f"{path}: {found.ignored} {form.ignored} that the training data do not have, and are ignored")
    return found.samples
