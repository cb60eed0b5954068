"""How fast is ``GraphSVC`` on trees and on grids, what does a certificate cost, and how soon does Ctrl-C return?

Generated data: random trees of 20 nodes with 5 labels, and grids with 2 and with 5 labels, 20 features each. Prints,
for each solver, the sweeps, their CPU seconds, the certified gap, the CPU seconds of one certificate of its answer, the
share of graphs whose messages prove their best labelling there, and the most milliseconds from a real SIGINT at a
random moment to the return of ``fit``, on the wall and of the CPU.

    python benchmarks/graphs.py [--trees 500] [--grids 60] [--side 20] [--solvers block-ascent bcfw qp-bmrm]
        [--sweeps 20] [--lam 1] [--signals 5]
    python benchmarks/graphs.py --choice [--cap 10]        # what the choice that auto makes costs on trees
"""

from __future__ import annotations

import argparse
import time
import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from _common import one_thread, show
from _peers import machine
from interrupt import Interrupt
from pragam import GraphSVC, certify, solve
from pragam.structured import Graph, graph_hinge
from pragam.structured.graphs.messages import pass_messages
from pragam.structured.graphs.values import scores

FEATURES, NOISE = 20, 2.0


def trees(n: int, nodes: int = 20, K: int = 5) -> list[Graph]:
    """Random trees in which a child often has its parent's label."""
    rng, out = np.random.default_rng(0), []
    centres = rng.standard_normal((K, FEATURES))
    for _ in range(n):
        edges = np.array([(int(rng.integers(v)), v) for v in range(1, nodes)])
        y = rng.integers(0, K, nodes)
        for u, v in edges:
            y[v] = y[u] if rng.random() < 0.7 else y[v]
        out.append(Graph(centres[y] + NOISE * rng.standard_normal((nodes, FEATURES)), edges, y))
    return out


def grids(n: int, side: int, K: int) -> list[Graph]:
    """Grids with patches of one label."""
    rng, out = np.random.default_rng(0), []
    centres, number = rng.standard_normal((K, FEATURES)), np.arange(side * side).reshape(side, side)
    pairs = (number[:, :-1], number[:, 1:]), (number[:-1], number[1:])
    edges = np.concatenate([np.column_stack([u.ravel(), v.ravel()]) for u, v in pairs])
    for _ in range(n):
        field = rng.standard_normal((K, side, side))
        for _ in range(3):
            field = sum((np.roll(field, step, axis) for step in (1, -1) for axis in (1, 2)), field) / 5
        y = field.argmax(axis=0).ravel()
        out.append(Graph(centres[y] + NOISE * rng.standard_normal((side * side, FEATURES)), edges, y))
    return out


def with_ones(graphs: list[Graph]) -> list[Graph]:
    """As GraphSVC has them: with a constant feature."""
    return [Graph(np.column_stack([g.X, np.ones(len(g.X))]), g.edges, g.y) for g in graphs]


def certificate_seconds(graphs: list[Graph], model: GraphSVC) -> tuple[float, float]:
    """CPU seconds of a certificate, and the share of graphs whose labelling is proven best for its weights."""
    problem = graph_hinge(with_ones(graphs), model.lam)
    w = np.concatenate([np.column_stack([model.coef_, model.intercept_]).ravel(), model.pairwise_.ravel()])
    certify(problem, w, model.dual_)  # whatever is computed once
    begin = time.process_time()
    certify(problem, w, model.dual_)
    seconds, structure = time.process_time() - begin, problem.Q.structure
    proven = [
        1.0 if block.is_forest else float(pass_messages(block.wiring, *scores(structure, w, block, 1.0)).is_best.mean())
        for block in structure.blocks
    ]
    sizes = [block.graphs.stop - block.graphs.start for block in structure.blocks]
    return seconds, float(np.average(proven, weights=sizes))


class Timed(Interrupt):
    """Also knows the CPU seconds at which it sent its signal."""

    cpu = np.inf

    def run(self) -> None:
        self.over.wait(self.delay)
        self.cpu, self.delay = time.process_time(), 0.0
        super().run()


def slowest_return(graphs: list[Graph], options: Any, solver: str) -> tuple[float, float]:
    """The most milliseconds, on the wall and of the CPU, from a signal in the first seconds of a fit to its end."""
    slowest, most = 0.0, 0.0
    for delay in np.random.default_rng(1).uniform(0.5, 5.0, options.signals):
        interrupt = Timed(float(delay))
        interrupt.start()
        with suppress(KeyboardInterrupt):  # while fit looks at its arguments
            GraphSVC(lam=options.lam, tol=0.0, solver=solver).fit(graphs)
        end, used = time.perf_counter(), time.process_time()
        interrupt.over.set()
        interrupt.join()
        slowest = max(slowest, end - interrupt.sent if interrupt.sent is not None else 0.0)
        most = max(most, used - interrupt.cpu)
    return 1e3 * slowest, 1e3 * most


def measured(name: str, graphs: list[Graph], options: Any, solver: str) -> list[Any]:
    """A row of the table."""
    begin = time.process_time()
    model = GraphSVC(lam=options.lam, tol=1e-2, solver=solver, max_iter=options.sweeps).fit(graphs)
    seconds = time.process_time() - begin
    cost, proven = certificate_seconds(graphs, model)
    gap, sweeps = model.certificate_.relative_gap, model.n_iter_
    return [name, solver, sweeps, seconds, gap, cost, proven, *slowest_return(graphs, options, solver)]


def chosen(graphs: list[Graph], lam: float, tol: float, cap: float) -> list[Any]:
    """CPU seconds and iterations of each solver that auto chooses among, and of auto; "-" if not certified in time."""
    row: list[Any] = []
    for solver in ("block-ascent", "qp-bmrm", "auto"):
        begin = time.process_time()
        result = solve(graph_hinge(graphs, lam), solver, tol=tol, max_seconds=cap)
        row += [time.process_time() - begin if result.converged else "-", result.n_iter]
    return [*row, result.solver]


def choices(cap: float) -> None:
    """What does the choice that auto makes cost on trees?"""
    sizes = (200, 10, 3), (500, 20, 5), (100, 60, 8), (60, 20, 12)
    with one_thread():
        rows = [
            [f"{n} x {nodes}, {K} labels", lam, tol, *chosen(trees(n, nodes, K), lam, tol, cap)]
            for n, nodes, K in sizes
            for lam in (1.0, 0.1)
            for tol in (1e-2, 1e-3)
        ]
    header = ["trees", "lam", "gap", "block-ascent, s", "sweeps", "qp-bmrm, s", "steps", "auto, s", "steps", "chosen"]
    show(machine(), header, rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--grids", type=int, default=60)
    parser.add_argument("--side", type=int, default=20)
    parser.add_argument("--solvers", nargs="+", default=["block-ascent", "bcfw", "qp-bmrm"])
    parser.add_argument("--sweeps", type=int, default=20, help="at most")
    parser.add_argument("--lam", type=float, default=1.0)
    parser.add_argument("--signals", type=int, default=5)
    parser.add_argument("--choice", action="store_true", help="only what auto's choice costs on trees")
    parser.add_argument("--cap", type=float, default=10.0, help="seconds a solve, with --choice")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.choice:
        choices(options.cap)
        return
    sets = {
        "trees, 5 labels": trees(options.trees),
        "grids, 2 labels": grids(options.grids, options.side, 2),
        "grids, 5 labels": grids(options.grids, options.side, 5),
    }
    with one_thread():
        rows = [measured(name, graphs, options, solver) for name, graphs in sets.items() for solver in options.solvers]
    header = ["graphs", "solver", "sweeps", "CPU s", "gap", "certificate, s", "proven", "Ctrl-C, ms", "CPU ms"]
    show(machine(), header, rows)


if __name__ == "__main__":
    main()
