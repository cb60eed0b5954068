"""How do time and memory grow with the rows, the columns, the entries and 1/lambda, each ten times larger at a time?

Every point is a process of its own, which loads X from a file, notes its resident memory, solves, and notes the peak.
Prints CPU seconds to the certified gap, the ratio to the point before (the target for ten times the rows is at most
12), and the memory that the solve added at its peak, as a multiple of the bytes of X. Linux only, for /proc.

    python benchmarks/growth.py [--tol 1e-6] [--repeats 3] [--quick]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

import pragam
from _common import one_thread
from _peers import machine, text

#: What grows: (rows, columns, entries a row, lambda) at each point, the largest last.
SERIES: dict[str, list[tuple[int, int, int, float]]] = {
    "rows, few columns": [(n, 100, 10, 1e-4) for n in (2_000, 20_000, 200_000)],
    "rows, many columns": [(n, 20_000, 20, 1e-4) for n in (2_000, 20_000, 200_000)],
    "columns": [(20_000, d, 20, 1e-4) for d in (1_000, 10_000, 100_000, 1_000_000)],
    "entries": [(20_000, 20_000, k, 1e-4) for k in (4, 40, 400)],
    "1/lambda": [(20_000, 20_000, 20, lam) for lam in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)],
    "1/lambda, few columns": [(20_000, 100, 10, lam) for lam in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)],
}


def resident(field: str) -> int:
    """VmRSS, the resident memory of this process in bytes, or VmHWM, its peak. (The peak of getrusage will not do: a
    child inherits that of the process which started it, here one that has made a larger X.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def measure(folder: Path, lam: float, tol: float, repeats: int) -> dict[str, float]:
    """In the child: solve what the folder holds. The arrays are read straight into place, so nothing before the solve
    has a peak above X itself and the interpreter."""
    pragam.solve(pragam.hinge(*text(200, 50, 5), lam), tol=tol)  # imports, and the memory they need
    shape, y = tuple(np.load(folder / "shape.npy")), np.load(folder / "y.npy")
    X = sparse.csr_array(tuple(np.load(folder / f"{part}.npy") for part in ("data", "indices", "indptr")), shape=shape)
    before, best = resident("VmRSS"), np.inf
    for _ in range(repeats):
        start = time.process_time()
        problem = pragam.hinge(X, y, lam, bias=False)
        result = pragam.solve(problem, tol=tol)
        best = min(best, time.process_time() - start)
    gap = pragam.certify(problem, result.w, result.alpha).relative_gap
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return {"seconds": best, "memory": (resident("VmHWM") - before) / size, "gap": gap}


def point(n: int, d: int, per_row: int, lam: float, tol: float, repeats: int) -> dict[str, float]:
    """Write the data and measure in a fresh process."""
    X, y = text(n, d, per_row)
    with tempfile.TemporaryDirectory() as folder:
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "y": y}
        for name, array in parts.items():
            np.save(Path(folder) / f"{name}.npy", array)
        command = [sys.executable, __file__, "--child", folder, str(lam), "--tol", str(tol), "--repeats", str(repeats)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--series", nargs="+", choices=SERIES, default=list(SERIES), metavar="NAME", help=f"out of {', '.join(SERIES)}")
    add("--tol", type=float, default=1e-6)
    add("--repeats", type=int, default=3)
    add("--quick", action="store_true", help="without the largest point of each")
    add("--child", nargs=2, metavar=("FOLDER", "LAM"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        with one_thread():
            print(json.dumps(measure(Path(options.child[0]), float(options.child[1]), options.tol, options.repeats)))
        return
    console = Console()
    table = Table("grows", "n", "d", "a row", "lambda", "certified", "ms", "ratio", "memory / X", title=machine())
    with console.status("") as status:
        for name in options.series:
            last = None
            for n, d, per_row, lam in SERIES[name][: -1 if options.quick else None]:
                status.update(f"{name}: {n} x {d}, {per_row} a row, lambda {lam:g}")
                found = point(n, d, per_row, lam, options.tol, options.repeats)
                ratio = "" if last is None else f"{found['seconds'] / last:.1f}"
                last = found["seconds"]
                table.add_row(
                    name, str(n), str(d), str(per_row), f"{lam:g}", f"{found['gap']:.1e}", f"{1e3 * last:.1f}", ratio,
                    f"{found['memory']:.2f}",
                )  # fmt: skip
    console.width = max(console.width, 110)
    console.print(table)


if __name__ == "__main__":
    main()
