"""Train on packed data five times as large as the memory that the process may allocate.

    python benchmarks/memory_limit.py [--rows 300000] [--columns 784] [--times 5] [--tol 1e-3] [--folder DIR]

Dense float32 rows, generated and packed first. A process then opens them under a real limit: RLIMIT_DATA, what it has
after ``import pragam`` plus a fifth of the data. Printed: how it ends, its readings, and the peak of its anonymous
memory above that of the import, sampled every 5 ms, as a share of the limit. Files that are mapped do not count: the
system drops their pages when it needs them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import pragam

CHILD = r"""
import json, resource, sys, threading, time
import pragam, pragam.packed, scipy.sparse, pragam.driver.solve, pragam.risks
directory, limit, tol, lam = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])

def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024

def data():
    for line in open("/proc/self/status"):
        if line.startswith("VmData"):
            return int(line.split()[1]) * 1024

base, peak = anonymous(), 0
resource.setrlimit(resource.RLIMIT_DATA, (int(data() + limit),) * 2)

def watch():
    global peak
    while True:
        peak = max(peak, anonymous())
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()
X = pragam.open_packed(directory)
begin, cpu = time.perf_counter(), time.process_time()
problem = pragam.hinge(X, lam=lam)
vectors = 8.0 * 16 * problem.Q.size
result = pragam.solve(problem, tol=tol, memory=0.9 * limit - vectors)
print(json.dumps({
    "status": result.status.name, "gap": result.certificate.relative_gap, "solver": result.solver,
    "reason": result.reason, "readings": X.readings, "peak": peak - base,
    "seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu,
}))
"""


def blocks(n: int, d: int):
    """Rows around two centres, some of them on the wrong side."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d) / d**0.5
    for first in range(0, n, 10_000):
        X = rng.standard_normal((min(10_000, n - first), d)).astype(np.float32)
        yield X, np.where(X @ w + rng.standard_normal(len(X)) > 0, 1.0, -1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--columns", type=int, default=784)
    parser.add_argument("--times", type=float, default=5.0, help="the data over the limit")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--lam", type=float, default=1e-3)
    parser.add_argument("--folder", help="where the packed data go; default: a temporary folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        directory = Path(folder) / "packed"
        packed = pragam.pack(blocks(args.rows, args.columns), directory)
        limit = packed.bytes / args.times
        command = [sys.executable, "-c", CHILD, str(directory), str(limit), str(args.tol), str(args.lam)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr.strip().splitlines()[-1])
            raise SystemExit(1)
        found = json.loads(done.stdout)
    print(f"{packed.bytes / 1e6:.0f} MB of data, limit {limit / 1e6:.0f} MB above the import")
    print(f"{found['status']}: relative gap {found['gap']:.1e} by {found['solver']} {found['reason']}")
    print(f"{found['readings']:.1f} readings, {found['seconds']:.1f} s ({found['cpu']:.1f} s of CPU)")
    print(f"peak of anonymous memory {found['peak'] / 1e6:.0f} MB: {found['peak'] / limit:.2f} of the limit")


if __name__ == "__main__":
    main()
