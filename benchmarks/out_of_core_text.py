"""Text on the disk against text in memory: `windows`, `dcd` and `auto`, and SGDClassifier on the same directory.

    python benchmarks/out_of_core_text.py FOLDER [--size 1.0] [--tols 1e-2 1e-3 1e-4] [--shares 0.2 0.05] [--repeats 3]

FOLDER/text is made by make_large.py if it is not there. C = 1, with and without a bias, one thread; the files were read
before, so they are in the page cache and verified. For each tolerance and each share of the data that may be in memory:
readings of the data, CPU and wall seconds of `windows`, and their ratios to `dcd` and to `auto` on the rows in memory,
in interleaved repeats, of which the least count. SGDClassifier gets the same blocks by `partial_fit` for the seconds of
`windows`: its objective over ours is the last column.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import one_thread, show
from make_large import make


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """(CPU seconds, wall seconds, the answer)."""
    cpu, wall = time.process_time(), time.perf_counter()
    answer = call()
    return time.process_time() - cpu, time.perf_counter() - wall, answer


def sgd_objective(packed: Any, y: np.ndarray, problem: Any, seconds: float, bias: bool) -> float:
    """J of SGDClassifier after these seconds of ``partial_fit`` over the blocks in order."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="hinge", alpha=problem.lam, fit_intercept=bias, random_state=0)
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for k in range(packed.n_chunks):
            X = packed.load(k)
            rows = sparse.csr_matrix(X.rows()[1], shape=X.shape)
            model.partial_fit(rows, y[packed.ends[k] : packed.ends[k + 1]], classes=np.unique(y))
            if time.perf_counter() - begin >= seconds:
                break
    return pragam.certify(problem, model.coef_[0].astype(np.float64), bias=model.intercept_[0] if bias else None).primal


def row(packed: Any, X: Any, tol: float, share: float, bias: bool, repeats: int, cap: float) -> tuple[Any, ...]:
    """A line of the table."""
    n, y = packed.shape[0], packed.y
    memory, problems = share * packed.bytes, [pragam.hinge(D, y, 1 / n, bias=bias) for D in (packed, X)]
    disk = lambda: pragam.solve(problems[0], "windows", tol=tol, memory=memory, max_seconds=cap)  # noqa: E731
    calls = {
        "windows": disk,
        "dcd": lambda: pragam.solve(problems[1], "dcd", tol=tol, max_seconds=cap),
        "auto": lambda: pragam.solve(problems[1], tol=tol, max_seconds=cap),
    }
    seen: dict[str, list[tuple[float, float, Any]]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            seen[name].append(timed(call))
    cpu, wall = ({name: min(each[k] for each in times) for name, times in seen.items()} for k in (0, 1))
    found = seen["windows"][0][2]
    ratio = sgd_objective(packed, y, problems[0], wall["windows"], bias) / found.certificate.primal
    return (
        f"{tol:g}, {share:.0%}, {'bias' if bias else 'no bias'}",
        f"{found.history.passes[-1]:.2f}",
        f"{found.certificate.relative_gap:.1e}",
        cpu["windows"],
        wall["windows"],
        *(f"{times['windows'] / times[name]:.2f}" for name in ("dcd", "auto") for times in (cpu, wall)),
        f"{ratio:.4f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--size", type=float, default=1.0, help="the share of the rows, where the set is made now")
    parser.add_argument("--tols", type=float, nargs="+", default=[1e-2, 1e-3, 1e-4])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.2, 0.05])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cap", type=float, default=120.0, help="seconds for one solve")
    args = parser.parse_args()
    packed = make("text", args.folder, args.size)
    assert packed is not None, "text is made from nothing"
    with one_thread():
        X = packed.take(np.arange(packed.shape[0]))  # which verifies all files
        lines = [
            row(packed, X, tol, share, bias, args.repeats, args.cap)
            for bias in (False, True)
            for share in args.shares
            for tol in args.tols
        ]
    n, d = packed.shape
    header = (
        "tolerance, memory",
        "readings",
        "gap",
        "CPU s",
        "wall s",
        "/ dcd CPU",
        "wall",
        "/ auto CPU",
        "wall",
        "SGD J",
    )
    show(f"text, {n} x {d}, {packed.bytes / 1e6:.0f} MB", header, lines)


if __name__ == "__main__":
    main()
