"""What ``train`` and ``tune`` share: their options, and training at one lam."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from pragam import solvers
from pragam.cli.arguments import number, size
from pragam.cli.inputs import about
from pragam.cli.terminate import Termination
from pragam.driver.result import Result


def add_training_options(parser: argparse.ArgumentParser) -> None:
    """DATA, where the model goes, the solver, its budget, and what is shown."""
    names = solvers.names()
    formats = (
        "svmlight text (also .gz .bz2 .xz), .npz or .npy, with --target a table (CSV, TSV, parquet), of sequences "
    )
    formats += "a column file; - is the standard input"
    add = parser.add_argument
    add("data", metavar="DATA", nargs="?", help=f"{formats}; default: a built-in example")
    add("-o", "--output", metavar="MODEL", help="write the model and the proof of its gap here")
    add("--no-proofs", action="store_true", help="leave the dual points out of MODEL: smaller, and not to be verified")
    add("--tol", type=number, help="relative duality gap to certify; default: 1e-6, less for several outputs")
    add("--solver", choices=names, default="auto", metavar="NAME", help=f"{', '.join(names)}; default: auto")
    add(
        "--memory",
        type=size,
        metavar="SIZE",
        help="of a packed directory: what may be held, as 500MB; default: a fifth",
    )
    add("--checkpoint", metavar="DIR", help="keep the solves here while they run; the same command goes on from there")
    add("--max-seconds", type=number, metavar="S", help="stop after about S seconds, shared by all problems")
    add("--seed", type=int, default=0, metavar="N", help="seed of everything that is random; default: 0")
    add("--quiet", action="store_true", help="show no progress, only the final table")
    add("--json", action="store_true", help="print one JSON object instead of tables")


class Trained(NamedTuple):
    """A model, and how its problems ended."""

    model: Any
    results: list[Result]

    @property
    def certified(self) -> bool:
        return all(result.converged and result.certificate.rigorous for result in self.results)


def train(
    risk: Any,
    data: Any,
    args: argparse.Namespace,
    termination: Termination,
    max_seconds: float | None,
    starts: Sequence[Any] | None = None,
    checkpoint: Any = None,
) -> Trained:
    """The model of a record; ``starts`` are warm starts, one for each problem."""
    from dataclasses import replace

    from pragam import __version__, models

    with about(args.data):
        names = risk.parts(risk.learn(data.samples))

    @contextmanager
    def listener(k: int) -> Iterator[Any]:
        with progress(args.quiet, f"{names[k]}:" if names[k] else "") as line:
            yield line

    settings = settings_of(args, max_seconds)
    try:
        fitted = models.fit(
            risk, data.samples, settings, data.features, starts=starts, listener=listener, guard=termination.run,
            checkpoint=checkpoint, say=None if args.quiet else _say,
        )  # fmt: skip
    except ValueError as error:
        if args.data is None or not str(error).startswith(("sequence ", "graph ", "y ", "Y ")):
            raise
        raise ValueError(f"{args.data}: {error}") from error  # what is wrong with the samples is so in their file
    known = {**fitted.model.settings, **data.known, "pragam": __version__}
    return Trained(replace(fitted.model, settings=known), fitted.results)


def _say(text: str) -> None:
    """A line that stays."""
    from pragam.runtime.screen import Screen

    with Screen() as screen:
        screen.say(text)


def settings_of(args: argparse.Namespace, max_seconds: float | None) -> Any:
    """How to solve."""
    from pragam.driver.jobs import Settings

    return Settings(args.tol, args.solver, args.max_iter, max_seconds, (args.seed,), memory=args.memory)


def progress(quiet: bool, label: str) -> AbstractContextManager[Any]:
    """A line of progress, unless nobody wants it."""
    from pragam.driver.progress import ProgressLine

    return nullcontext() if quiet else ProgressLine(label)
