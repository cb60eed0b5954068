"""``pragam show MODEL``: the card of a model, or what a packed directory holds."""

from __future__ import annotations

import argparse
import os
from typing import Any

from pragam.cli.inputs import about, check_files, named
from pragam.cli.output import show_json
from pragam.cli.status import CERTIFIED
from pragam.cli.table import show


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "show",
        help="say what a model is",
        description="Say what MODEL minimises, what it was trained on, how good it claims to be, and which of its "
        "weights are largest. Nothing is computed anew: pragam certify does that.",
    )
    parser.add_argument(
        "model", metavar="MODEL", help="a model file, also LIBLINEAR's, or a packed directory; - is stdin"
    )
    parser.add_argument("--top", type=int, default=5, metavar="N", help="weights of each output (default: 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load, describe."""
    from pragam import models

    if os.path.isdir(args.model):
        return _show_packed(args)
    check_files([args.model], [])
    model = models.load(named(args.model))
    with about(args.model):
        card = models.card_of(model, columns_of(model), args.top)
    if args.json:
        show_json(card.to_dict())
    else:
        show(card.title, (), card.rows())
    return CERTIFIED


def _show_packed(args: argparse.Namespace) -> int:
    """What a packed directory holds, from its manifest."""
    from pragam import open_packed

    packed = open_packed(args.model)
    about = packed.about()
    columns = [] if packed.table is None else [(each.name, each.title) for each in packed.table.columns]
    if args.json:
        show_json(about | ({"table_columns": dict(columns)} if columns else {}))
        return CERTIFIED
    show("Packed data", (), [(name, str(value)) for name, value in about.items()])
    if columns:
        show("Columns of the table", ("column", "is"), columns)
    return CERTIFIED


def columns_of(model: Any) -> list[str] | None:
    """The names of the columns that an estimator was fitted with, if it wrote the file."""
    own = model.settings.get("estimator")
    columns = own.get("columns") if isinstance(own, dict) else None
    return [str(name) for name in columns] if isinstance(columns, list) else None
