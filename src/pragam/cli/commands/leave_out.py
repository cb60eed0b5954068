"""``pragam tune ... --loo``: the exact leave-one-out error of the model that was trained, printed with it."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pragam.cli.commands.training import settings_of
from pragam.cli.terminate import Termination


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option."""
    parser.add_argument(
        "--loo",
        action="store_true",
        help="with -o, of two classes: prove how many rows are wrong when the model has not seen them, each left out "
        "once; exit status 3 if that stays an interval",
    )


def check(args: argparse.Namespace, risk: Any, data: Any) -> None:
    """Refuse, before anything is solved, what will have no such error."""
    from pragam.selection.left_out import check_supported

    args.left_out = None
    if not args.loo:
        return
    if not args.output:
        raise ValueError("--loo needs -o MODEL: the error is that of the model trained at the best lam")
    check_supported(risk, risk.learn(data.samples), data.samples)


def run(
    args: argparse.Namespace, model: Any, data: Any, termination: Termination, seconds: float | None, places: Any
) -> None:
    """Leave every row out, and keep what came of it for the report."""
    from pragam.selection import leave_one_out

    if not args.loo:
        return
    place = None if places is None else places.within("left-out")
    with _line(args.quiet) as line:
        args.left_out = termination.run(
            lambda left: leave_one_out(
                model, data.samples, settings_of(args, None), max_seconds=left, callback=line, checkpoint=place
            ),
            seconds,
        )


def is_settled(args: argparse.Namespace) -> bool:
    """Whether the error is a number, or was not asked for."""
    return args.left_out is None or bool(args.left_out.is_settled)


def _line(quiet: bool) -> AbstractContextManager[Any]:
    from pragam.selection.left_out import LeftOutLine

    return nullcontext() if quiet else LeftOutLine("leave-one-out:")


def rows(args: argparse.Namespace) -> list[tuple[str, str]]:
    """For a table of names and values; none where no rows were left out."""
    found = args.left_out
    if found is None:
        return []
    shares = ", ".join(f"{found.decided(stage)} {how}" for stage, how in _HOW.items() if found.decided(stage))
    fewest, most = (100 * share for share in found.interval)
    percent = f"{fewest:.2f} %" if found.is_settled else f"{fewest:.2f} to {most:.2f} %"
    return [("leave-one-out", f"{percent}; {found.remark} (proven for {shares}; {found.solves} solves)")]


#: The stages in words.
_HOW = {
    "model": "rows by the model itself",
    "moved": "by bounds",
    "solve": "by solves without them",
}


def record(args: argparse.Namespace) -> dict[str, Any] | None:
    """For JSON."""
    found = args.left_out
    if found is None:
        return None
    fewest, most = found.errors if isinstance(found.errors, tuple) else (found.errors, found.errors)
    return {
        "errors": fewest if found.is_settled else None,
        "fewest": fewest,
        "most": most,
        "n": found.n,
        "decided_by": {stage: found.decided(stage) for stage in ("model", "moved", "solve", "open")},
        "solves": found.solves,
        "remark": found.remark,
    }
