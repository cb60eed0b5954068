"""Train on packed data five times as large as the memory that the process may allocate.

    python benchmarks/memory_limit.py [--kind dense|sparse] [--rows 300000] [--times 5] [--tol 1e-3] [--packed DIR]

Rows of float32, generated and packed first, or a packed directory that exists. A process then opens them under a real
limit, RLIMIT_DATA: what it has after a start, and a fifth of the data. Printed: how it ends, its readings, and the peak
of its anonymous memory above that of ``import pragam``, sampled every 5 ms, as a share of the limit. Files that are
mapped do not count: the system drops their pages when it needs them.

RLIMIT_DATA counts addresses, not memory, and BLAS and threads reserve many more than they use. So the start is the
import and solves of 100 rows on one thread, which make these reserves. Both are printed: what was reserved, and how
much of it is memory, which does count in the peak.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from pragam.driver.expectation import vectors_of

CHILD = r"""
import json, resource, sys, threading, time
import pragam, pragam.packed, scipy.sparse, pragam.driver.solve, pragam.risks
from pragam.driver.expectation import expectation
directory, small, solver = sys.argv[1:4]
limit, memory, tol, lam = map(float, sys.argv[4:])

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024

base, peak, addresses = status("RssAnon"), 0, status("VmData")
first = pragam.open_packed(small)
for each in ("newton", "newton-dense", "dcd"):
    pragam.solve(pragam.hinge(first.take(range(100)), first.y[:100], lam=0.1), each, tol=1e-2)
pragam.solve(pragam.hinge(first, lam=0.1), "windows", tol=1e-2)
memory_of_start, reserved = status("RssAnon") - base, status("VmData") - addresses
resource.setrlimit(resource.RLIMIT_DATA, (int(status("VmData") + limit),) * 2)

def watch():
    global peak
    while True:
        peak = max(peak, status("RssAnon"))
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()
X = pragam.open_packed(directory)
begin, cpu = time.perf_counter(), time.process_time()
problem = pragam.hinge(X, lam=lam)
said = expectation(problem, solver, tol, memory)
result = pragam.solve(problem, solver, tol=tol, memory=memory)
print(json.dumps({
    "status": result.status.name, "gap": result.certificate.relative_gap, "solver": result.solver, "said": said,
    "reason": result.reason, "readings": X.readings, "peak": peak - base, "reserved": reserved,
    "memory of the start": memory_of_start,
    "seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu,
}))
"""

#: What is left of the limit for Python's own objects, and for malloc between arrays.
_RESERVE = 0.1


def blocks(n: int, d: int, entries: int | None = None) -> Iterator[tuple[Any, Any]]:
    """Rows on both sides of a plane, some on the wrong one; ``entries`` of each row, if they are sparse."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d) / (entries or d) ** 0.5
    for first in range(0, n, 10_000):
        m = min(10_000, n - first)
        X: Any = rng.standard_normal((m, d if entries is None else entries)).astype(np.float32)
        if entries is not None:
            columns = np.sort(np.argsort(rng.random((m, d)), axis=1)[:, :entries], axis=1).astype(np.int32)
            X = sparse.csr_array((X.ravel(), columns.ravel(), np.arange(0, m * entries + 1, entries)), shape=(m, d))
        yield X, np.where(X @ w + rng.standard_normal(m) > 0, 1.0, -1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=("dense", "sparse"), default="dense")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--columns", type=int, default=784)
    parser.add_argument("--entries", type=int, default=300, help="of a sparse row")
    parser.add_argument("--packed", help="a packed directory, instead of generated rows")
    parser.add_argument("--times", type=float, default=5.0, help="the data over the limit")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--lam", type=float, default=1e-3)
    parser.add_argument("--folder", help="where the packed data go; default: a temporary folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        small = pragam.pack(blocks(200, 20), Path(folder) / "small")
        if args.packed is None:
            entries = args.entries if args.kind == "sparse" else None
            packed = pragam.pack(blocks(args.rows, args.columns, entries), Path(folder) / "packed")
        else:
            packed = pragam.open_packed(args.packed)
        _measure(packed, small, args)


def _measure(packed: Any, small: Any, args: argparse.Namespace) -> None:
    """Solve in another process, and print."""
    problem = pragam.hinge(packed, lam=args.lam)
    solver = "windows" if args.solver == "auto" else args.solver  # or working-set, which holds as many
    limit, vectors = packed.bytes / args.times, 8.0 * vectors_of(problem, solver) * packed.shape[0]
    memory = (1 - _RESERVE) * limit - vectors
    print(f"{packed.bytes / 1e6:.0f} MB of data, limit {limit / 1e6:.0f} MB, vectors of {vectors / 1e6:.0f} MB")
    if memory <= 0:
        raise SystemExit(
            f"the vectors alone are too much: give --times below {(1 - _RESERVE) * packed.bytes / vectors:.1f}"
        )
    numbers = [str(each) for each in (limit, memory, args.tol, args.lam)]
    command = [sys.executable, "-c", CHILD, str(packed.path), str(small.path), args.solver, *numbers]
    own = {**os.environ, "PRAGAM_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    if done.returncode:
        raise SystemExit(done.stderr.strip().splitlines()[-1])
    found = json.loads(done.stdout)
    print(found["said"])
    print(f"{found['status']}: relative gap {found['gap']:.1e} by {found['solver']} {found['reason']}")
    print(f"{found['readings']:.1f} readings, {found['seconds']:.1f} s ({found['cpu']:.1f} s of CPU)")
    print(
        f"reserved beside the limit {found['reserved'] / 1e6:.0f} MB of addresses, "
        f"of which {found['memory of the start'] / 1e6:.1f} MB are memory"
    )
    print(f"peak of anonymous memory {found['peak'] / 1e6:.0f} MB: {found['peak'] / limit:.2f} of the limit")


if __name__ == "__main__":
    main()
