"""``pragam tune DATA --prove 1%``: prove that no lam of a range is better, then train at the best one."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pragam.cli.arguments import number
from pragam.cli.commands import leave_out
from pragam.cli.commands.training import Trained, settings_of, train
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination
from pragam.driver.checkpoint.place import Checkpoints, checkpoints_of

#: With a model to be written the search has this share of the time.
_SHARE = 0.9


def add_option(parser: Any) -> None:
    """``--prove``."""
    parser.add_argument(
        "--prove", type=eps_of, metavar="EPS",
        help="prove that no lam from the least to the greatest of --lams, tried or not, has an error lower than the "
        "best one by more than EPS: a share as 1%% or 0.01, a mean loss, or se for one standard error",
    )  # fmt: skip


class Percent(float):
    """What was given as a share of 100."""


def eps_of(text: str) -> float | str:
    """``1%``, ``0.01`` or ``se``."""
    if text == "se":
        return text
    try:
        value = Percent(number(text[:-1]) / 100) if text.endswith("%") else number(text)
    except ValueError:
        value = -1.0
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a share such as 1% or 0.01, nor se")
    return value


def run(args: argparse.Namespace, data: Any, risk: Any, held: Any) -> int:
    """Search, train, write, report. The status is 0 only if all is proven that was asked for."""
    from pragam import models
    from pragam.cli.commands import tune_range_report

    if isinstance(args.prove, Percent) and not risk.has_labels:
        raise ValueError("--prove must be a mean loss with numbers to predict, as in --prove 0.1, and no share in %")
    begin, places = time.perf_counter(), checkpoints_of(args.checkpoint)
    with Termination() as termination:
        found = _search(args, data, risk, held, termination, places)
        trained: Trained | None = None
        if args.output:
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            is_cut = found.status is not None and args.max_seconds is None
            place = None if places is None or is_cut else places.within("model", begins_anywhere=True)
            starts = found.starts(data.samples.n)
            trained = train(risk.at(found.lam), data, args, termination, 0.0 if is_cut else left, starts, place)
            models.save(args.output, trained.model, proofs=not args.no_proofs)
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            leave_out.run(args, trained.model, data, termination, 0.0 if is_cut else left, places)
        is_good = found.is_proven and (trained is None or trained.certified)
        report = tune_range_report.as_json if args.json else tune_range_report.as_table
        report(found, trained, data, args, is_good)
    return CERTIFIED if is_good and leave_out.is_settled(args) else NOT_CERTIFIED


def _search(
    args: argparse.Namespace, data: Any, risk: Any, held: Any, termination: Termination, places: Checkpoints | None
) -> Any:
    from pragam.selection import prove_range
    from pragam.selection.tuning import PAPER_LAMS

    low, high = _ends(args.lams or PAPER_LAMS)
    seconds = args.max_seconds
    if seconds is not None and args.output:
        seconds *= _SHARE
    with _line(args.quiet) as tell:
        return termination.run(
            lambda left: prove_range(
                risk, data.samples, (low, high), args.prove, settings_of(args, left), validation=held, share=args.share,
                n_folds=args.folds or 1, seed=args.seed, features=data.features, callback=tell, checkpoint=places,
                exact=args.exact,
            ),
            seconds,
        )  # fmt: skip


def _ends(lams: Any) -> tuple[float, float]:
    if min(lams) == max(lams):
        raise ValueError("--lams must have two ends with --prove, as in 2^-20..2^0")
    return min(lams), max(lams)


@contextmanager
def _line(quiet: bool) -> Iterator[Any]:
    """A line of progress: what is proven by now."""
    from pragam.runtime.screen import Screen
    from pragam.selection.proven.shown import at_most

    with Screen(quiet=quiet) as screen:

        def tell(seen: Any) -> None:
            screen.show(
                f"lam = {seen.lam:.3g}, {seen.n_points} solved, {seen.n_cells} cells to go, {seen.seconds:.1f} s: best "
                f"{seen.best:.5g}, none in the range is better by more than {at_most(seen.proven, 3)}"
            )

        yield tell
