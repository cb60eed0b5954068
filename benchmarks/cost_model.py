"""The cost model of rounds on workers: fitted to some trainings, checked on others, and what it says of 1,000 workers.

    python benchmarks/cost_model.py [--write FILE] [--sets NAME...] [--large]

The formula is at the head of ``_round_prices.py``; how trainings are clocked, at that of ``_rounds.py``. Each line of
the formula is fitted by non-negative least squares of relative errors: to CPU seconds of workers and client, and to the
clock on the wall for what a round waits where a relay lets every byte of a Dask worker wait (``_delay.py``).

Printed are the prices; then for each training that was held out (other sizes, columns, blocks, workers, latencies, and
real data) the mean round, predicted / measured in milliseconds. The exit status is 1 if one is off by more than 30 %.
Then what the formula says of cases that nobody has run: that is arithmetic.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

os.environ.update(dict.fromkeys(("PRAGAM_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
from scipy import sparse

import pragam
from _on_paper import Line, on_paper
from _round_prices import Terms, fit, mean, measured, predicted
from _rounds import Measured, measure
from make_large import make

#: Rows of a block of generated data.
_BLOCK = 10_000
#: A prediction may be off by this factor.
_WITHIN = 1.3


class Plan(NamedTuple):
    """A training to be made: on rows of d columns, of which ``width`` are not zero (0: dense)."""

    n: int
    d: int
    width: int
    blocks: int
    workers: int
    engine: str
    latency: float = 0.0


FIT = (
    Plan(200_000, 50, 0, 8, 1, "processes"),
    Plan(60_000, 200, 0, 32, 2, "processes"),
    Plan(30_000, 500, 0, 16, 1, "processes"),
    Plan(300_000, 20, 0, 32, 2, "processes"),
    Plan(200_000, 100, 12, 8, 1, "processes"),
    Plan(80_000, 400, 40, 24, 2, "processes"),
    Plan(200_000, 50, 0, 8, 1, "dask"),
    Plan(60_000, 200, 0, 32, 2, "dask"),
    Plan(30_000, 500, 0, 16, 1, "dask"),
    Plan(300_000, 20, 0, 32, 2, "dask"),
    Plan(80_000, 400, 40, 24, 3, "dask"),
    Plan(100_000, 40, 0, 8, 1, "dask", 0.03),
    Plan(100_000, 40, 0, 8, 3, "dask", 0.03),
)
CHECK = (
    Plan(120_000, 120, 0, 16, 2, "processes"),
    Plan(500_000, 30, 0, 12, 1, "processes"),
    Plan(50_000, 350, 0, 20, 2, "processes"),
    Plan(250_000, 200, 24, 16, 2, "processes"),
    Plan(400_000, 80, 0, 40, 6, "processes"),
    Plan(120_000, 120, 0, 16, 1, "dask"),
    Plan(50_000, 350, 0, 20, 2, "dask"),
    Plan(250_000, 200, 24, 16, 6, "dask"),
    Plan(60_000, 30, 0, 6, 2, "dask", 0.01),
    Plan(200_000, 60, 0, 12, 2, "dask", 0.06),
    Plan(1_000_000, 100, 0, 64, 2, "processes"),
)
#: A billion entries: 4 GB on the disk.
LARGE = (Plan(10_000_000, 100, 0, 256, 2, "processes"),)
#: For a test.
SHORT = (Plan(50_000, 20, 0, 4, 1, "dask", 0.002),)


def generated(plan: Plan, folder: str) -> Any:
    """Noisy labels of a linear function, packed."""
    rng = np.random.default_rng([plan.n, plan.d, plan.width])
    w = rng.standard_normal(plan.d)

    def blocks() -> Iterator[tuple[Any, Any]]:
        for _ in range(0, plan.n, _BLOCK):
            X = rows(rng, plan.d, plan.width)
            score = X @ w
            yield X, np.where(score + score.std() * rng.standard_normal(_BLOCK) > 0, 1, -1)

    return pragam.pack(blocks(), f"{folder}/{plan.n}x{plan.d}x{plan.width}", chunk_bytes=500_000)


def rows(rng: np.random.Generator, d: int, width: int) -> Any:
    """Normal numbers; in sparse rows in as many columns each."""
    if not width:
        return rng.standard_normal((_BLOCK, d), dtype=np.float32)
    columns = np.sort(rng.random((_BLOCK, d)).argpartition(width, axis=1)[:, :width], axis=1)
    values = rng.standard_normal(_BLOCK * width, dtype=np.float32)
    return sparse.csr_array((values, columns.ravel(), np.arange(_BLOCK + 1) * width), shape=(_BLOCK, d))


# Trainings and tables -------------------------------------------------------------------------------------------------


def trained(plans: Sequence[Plan], folder: str) -> Iterator[Measured]:
    """The trainings on generated data; each set is packed once."""
    packed: dict[tuple[int, int, int], Any] = {}
    for plan in plans:
        if plan[:3] not in packed:
            packed[plan[:3]] = generated(plan, folder)
        kind = f"{plan.width} entries a row" if plan.width else "dense"
        yield run_of(f"{plan.n:,} x {plan.d}, {kind}", packed[plan[:3]], plan)


def real(folder: str, names: Sequence[str]) -> Iterator[Measured]:
    """Those on real data, if they are there."""
    for name in names:
        packed = make(name, folder)
        if packed is not None:
            for plan in (Plan(0, 0, 0, 24, 2, "processes"), Plan(0, 0, 0, 24, 1, "dask", 0.02)):
                yield run_of(name, packed, plan)


def run_of(name: str, packed: Any, plan: Plan) -> Measured:
    return measure(name, packed, plan.engine, plan.workers, plan.blocks, plan.latency)


HEADER = ("training", "workers", "blocks", "latency", "worker", "client", "wait", "predicted", "measured", "ratio")


def checked(prices: Terms, run: Measured) -> tuple[list[str], float]:
    """A line of the mean round of a training, in milliseconds (parts: predicted / measured), and the ratio."""
    said, was = mean(run, lambda kind: predicted(prices, run, kind)), mean(run, lambda kind: measured(run, kind))
    parts = [f"{1e3 * a:.1f} / {1e3 * b:.1f}" for a, b in zip(said, was, strict=True)]
    if not run.latency:
        parts[-1] = "-"
    blocks = sum(share.blocks for share in run.kinds["look"].shares)
    ratio = said.round / was.round
    return [run.name, f"{run.workers} {run.engine}", str(blocks), f"{1e3 * run.latency:g}", *parts,
            f"{1e3 * said.round:.1f}", f"{1e3 * was.round:.1f}", f"{ratio:.2f}"], ratio  # fmt: skip


ON_PAPER = ("rows x columns", "workers", "blocks", "worker", "client", "line", "wait", "round", "all", "tree, all")


def written(line: Line) -> list[str]:
    """Of a case that nobody has run."""
    n, d, width = line.case
    parts = *line[4:8], line.round, line.rounds * line.round, line.rounds * line.tree
    data = f"{n:.0e} x {d:,}".replace("e+0", "e").replace("e+", "e") + ("" if width == d else f", {width} words a row")
    return [data, f"{line.workers:,}", f"{line.blocks:,}", *(spoken(part) for part in parts)]


def spoken(seconds: float) -> str:
    """As one would say it."""
    for size, unit in ((86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.2g} {unit}" if seconds < 99 * size else f"{seconds / size:.0f} {unit}"
    return "0"


class Tables:
    """Prints rows of Markdown as they come, and writes them to a file at the end."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def head(self, *names: str) -> None:
        self._put("")
        self.row(names)
        self.row(["---"] * len(names))

    def row(self, cells: Sequence[str]) -> None:
        self._put("| " + " | ".join(cells) + " |")

    def write(self, file: str) -> None:
        Path(file).write_text("\n".join(self.lines[1:]) + "\n")

    def _put(self, line: str) -> None:
        self.lines.append(line)
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", metavar="FILE", help="the tables as Markdown")
    parser.add_argument("--sets", nargs="*", default=["covtype"], help="of make_large.py, to check on")
    parser.add_argument("--large", action="store_true", help="check on a billion entries too: minutes, 4 GB of disk")
    parser.add_argument("--short", action="store_true", help="a few trainings that say nothing, for a test")
    args = parser.parse_args()
    tables, ratios = Tables(), []
    with tempfile.TemporaryDirectory() as folder:
        prices = fit(list(trained(SHORT if args.short else FIT, folder)))
        tables.head("price", "seconds")
        for name, price in prices.items():
            tables.row([name, f"{price:.2e}"])
        tables.head(*HEADER)
        held_out = [] if args.short else [trained(CHECK, folder), real(folder, args.sets)]
        for run in chain(*held_out, trained(LARGE if args.large else (), folder)):
            row, ratio = checked(prices, run)
            tables.row(row)
            ratios.append(ratio)
    tables.head(*ON_PAPER)
    for line in on_paper(prices):
        tables.row(written(line))
    if args.write:
        tables.write(args.write)
    print("load", *(f"{load:.1f}" for load in os.getloadavg()))
    sys.exit(any(not 1 / _WITHIN <= ratio <= _WITHIN for ratio in ratios))


if __name__ == "__main__":
    main()
