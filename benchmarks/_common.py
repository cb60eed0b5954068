"""What the benchmarks share: data sets with the paper's lambda, interleaved repeats, one thread, a table."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from pragam.datasets import load_named, paper_lambda

# Real data may lie beside the checkout.
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("PRAGAM_DATA", str(_BESIDE))

SETS = ("a9a", "w8a", "covtype", "news20-bigram")

Call = Callable[[], Any]


class Times(NamedTuple):
    """Seconds of repeated calls of one thing."""

    best: float
    median: float


def data_sets(names: Sequence[str] = ()) -> Iterator[tuple[str, Any, Any, float]]:
    """(name, X, y, lambda) of the named sets (default: all of SETS); absent ones are skipped, with a word."""
    for name in names or SETS:
        try:
            X, y = load_named(name)
        except FileNotFoundError as error:
            print(f"skipped: {error}", file=sys.stderr)
            continue
        yield name, X, y, paper_lambda(name)


def interleaved(calls: dict[str, Call], repeats: int, cpu: bool = False) -> dict[str, Times]:
    """Times of the calls in the order A, B, A, B, ..., so that a busy moment of the machine meets all of them.

    ``cpu`` counts the process's CPU time, which other processes disturb less.
    """
    clock = time.process_time if cpu else time.perf_counter
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            begin = clock()
            call()
            seconds[name].append(clock() - begin)
    return {name: Times(min(each), statistics.median(each)) for name, each in seconds.items()}


def cpu_limit(seconds: float) -> Callable[[Any], bool]:
    """A callback of solve that ends it after so many seconds of CPU: on a busy machine ``max_seconds`` are fewer."""
    end = time.process_time() + seconds
    return lambda progress: time.process_time() >= end


def one_thread() -> AbstractContextManager[Any]:
    """BLAS and OpenMP on one thread, as long as the context lasts, and pragam too, unless it was asked for more."""
    from threadpoolctl import threadpool_limits

    os.environ.setdefault("PRAGAM_NUM_THREADS", "1")
    return threadpool_limits(limits=1)


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table: the first column names, the others are right-aligned."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else 120).print(table)
