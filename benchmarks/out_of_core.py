"""Out of core beside in memory: readings, time, peak memory, and scikit-learn's partial_fit on the same directory.

    python benchmarks/make_large.py FOLDER a9ax20 covtype covtypex10
    python benchmarks/out_of_core.py FOLDER [NAME:LAM...] [--share 0.1] [--tols 1e-3,1e-6] [--repeat 3] [--cold]

For each set and tolerance, each in a process of its own, one thread: a solve on X in memory by ``auto``; a solve on
the packed directory by ``working-set`` with ``memory`` a share of the data; and SGDClassifier.partial_fit, chunk by
chunk, for the CPU time that the second one took. Printed: readings; CPU and wall time over those in memory, the medians
of the repeats, without loading (in memory) or opening (packed), with certificates; the peak of counted allocations
beside the vectors that are announced, over ``memory`` (below 0: the vectors had room left); J of SGD over ours.
``--cold`` drops the pages of the directory before each solve, and says how long a solve waits with and without reading
ahead.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SETS = ("a9ax20:3e-5", "covtype:1e-4", "covtype:1e-6", "covtypex10:1e-4")


def clocks() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def drop(folder: str) -> None:
    """Ask the system to forget the pages of the files."""
    for path in Path(folder).rglob("*.npy"):
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def in_memory(folder: str, lam: float, tol: float, args: Any) -> dict[str, Any]:
    import pragam

    packed = pragam.open_packed(folder)
    problem = pragam.hinge(packed.take(np.arange(len(packed))), packed.y, lam)
    return timed(lambda: pragam.solve(problem, tol=tol))


def out_of_core(folder: str, lam: float, tol: float, args: Any) -> dict[str, Any]:
    import pragam

    packed = pragam.open_packed(folder)
    problem = pragam.hinge(packed, lam=lam)
    _ = packed.known_squares, problem.A.matvec(np.ones(packed.shape[1]))  # verifies the files, once
    if args.cold:
        drop(folder)
    if args.no_ahead:
        type(packed).ahead = lambda self, k: None  # type: ignore[method-assign]
    before = packed.readings
    found = timed(lambda: pragam.solve(problem, "working-set", tol=tol, memory=args.share * packed.bytes))
    return found | {"readings": packed.readings - before}


def counted(folder: str, lam: float, tol: float, args: Any) -> dict[str, Any]:
    """The peak of counted allocations, which takes its time."""
    import tracemalloc

    import pragam
    from pragam.driver.expectation import vectors_of

    packed = pragam.open_packed(folder)
    memory = args.share * packed.bytes
    tracemalloc.start()
    problem = pragam.hinge(packed, lam=lam)
    pragam.solve(problem, "working-set", tol=tol, memory=memory)
    vectors = 8 * vectors_of(problem, "working-set") * problem.Q.size
    return {"over": (tracemalloc.get_traced_memory()[1] - vectors) / memory}


def sgd(folder: str, lam: float, tol: float, args: Any) -> dict[str, Any]:
    """Passes over the chunks until the seconds are spent; J of the last weights, at the best bias."""
    from scipy import sparse
    from sklearn.linear_model import SGDClassifier

    import pragam

    packed = pragam.open_packed(folder)
    y, ends = packed.y, packed.ends
    model = SGDClassifier(alpha=lam, random_state=0, average=True)
    rows = lambda k: sparse.csr_matrix(tuple(a for a in packed.load(k).rows()[1]), shape=packed.load(k).shape)  # noqa: E731
    for k in range(packed.n_blocks):
        rows(k)  # verified
    begin, k = time.process_time(), 0
    while time.process_time() - begin < args.seconds or k == 0:
        at = k % packed.n_blocks
        model.partial_fit(rows(at), y[ends[at] : ends[at + 1]], classes=[-1, 1])
        k += 1
    problem = pragam.hinge(packed, lam=lam)
    return {"primal": pragam.certify(problem, model.coef_[0]).primal, "passes": k / packed.n_blocks}


def timed(solve: Any) -> dict[str, Any]:
    cpu, wall = clocks()
    result = solve()
    end = clocks()
    proof = result.certificate
    return {
        "cpu": end[0] - cpu, "wall": end[1] - wall, "gap": proof.relative_gap, "primal": proof.primal,
        "status": result.status.name, "solver": result.solver,
    }  # fmt: skip


def child(what: str, folder: str, lam: float, tol: float, args: Any, **more: Any) -> dict[str, Any]:
    """In a process of its own, on one thread."""
    given = json.dumps({**vars(args), **more})
    command = [sys.executable, __file__, "--child", what, folder, str(lam), str(tol), given]
    threads = dict.fromkeys(("PRAGAM_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **threads}, check=False)
    if done.returncode:
        raise SystemExit(f"{what} on {folder}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def row(folder: Path, name: str, lam: float, tol: float, args: Any) -> list[Any]:
    """One line of the table."""
    at, runs = str(folder / name), []
    for _ in range(args.repeat):  # in turn, so that a busy moment meets both
        here = child("in_memory", at, lam, tol, args)
        there = child("out_of_core", at, lam, tol, args)
        runs.append((there["cpu"] / here["cpu"], there["wall"] / here["wall"], here, there))
    _, _, here, there = runs[-1]
    over = child("counted", at, lam, tol, args)["over"]
    theirs = child("sgd", at, lam, tol, args, seconds=statistics.median(run[3]["cpu"] for run in runs))
    ratios = [f"{statistics.median(run[i] for run in runs):.2f}" for i in (0, 1)]
    sgd_ratio = f"{theirs['primal'] / there['primal']:.4f}"
    return [f"{name} {lam:g}", f"{tol:g}", there["status"], f"{there['gap']:.0e}", f"{there['readings']:.2f}",
            f"{here['cpu']:.2f}", *ratios, f"{over:.2f}", sgd_ratio, f"{theirs['passes']:.1f}"]  # fmt: skip


def ahead(folder: Path, names: list[str], args: Any) -> None:
    """How long a solve on pages that were dropped waits, with reading ahead and without."""
    for name, lam in (each.split(":") for each in names):
        found = {}
        for no_ahead in (False, True):
            runs = [child("out_of_core", str(folder / name), float(lam), 1e-3, args, cold=True, no_ahead=no_ahead)
                    for _ in range(args.repeat)]  # fmt: skip
            found[no_ahead] = statistics.median(run["wall"] - run["cpu"] for run in runs)
        print(f"{name}, pages dropped: waits {found[False]:.2f} s, without reading ahead {found[True]:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="NAME:LAM")
    parser.add_argument("--share", type=float, default=0.1, help="of the data, for memory")
    parser.add_argument("--tols", default="1e-3,1e-6")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="how long solves wait for pages that were dropped")
    args = parser.parse_args()
    args.folder, folder, args.no_ahead = str(args.folder), args.folder, False
    if args.cold:
        ahead(folder, args.sets or list(SETS), args)
        return
    from _common import show

    header = (
        "set, lam",
        "tol",
        "status",
        "gap",
        "readings",
        "memory, s",
        "CPU x",
        "wall x",
        "peak",
        "SGD's J x",
        "passes",
    )
    rows = []
    for name, lam in (each.split(":") for each in args.sets):
        for tol in map(float, args.tols.split(",")):
            rows.append(row(folder, name, float(lam), tol, args))
            print(*rows[-1], flush=True)
    show(f"Out of core with {args.share:.0%} of the data in memory", header, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        what, at, lam, tol, given = sys.argv[2:]
        print(json.dumps(globals()[what](at, float(lam), float(tol), argparse.Namespace(**json.loads(given)))))
    else:
        main()
