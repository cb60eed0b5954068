r"""What the prices of rounds say of clusters that nobody has run: arithmetic, from counts that were measured elsewhere.

Newton. A training to 1e-6 is some ``ROUNDS``, as counted on covtype x 10. As it is built, the client works on a
twentieth of the rows, and receives X w and a Hessian from each block, all of which take at most 256 MB. *Tree* is the
round if the client worked on ``SAMPLE`` rows, had no vectors of length n, and workers added up Hessians pair by pair.

Text. ``merged-ascent`` with a group for each worker, but at least 8: a round reads the rows ``PASSES`` times (two
sweeps, and products), and brings back 4 vectors of length d from each group and 2 numbers for each row; the client
makes all inner products of three of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, log2
from typing import NamedTuple

from _round_prices import Terms, client, messages, seconds, tasks, waits
from _rounds import Share

#: Rounds, and the share of each kind, on covtype x 10 from a twentieth of it; on text to 1e-3, the most of five texts
#: in 8 groups (``text_on_blocks.py``).
ROUNDS, TEXT_ROUNDS, KINDS = 12, 27, {"look": 0.55, "slopes_ahead": 0.45}
#: The share of rows inside their boxes in a look.
FREE = 0.01
#: Seconds of a way between two machines, bytes a second of the client's line (10 Gbit/s), its multiplications a
#: second.
LATENCY, LINE, FLOPS = 2.5e-4, 1.25e9, 2e10
#: As in pragam.packed.spread: blocks at most, bytes of all their Hessians, and the share of rows that the client has.
BLOCKS, HESSIANS, HELD = 1024, 2**28, 0.05
#: Rows of a sample that would do.
SAMPLE = 1_000_000
#: Seconds an entry of a sweep: ``dcd`` on 100,000 rows of 100 words among a million. A product is counted as one.
SWEEP = 4.8e-9
#: What a round of ``merged-ascent`` takes, in sweeps, and its groups at least.
PASSES, GROUPS = 6, 8
WORKERS = (1, 2, 10, 100, 1000)


class Case(NamedTuple):
    """n rows of ``width`` entries over d columns."""

    n: int
    d: int
    width: int


NEWTON = (Case(10**7, 100, 100), Case(10**10, 100, 100), Case(10**9, 1000, 1000))
TEXT = Case(10**10, 10**6, 100)


class Line(NamedTuple):
    """Seconds of the mean round, by part."""

    case: Case
    workers: int
    blocks: int
    rounds: int
    worker: float
    client: float
    line: float  # what the client receives, at the speed of its line
    wait: float
    tree: float  # the round if the client were in nobody's way

    @property
    def round(self) -> float:
        return self.worker + self.client + self.line + self.wait


def on_paper(prices: Terms) -> Iterator[Line]:
    """All cases."""
    for case in NEWTON:
        yield from (newton(prices, case, workers) for workers in WORKERS)
    yield from (text(prices, workers) for workers in WORKERS)


def newton(prices: Terms, case: Case, workers: int) -> Line:
    """The mean round of blocked Newton on a Dask cluster, with dense data."""
    n, d, _ = case
    blocks = max(min(BLOCKS, HESSIANS // (8 * d * d)), 16)
    at_work = min(workers, blocks)

    def work(rows: float, blocks: int) -> float:
        share = Share(blocks, int(rows), int(rows * d), FREE * rows * d * d)
        return mean(lambda kind: seconds(prices, tasks(kind, share, d, is_dense=True)))

    share = Share(ceil(blocks / at_work), int((1 - HELD) * n / at_work), 0, 0.0)
    worker = work(share.rows, share.blocks)
    spoken = mean(lambda kind: seconds(prices, messages(kind, "dask", share, d)))
    own = mean(lambda kind: seconds(prices, client(kind, "dask", at_work, blocks, n, d)))
    line = KINDS["look"] * 8 * (n + blocks * d * d) / LINE
    level = d * d * (prices["dask, client: cell"] + 8 / LINE) + 2 * LATENCY
    tree = work(n / workers, 1) + work(min(SAMPLE, HELD * n), 1) + ceil(log2(2 * workers)) * level
    wait = LATENCY * seconds(prices, waits(at_work))
    return Line(case, workers, blocks, ROUNDS, worker + spoken, own + work(HELD * n, 1), line, wait, tree)


def text(prices: Terms, workers: int) -> Line:
    """The mean round of ascent on blocks that stay where they are."""
    n, d, width = TEXT
    groups, worker = max(workers, GROUPS), PASSES * SWEEP * n * width / workers
    own = 4 * groups * d * prices["dask, client: cell"] + (3 * groups) ** 2 * d / FLOPS
    own += 2 * n * prices["dask, client: row"]
    level = 4 * 8 * d / LINE + 2 * LATENCY
    wait = LATENCY * seconds(prices, waits(workers))
    line, tree = 8 * (4 * d * groups + 2 * n) / LINE, worker + ceil(log2(2 * workers)) * level
    return Line(TEXT, workers, groups, TEXT_ROUNDS, worker, own, line, wait, tree)


def mean(of: Callable[[str], float]) -> float:
    """Over the kinds of rounds."""
    return sum(share * of(kind) for kind, share in KINDS.items())
