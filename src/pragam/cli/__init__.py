"""The command line, ``pragam COMMAND``: ``commands/`` know no task, ``tasks/`` no command.

A command imports what it needs beyond the standard library and the core when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import pragam
from pragam.cli import liblinear_options
from pragam.cli.commands import audit, certify, compare, datasets, pack, predict, show, theory, train, tune
from pragam.cli.status import ABORTED, BAD_INPUT, BROKEN_PIPE, CERTIFIED

_EPILOG = """\
exit status:
  0    done; for train, tune and certify: the tolerance is certified; for audit: the model is proven to be within it
  1    theory: a statement does not hold
  2    bad input, with one line on the standard error that says what and where
  3    train, tune, certify and audit: the tolerance is not certified (train and tune have still written the model);
       tune --prove: less is proven than was asked for
  130  aborted by Ctrl-C; during train and tune the first one, or SIGTERM, ends the solve and keeps what it reached; so
       does the first Ctrl-C during audit
"""


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands. ``args.run`` is the chosen command."""
    parser = _Parser(
        prog="pragam",
        description="Linear support vector machines, trained to a proven duality gap.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pragam {pragam.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (train, tune, predict, certify, show, audit, pack, compare, theory, datasets):
        command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] in (["train"], ["tune"]) and (said := liblinear_options.answer(words[1:])):
        return _complain(said, BAD_INPUT)
    parser = make_parser()
    args = parser.parse_args(words)
    if not hasattr(args, "run"):
        parser.print_help()
        return CERTIFIED
    try:
        status = args.run(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _complain("aborted", ABORTED)
    except (ValueError, OSError, ArithmeticError, MemoryError) as error:
        if isinstance(error, OSError):
            _drop_output()
        return _complain(_sentence(error), BAD_INPUT)


def _drop_output() -> None:
    """Discard what is left for stdout. Python flushes it at exit, which fails if a reader left or a disk is full."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, status: int) -> int:
    print(f"pragam: {message}", file=sys.stderr)
    return status


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
