"""How fast is each solver on the risks beside the hinge, and what does the choice of ``auto`` cost?

Generated problems of every risk, dense and sparse, at three accuracies: CPU milliseconds of every fast solver that
fits, its iterations, and the time of ``auto`` over the best of them, interleaved, the least of ``--repeats``. All times
include the certificates. What is not certified within ``--cap`` seconds is shown as "-".

    python benchmarks/other_risks.py [--risks NAME ...] [--size 1.0] [--repeats 3] [--cap 5]
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

SOLVERS = ("newton-dense", "newton", "dcd", "proximal-newton", "qp-bmrm")
TOLS = (1e-2, 1e-3, 1e-6)


def tables(size: float) -> dict[str, Any]:
    """Two data matrices: a table of 2000 x 20, and 5000 x 2000 sparse rows of unit length."""
    rng = np.random.default_rng(0)
    text = sparse.random_array((int(5000 * size), 2000), density=0.01, rng=rng, format="csr")
    lengths = np.sqrt(np.maximum(text.multiply(text).sum(axis=1), 1e-12))
    return {"table": rng.standard_normal((int(2000 * size), 20)), "text": sparse.diags_array(1 / lengths) @ text}


def risks(X: Any) -> dict[str, Callable[[], pragam.Problem]]:
    """Problems of every risk on these data, C = 1 in the sum form."""
    rng = np.random.default_rng(1)
    n, d = X.shape
    lam, scale = 1 / n, np.sqrt(X.shape[1] if d < 100 else 1.0)
    F = X @ rng.standard_normal((d, 5)) + 0.5 * scale * rng.standard_normal((n, 5))
    f, y = F[:, 0] / F[:, 0].std(), np.where(F[:, 0] > 0, 1, -1)
    levels, k = np.digitize(f, [-1.0, 0.0, 0.5]), F.argmax(axis=1)
    return {
        "squared_hinge": lambda: pragam.squared_hinge(X, y, lam),
        "smoothed_hinge": lambda: pragam.smoothed_hinge(X, y, lam),
        "epsilon_insensitive": lambda: pragam.epsilon_insensitive(X, f, lam),
        "quantile": lambda: pragam.quantile(X, f, lam, q=0.3),
        "ordinal_hinge": lambda: pragam.ordinal_hinge(X, levels, lam),
        "multiclass_hinge": lambda: pragam.multiclass_hinge(X, k, lam),
        "multilabel_hinge": lambda: pragam.multilabel_hinge(X, F > 0, lam),
    }


def timed(build: Callable[[], pragam.Problem], solver: str, tol: float, cap: float) -> tuple[float, pragam.Result]:
    problem = build()
    start = time.process_time()
    result = pragam.solve(problem, solver, tol=tol, max_seconds=cap)
    return time.process_time() - start, result


def row(build: Callable[[], pragam.Problem], tol: float, repeats: int, cap: float) -> list[str]:
    """The cells of one problem at one accuracy."""
    fitting = [name for name in SOLVERS if not pragam.solvers.by_name(name).missing(build())]
    best: dict[str, float] = {}
    results: dict[str, pragam.Result] = {}
    for _ in range(repeats):
        for name in (*fitting, "auto"):
            if name in results and not results[name].converged:
                continue
            seconds, results[name] = timed(build, name, tol, cap)
            best[name] = min(seconds, best.get(name, np.inf)) if results[name].converged else np.inf
    cells = [f"{1e3 * best[n]:.1f} ({results[n].n_iter})" if best.get(n, np.inf) < np.inf else "-" for n in SOLVERS]
    least = min(best[name] for name in fitting)
    ratio = f"{best['auto'] / least:.2f}" if least < np.inf else "-"
    return [*cells, f"{1e3 * best['auto']:.1f}", ratio, results["auto"].solver]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--risks", nargs="*", default=[])
    parser.add_argument("--size", type=float, default=1.0, help="of the data, relative to the sizes named above")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cap", type=float, default=5.0)
    args = parser.parse_args()
    rows = []
    with one_thread():
        for data, X in tables(args.size).items():
            for name, build in risks(X).items():
                if args.risks and name not in args.risks:
                    continue
                rows += [[name, data, f"{tol:g}", *row(build, tol, args.repeats, args.cap)] for tol in TOLS]
    show(
        "CPU milliseconds (iterations)", ["risk", "data", "tol", *SOLVERS, "auto", "auto/best", "auto ended with"], rows
    )


if __name__ == "__main__":
    main()
