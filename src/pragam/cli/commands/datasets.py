"""``pragam datasets``: the data sets by name, where their files are, and how to have them."""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator
from typing import Any

from pragam.cli.output import show_json, warn
from pragam.cli.status import CERTIFIED
from pragam.cli.table import show


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "datasets",
        help="list the data sets by name, and download them",
        description="List the data sets that pragam knows by name, and where their files are. With a NAME, show all "
        "that is known of it. Files are looked for in --data-dir, in the folder of the environment variable "
        "PRAGAM_DATA and in the cache; --fetch downloads the others into the cache.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="show these sets only, in full")
    parser.add_argument("--data-dir", metavar="DIR", help="a folder of local copies")
    parser.add_argument("--fetch", action="store_true", help="download what is missing of the NAMEs, and verify it")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show the table, or the records of some sets."""
    from pragam import datasets

    if args.fetch and not args.names:
        raise ValueError("--fetch needs the NAME of a data set")
    chosen = [datasets.describe(name) for name in args.names or datasets.names()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for dataset in chosen if args.fetch else ():
            datasets.fetch(dataset.name, args.data_dir)
    for message in caught:
        warn(str(message.message))
    records = [_record(dataset, args.data_dir) for dataset in chosen]
    if args.json:
        show_json({"datasets": records, "cache": str(datasets.cache_folder())})
    elif args.names:
        for record in records:
            show(record["name"], (), _lines(record))
    else:
        header = ("name", "n", "d", "non-zeros", "lambda", "where", "licence")
        show("Data sets by name", header, [_row(record) for record in records])
    return CERTIFIED


def _record(dataset: Any, data_dir: str | None) -> dict[str, Any]:
    """All that is known of a data set, as JSON can hold it."""
    from pragam.datasets.record import Drawn
    from pragam.datasets.registry import availability

    made = dataset.recipe is not None
    test = dataset.test_pieces
    drawn = dataset.test if isinstance(dataset.test, Drawn) else None
    paper = dataset.paper
    return {
        "name": dataset.name,
        "title": dataset.title,
        "n": dataset.n,
        "d": dataset.d,
        "nnz": dataset.nnz,
        "nnz_exact": dataset.exact,
        "lambda": dataset.lam,
        "paper": paper and {"n": paper.n, "d": paper.d, "nnz": paper.nnz, "lambda": paper.lam},
        "stand_in": dataset.stand_in or None,
        "stand_in_for": dataset.stand_in_for or None,
        "where": "made here" if made else availability(dataset.train, data_dir),
        "where_test": availability(test, data_dir) if test else None,
        "test_split": drawn and {"n_train": drawn.n_train, "seed": drawn.seed},
        "preprocessing": [step.__doc__.splitlines()[0] for step in dataset.steps],
        "source": dataset.source,
        "licence": dataset.licence,
        "note": dataset.note or None,
        "files": [
            *(_file(piece, "train", data_dir) for piece in dataset.train),
            *(_file(piece, "test", data_dir) for piece in test),
        ],
    }


def _file(piece: Any, part: str, data_dir: str | None) -> dict[str, Any]:
    """The files that may hold a piece, and the one that is read."""
    from pragam.datasets.fetching.places import find

    place = find(piece, data_dir)
    choices = [
        {"path": file.path, "size": file.size, "sha256": file.sha256 or None, "url": file.url or None} for file in piece
    ]
    return {"part": part, "found": str(place.path) if place else None, "choices": choices}


def _row(record: dict[str, Any]) -> tuple[str, ...]:
    where = record["where"]
    if record["where_test"] not in (None, where):
        where += f"; test {record['where_test']}"
    return (record["name"], *_sizes(record), _power(record["lambda"]), where, record["licence"])


def _sizes(record: dict[str, Any]) -> tuple[str, str, str]:
    return f"{record['n']:,}", f"{record['d']:,}", f"{'' if record['nnz_exact'] else '~'}{record['nnz']:,}"


def _power(lam: float | None) -> str:
    """The paper's lambdas are powers of two."""
    return "" if lam is None else f"2^{math.log2(lam):g}"


def _lines(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The record as names and values, without what is empty."""
    n, d, nnz = _sizes(record)
    yield "title", record["title"]
    yield "size", f"{n} x {d}, {nnz} non-zeros"
    if paper := record["paper"]:
        sizes = f"{paper['n']:,} x {paper['d']:,}, {paper['nnz']:,} stored entries"
        yield "in the paper", f"{sizes}, lambda {_power(paper['lambda'])}"
    elif record["lambda"]:
        yield "lambda", _power(record["lambda"])
    for step in record["preprocessing"]:
        yield "preprocessing", step
    if split := record["test_split"]:
        yield "test set", f"the rows that are not among the {split['n_train']:,} for training, by seed {split['seed']}"
    elif not record["where_test"] and not record["stand_in_for"]:
        yield "test set", "none"
    yield "where", record["where"]
    for file in record["files"]:
        yield f"{file['part']} file", file["found"] or "not at hand"
        for choice in file["choices"]:
            yield "", _choice(choice)
    for key in ("source", "licence", "note", "stand_in"):
        if record[key]:
            yield key.replace("_", "-"), record[key]


def _choice(choice: dict[str, Any]) -> str:
    size = "" if choice["size"] is None else f", {choice['size']:,} bytes"
    address = f", from {choice['url']}" if choice["url"] else ""
    return f"{choice['path']}{size}, sha256 {choice['sha256'] or 'not verified'}{address}"
