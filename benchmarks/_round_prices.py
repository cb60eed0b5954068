r"""What a round of blocked Newton costs on workers, as a formula, and its prices from trainings that were clocked.

    seconds of a round = max over workers of (tasks + messages) + client + latency (a + b workers)

    tasks      look:          block K_k + row n_k + entry e_k + pair sum_free (e_i)^2 + cell K_k d^2
               slopes_ahead:  block K_k + row n_k + entry e_k
    messages   round + row n_k + cell K_k d^2                                    (these two after look only)
    client     round + worker W + block K + tasks on the blocks it holds
               + row n + cell K d^2 + cube d^3                                   (these three after look only)

n_k, e_k, K_k are the rows, entries and blocks of a worker, W the workers, K the blocks, d the columns, and *free* the
rows inside their boxes. Entries and pairs have a price for dense data and one for sparse data; messages and client have
one for each engine. Counts (of rounds, of free rows) are those of a training; the formula knows seconds alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize

from _rounds import Measured, Share

#: Amounts by name, or what one of each costs.
Terms = dict[str, float]


def tasks(kind: str, share: Share, d: int, is_dense: bool) -> Terms:
    """On the blocks of one process in a round."""
    of = "dense" if is_dense else "sparse"
    terms = {f"{kind}: block": share.blocks, f"{kind}: row": share.rows, f"{kind}: entry, {of}": share.entries}
    if kind == "look":
        terms |= {f"{kind}: pair, {of}": share.pairs, f"{kind}: cell": share.blocks * d * d}
    return terms


def messages(kind: str, engine: str, share: Share, d: int) -> Terms:
    """What a worker has to do to hear of a round and to answer."""
    terms: Terms = {f"{engine}, worker: round": 1}
    if kind == "look":
        terms |= {f"{engine}, worker: row": share.rows, f"{engine}, worker: cell": share.blocks * d * d}
    return terms


def client(kind: str, engine: str, workers: int, blocks: int, n: int, d: int) -> Terms:
    """What the client has to do, without the tasks on the blocks that it holds."""
    terms: Terms = {f"{engine}, client: round": 1, f"{engine}, client: worker": workers}
    terms[f"{engine}, client: block"] = blocks
    if kind == "look":
        terms |= {f"{engine}, client: row": n, f"{engine}, client: cell": blocks * d * d, "client: cube": d**3}
    return terms


def waits(workers: int) -> Terms:
    """For each second of latency, one way."""
    return {"latency": 1, "latency: worker": workers}


def seconds(prices: Terms, terms: Terms) -> float:
    """What the terms cost."""
    return sum(prices[name] * amount for name, amount in terms.items())


def fitted(equations: Sequence[tuple[Terms, float]]) -> Terms:
    """Non-negative prices with the least squares of relative errors."""
    names = sorted({name for terms, _ in equations for name in terms})
    matrix = np.array([[terms.get(name, 0.0) / value for name in names] for terms, value in equations])
    sizes = np.linalg.norm(matrix, axis=0)
    found, _ = optimize.nnls(matrix / sizes, np.ones(len(equations)))
    return dict(zip(names, (found / sizes).tolist(), strict=True))


def fit(runs: Sequence[Measured]) -> Terms:
    """The prices, line by line of the formula."""
    each = [(run, kind, of) for run in runs for kind, of in run.kinds.items()]
    prices = fitted([(tasks(kind, share, run.columns, run.is_dense), share.task)
                     for run, kind, of in each for share in of.shares])  # fmt: skip
    prices |= fitted([beside_tasks(run, k) for run in runs for k in range(run.workers)])
    prices |= fitted([(own(run, kind), of.client - held(prices, run, kind)) for run, kind, of in each])
    late = [(waits(run.workers), of.wait / run.latency) for run, _, of in each if run.latency]
    return prices | (fitted(late) if late else {})


def beside_tasks(run: Measured, k: int) -> tuple[Terms, float]:
    """What a worker takes beside its tasks in all rounds: an answer is sent after a round's last clock has stopped."""
    terms: Terms = {}
    for kind, of in run.kinds.items():
        for name, amount in messages(kind, run.engine, of.shares[k], run.columns).items():
            terms[name] = terms.get(name, 0.0) + of.count * amount
    return terms, sum(of.count * (of.shares[k].whole - of.shares[k].task) for of in run.kinds.values())


def own(run: Measured, kind: str) -> Terms:
    """Of the client, without the blocks that it holds."""
    blocks = sum(share.blocks for share in run.kinds[kind].shares)
    return client(kind, run.engine, run.workers, blocks, run.rows, run.columns)


def held(prices: Terms, run: Measured, kind: str) -> float:
    """On the blocks that the client holds."""
    return seconds(prices, tasks(kind, run.held, run.columns, run.is_dense))


class Parts(NamedTuple):
    """Seconds of the mean round of a training."""

    worker: float  # the busiest one
    client: float
    wait: float  # of latency alone: without it the clock on the wall is not asked

    @property
    def round(self) -> float:
        return sum(self)


def mean(run: Measured, parts: Callable[[str], Parts]) -> Parts:
    """Over the rounds of both kinds."""
    counts = [of.count for of in run.kinds.values()]
    return Parts(*np.average([parts(kind) for kind in run.kinds], axis=0, weights=counts).tolist())


def predicted(prices: Terms, run: Measured, kind: str) -> Parts:
    """By the formula, from sizes and counts."""
    d, shares = run.columns, run.kinds[kind].shares
    does = [tasks(kind, share, d, run.is_dense) | messages(kind, run.engine, share, d) for share in shares]
    worker = max(seconds(prices, terms) for terms in does)
    wait = run.latency * seconds(prices, waits(run.workers)) if run.latency else 0.0
    return Parts(worker, seconds(prices, own(run, kind)) + held(prices, run, kind), wait)


def measured(run: Measured, kind: str) -> Parts:
    """By the clocks."""
    of = run.kinds[kind]
    return Parts(max(share.whole for share in of.shares), of.client, of.wait if run.latency else 0.0)
