"""``pragam theory``: run the paper's theorems and compare what is measured with what is proven."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from pragam.cli.status import CERTIFIED, FALSE


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "theory",
        help="check the paper's theorems by computation",
        description="Run every theorem on its instances and compare what is measured with what is proven, at the "
        "instance where the statement is nearest to failing.",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show each statement and its reference")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run all checks. The status is 0 only if there is at least one and all hold."""
    from pragam import theory

    print("running every theorem ...", file=sys.stderr, flush=True)
    checks = theory.run()
    for line in _lines(checks, args.verbose):
        print(line)
    failed = sum(not check.holds for check in checks)
    print(f"\n{len(checks) - failed} of {len(checks)} statements hold.")
    return CERTIFIED if checks and not failed else FALSE


def _lines(checks: list[Any], verbose: bool) -> Iterator[str]:
    """A line for each check, as wide as the longest name plus 33 columns. The statement goes below it."""
    names = max((len(check.name) for check in checks), default=0)
    yield f"{'name':<{names}}  {'measured':>10}    {'bound':>10}  holds"
    for check in checks:
        numbers = f"{check.measured:>10.4g} {check.relation} {check.bound:>10.4g}"
        yield f"{check.name:<{names}}  {numbers}  {'yes' if check.holds else 'NO'}"
        if verbose:
            yield from _indented(check.statement)
            yield from _indented(f"[{check.reference}]")


def _indented(text: str) -> list[str]:
    width = max(shutil.get_terminal_size().columns, 40)
    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")
