"""``--task``: what DATA holds, rows or sequences."""

from __future__ import annotations

import argparse

#: Options that only sequences have.
_OF_SEQUENCES = ("template", "loss", "transitions")
#: The relative gap to certify.
_TOLERANCES = {"rows": 1e-6, "chain": 1e-2}


def add_task(parser: argparse.ArgumentParser) -> None:
    """The option itself."""
    parser.add_argument(
        "--task", choices=list(_TOLERANCES), default="rows",
        help="rows: each has a label; chain: sequences, from a column file or an .npz; default: rows",
    )  # fmt: skip


def settle_task(args: argparse.Namespace) -> None:
    """The tolerance, if none was given; options of sequences are refused for rows."""
    given = [name for name in _OF_SEQUENCES if getattr(args, name) is not None]
    if args.task == "rows" and given:
        raise ValueError(f"--{given[0]} is for --task chain")
    if args.tol is None:
        args.tol = _TOLERANCES[args.task]
