"""What does a checkpoint cost a solve: ratios of CPU time with and without one, and how large is the file?

Per data set and solver, both in turn, several times: the ratio of the smallest CPU times of an iteration, start and end
included, and of the seconds on the wall, in which the disk is waited for; the writings of a run; the largest file in
MB, beside the size of the data and that of the vectors, a number for each weight and dual variable. The solve is to an
accuracy that takes some seconds, or ends after ``--seconds``.

    python benchmarks/checkpoint.py [a9a ...] [--tol 1e-6] [--solvers auto dcd] [--seconds 20] [--repeats 3] [--text 0]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import data_sets, one_thread, show
from pragam.driver.checkpoint.keeper import Keeper


class Run:
    """One solve, and what it took."""

    def __init__(self, problem: Any, solver: str, tol: float, seconds: float, path: Path | None) -> None:
        self.writings, self.largest = 0, 0
        write = Keeper.write

        def counted(keeper: Keeper, *given: Any, **options: Any) -> None:
            write(keeper, *given, **options)
            self.writings += 1
            self.largest = max(self.largest, Path(keeper.path).stat().st_size)

        begin, begin_cpu = time.perf_counter(), time.process_time()
        Keeper.write = counted  # type: ignore[method-assign]
        try:
            self.result = pragam.solve(problem, solver, tol=tol, checkpoint=path, callback=_cpu_limit(seconds))
        finally:
            Keeper.write = write  # type: ignore[method-assign]
        self.wall, self.cpu = time.perf_counter() - begin, time.process_time() - begin_cpu


def _per(key: str) -> Callable[[Run], float]:
    """Seconds of an iteration: a solve that was cut has made others."""
    return lambda run: getattr(run, key) / max(run.result.n_iter, 1)


def _cpu_limit(seconds: float) -> Any:
    end = time.process_time() + seconds
    return lambda progress: time.process_time() >= end


def _text(rows: int) -> tuple[Any, Any]:
    """Words by Zipf's law, 100 a row, of 10 columns for each row."""
    rng, d = np.random.default_rng(0), 10 * rows
    columns = np.minimum((d ** rng.random((rows, 100))).astype(np.int64), d) - 1
    X = sparse.csr_array((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, 100)), shape=(rows, d))
    X.sum_duplicates()
    X.data = rng.random(X.nnz)
    score = X @ rng.standard_normal(d)
    return X, np.where(score + score.std() * rng.standard_normal(rows) > 0, 1, -1)


def _problems(args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    for name, X, y, lam in data_sets(args.sets):
        yield name, pragam.hinge(X, y, lam, bias=True)
    if args.text:
        yield f"text {args.text}", pragam.hinge(*_text(args.text), 1e-5)


def _bytes(problem: Any) -> int:
    return sum(array.nbytes for array in problem.A.storage.rows()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="default: all that are there")
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--solvers", nargs="+", default=["auto", "dcd", "newton", "qp-bmrm"])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--text", type=int, default=0, help="rows of generated text; default: none")
    args, rows = parser.parse_args(), []
    with one_thread(), tempfile.TemporaryDirectory() as folder:
        for name, problem in _problems(args):
            for solver in args.solvers:
                plain, kept = [], []
                for k in range(args.repeats):
                    plain.append(Run(problem, solver, args.tol, args.seconds, None))
                    kept.append(Run(problem, solver, args.tol, args.seconds, Path(folder) / f"{name} {solver} {k}"))
                keys = "cpu", "wall"
                ratio = {key: min(map(_per(key), kept)) / min(map(_per(key), plain)) for key in keys}
                vectors = 8 * (problem.n_weights + problem.Q.size)
                sizes = [f"{size / 1e6:.1f}" for size in (kept[0].largest, _bytes(problem), vectors)]
                same = all(np.array_equal(run.result.w, plain[0].result.w) for run in plain + kept)
                equal = "yes" if same else "no: cut" if not plain[0].result.converged else "no"
                times = [f"{min(run.cpu for run in plain):.2f}", f"{ratio['cpu']:.3f}", f"{ratio['wall']:.3f}"]
                rows.append([f"{name} {solver}", *times, kept[0].writings, *sizes, equal])
    header = "s of CPU", "CPU", "wall", "writings", "MB", "data", "vectors", "equal bits"
    show(f"with a checkpoint over without, to {args.tol:g}", ["", *header], rows)


if __name__ == "__main__":
    main()
