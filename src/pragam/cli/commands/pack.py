"""``pragam pack SOURCE... -o DIR``: data of any size as a packed directory, which every command takes as DATA."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from typing import Any

from pragam.cli.arguments import names, size
from pragam.cli.inputs import named
from pragam.cli.output import show_json, warn
from pragam.cli.status import ABORTED, CERTIFIED
from pragam.models.table_learning import MISSING


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "pack",
        help="write data of any size as a packed directory, to train on from the disk",
        description="Write the rows of all SOURCEs in random order into DIR, in chunks of plain arrays with checksums. "
        "Memory does not depend on their number. If it is interrupted or killed, the same command goes on.",
    )
    add = parser.add_argument
    formats = "svmlight text (also .gz .bz2 .xz), .npz or .npy; with --target tables (CSV, TSV, parquet), .h5ad"
    add("sources", metavar="SOURCE", nargs="+", help=f"{formats}; patterns such as 'part-*'; - is the standard input")
    add("-o", "--output", metavar="DIR", required=True, help="a new or empty directory")
    add("--seed", type=int, default=0, metavar="N", help="draws the order of the rows; default: 0")
    add("--dtype", choices=("float32", "float64"), help="of the values; default: float32 where that is exact")
    add("--chunk", type=size, default=2.0**20, metavar="SIZE", help="of a chunk, as 4MB; default: a megabyte")
    add("--n-features", type=int, metavar="D", help="number of columns; default: that of the highest index")
    zero = "indices of svmlight text count from 0; default: if 0 occurs"
    add("--zero-based", action="store_const", const=True, default="auto", help=zero)
    target = "the sources are tables with a header, or .h5ad files; the column, or that of obs, to predict"
    add("--target", metavar="COLUMN", help=target)
    add("--drop", type=names, metavar="COLUMNS", help="columns of tables to leave out, between commas")
    categorical = "columns of tables that are categories, though all their values are numbers"
    add("--categorical", type=names, metavar="COLUMNS", help=categorical)
    missing = "what an empty field of a table becomes, as for train; default: it is refused"
    add("--missing", choices=MISSING, help=missing)
    add("--layer", metavar="NAME", help="of .h5ad files; default: X")
    add("--quiet", action="store_true", help="show no progress, only what was written")
    add("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Pack, and say what was written."""
    from pragam.packed.layout import WORK

    if args.sources.count("-") > 1:
        raise ValueError("the standard input can be named once")
    try:
        packed = _packed(args)
    except KeyboardInterrupt:
        return _aborted(args.output, WORK)
    record = {"path": str(packed.path), **packed.fingerprint(), "dtype": packed.dtype.name, "seed": args.seed}
    record |= {"chunks": packed.n_chunks, "bytes": packed.bytes}
    if args.json:
        show_json(record)
    else:
        n, d = packed.shape
        size_of = f"{n:,} rows, {d:,} columns, {packed.stored:,} entries"
        print(
            f"{packed.path}: {size_of} in {packed.dtype.name}; {packed.n_chunks:,} chunks, {packed.bytes / 1e6:,.1f} MB"
        )
    return CERTIFIED


def _packed(args: argparse.Namespace) -> Any:
    """The directory; what is odd about the columns of tables is a line each, when there was no error."""
    import pragam

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        packed = pragam.pack(
            [named(source) for source in args.sources],
            args.output,
            seed=args.seed,
            dtype=args.dtype,
            chunk_bytes=int(args.chunk),
            n_features=args.n_features,
            zero_based=args.zero_based,
            target=args.target,
            drop=args.drop or (),
            categorical=args.categorical or (),
            missing=args.missing,
            layer=args.layer,
            verbose=not args.quiet,
        )
    for each in said:
        warn(str(each.message))
    return packed


def _aborted(folder: str, work: str) -> int:
    """What is there to go on with."""
    left = os.path.isdir(os.path.join(folder, work))
    said = f"{folder} has what was done, and the same command goes on with it" if left else "nothing was left behind"
    print(f"pragam: aborted; {said}", file=sys.stderr)
    return ABORTED
