"""``pragam theory``: run the paper's theorems and compare what is measured with what is proven."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pragam.cli.status import CERTIFIED, FALSE

if TYPE_CHECKING:
    from pragam.theory import Check


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "theory",
        help="check the paper's theorems by computation",
        description="Run theorems on their instances and compare what is measured with what is proven, at the instance "
        "where a statement is nearest to failing. A statement holds if it does up to its tolerance, the rounding "
        "allowed: relative to the bound, absolute where the bound is 0.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="theorems, by the names of their files; default: all")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each statement and its reference")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the checks. The status is 0 only if there is at least one and all hold."""
    from pragam.runtime.screen import Screen

    with Screen() as screen:
        checks = checked(args.names, screen.show)
    for line in _lines(checks, args.verbose):
        print(line)
    failed = sum(not check.holds for check in checks)
    print(f"\n{len(checks) - failed} of {len(checks)} statements hold.")
    return CERTIFIED if checks and not failed else FALSE


def checked(names: Sequence[str], watch: Callable[[str, int, int], None]) -> list[Check]:
    """The checks of these theorems, or of all; ``watch`` is told which one runs, and how many have run of how many."""
    from pragam import theory

    known = theory.names()
    chosen = list(names) or known
    if unknown := [name for name in chosen if name not in known]:
        raise ValueError(f"there is no theorem {unknown[0]!r}, only {', '.join(known)}")
    checks = []
    for done, name in enumerate(chosen):
        watch(f"theorem {name}", done, len(chosen))
        checks += theory.run([name])
    return checks


def _lines(checks: list[Check], verbose: bool) -> Iterator[str]:
    """A line for each check, as wide as the longest name plus 44 columns. The statement goes below it."""
    names = max((len(check.name) for check in checks), default=0)
    yield f"{'name':<{names}}  {'measured':>10}    {'bound':>10}  tolerance  holds"
    for check in checks:
        numbers = f"{check.measured:>10.4g} {check.relation} {check.bound:>10.4g}  {check.tolerance:>9.0e}"
        yield f"{check.name:<{names}}  {numbers}  {'yes' if check.holds else 'NO'}"
        if verbose:
            yield from _indented(check.statement)
            yield from _indented(f"[{check.reference}]")


def _indented(text: str) -> list[str]:
    width = max(shutil.get_terminal_size().columns, 40)
    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")
