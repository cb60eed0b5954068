"""What does a projection onto the marginals of a chain cost, beside the best labelling of the same chain?

PRAGAM on OCR words of ten letters (or on random words of that size, if there are no such data): the tables that its
iterations project are recorded, then projected again. Printed, in milliseconds a chain on one core: Newton's method
without a start, Newton's method from the potentials of PRAGAM's previous iteration, the paper's Algorithm 3 on a few of
the chains, and Viterbi's algorithm on the same scores, with their ratios.

    python benchmarks/chain_projection.py [--words 40] [--iterations 60] [--alternating 2]
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from _common import interleaved, one_thread, show
from pragam.problem import Problem
from pragam.solvers import Pragam
from pragam.structured import ChainMarginals, chain_hinge, project_chain

LETTERS, LENGTH = 26, 10
OCR = "structured/letters_ocr_taskar.npz"
REPEATS = 3


@dataclass
class Recorded:
    """The tables of one of PRAGAM's two projections in an iteration, with the potentials it started from."""

    s: np.ndarray
    kappa: float
    start: Any


class Recording(ChainMarginals):
    """Marginals that write down what they project."""

    def __init__(self, own: ChainMarginals) -> None:
        super().__init__(own.totals, own.layout, own.forbidden)
        self.log: list[Recorded] = []

    def prox_from(self, s: np.ndarray, kappa: Any, start: Any) -> tuple[np.ndarray, Any]:
        self.log.append(Recorded(s.copy(), float(kappa), start))
        return super().prox_from(s, kappa, start)


def words(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Letters (words x length, 128) with their labels: words of ten letters, or random ones."""
    path = Path(os.environ.get("PRAGAM_DATA", "")) / OCR
    if not path.is_file():
        rng = np.random.default_rng(0)
        return rng.integers(0, 2, (count * LENGTH, 128)).astype(float), rng.integers(0, LETTERS, count * LENGTH)
    with np.load(path) as stored:
        first = np.cumsum(stored["length"]) - stored["length"]
        chosen = first[(stored["length"] == LENGTH) & (stored["fold"] == 0)][:count]
        rows = (chosen[:, None] + np.arange(LENGTH)).ravel()
        return np.unpackbits(stored["X"], axis=1)[rows].astype(float), stored["y"][rows].astype(np.int64)


def recorded(X: np.ndarray, y: np.ndarray, iterations: int) -> Recording:
    """Every projection of PRAGAM's iterations, two in each."""
    problem = chain_hinge(X, y, np.full(len(y) // LENGTH, LENGTH), lam=0.1, labels=np.arange(LETTERS))
    edges = problem.Q.unfold(problem)
    Q = Recording(edges.Q)
    edges = Problem(edges.A, edges.c, Q, edges.lam, origin=edges.origin)
    solver, rng = Pragam(), np.random.default_rng(0)
    state = solver.init(edges, rng, None, 1e-2)
    Q.log.clear()
    for _ in range(iterations):
        state = solver.step(edges, state)
    return Q


def row(Q: Recording, log: list[Recorded], n: int, few: int) -> list[float]:
    """Milliseconds a chain, means over the iterations, and ratios."""
    plain = ChainMarginals(Q.totals, Q.layout)
    total, shape = float(Q.totals[0]), (-1, LENGTH - 1, LETTERS, LETTERS)

    def alternate() -> None:
        for each in log[:: max(1, len(log) // 3)]:
            project_chain(list((each.s / each.kappa / total).reshape(shape)[:few]), method="alternating", tol=1e-8)

    times = interleaved(
        {
            "cold": lambda: [plain.prox_from(each.s, each.kappa, None) for each in log],
            "warm": lambda: [plain.prox_from(each.s, each.kappa, each.start) for each in log],
            "viterbi": lambda: [plain.layout.best_labels(each.s) for each in log],
        },
        REPEATS,
        cpu=True,
    )
    slow = interleaved({"alternating": alternate}, 1, cpu=True)["alternating"].best
    cold, warm, viterbi = (1e3 * times[name].best / len(log) / n for name in ("cold", "warm", "viterbi"))
    alternating = 1e3 * slow / len(log[:: max(1, len(log) // 3)]) / few
    return [cold, warm, alternating, viterbi, cold / warm, warm / viterbi, alternating / cold]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--alternating", type=int, default=2, help="chains that Algorithm 3 projects")
    asked = parser.parse_args()
    with one_thread():
        X, y = words(asked.words)
        n = len(y) // LENGTH
        Q = recorded(X, y, asked.iterations)
        rows = [
            [name, *row(Q, Q.log[which::2], n, min(asked.alternating, n))]
            for which, name in enumerate(("alpha_mu", "alpha_k+1"))
        ]
    header = ["ms a chain", "cold", "warm", "Algorithm 3", "Viterbi", "cold/warm", "warm/Viterbi", "Algorithm 3/cold"]
    show(f"{n} chains of {LENGTH} nodes with {LETTERS} labels, {asked.iterations} iterations of PRAGAM", header, rows)


if __name__ == "__main__":
    main()
