"""How much memory solves on packed data take, each beside what is said: python solve_peaks.py FOLDER SOLVER.

Run as a process of its own. What other tests have left in theirs (threads, caches, garbage that Python finds later the
more objects there are) is then neither counted nor in the way.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from scipy import sparse

import pragam
from pragam.driver.expectation import vectors_of

POSED = {
    "hinge": lambda X, t, **more: pragam.hinge(X, lam=1e-3, **more),
    "weighted hinge": lambda X, t, **more: pragam.hinge(X, lam=1e-3, sample_weight=1 + t**2, **more),
    "standardised hinge": lambda X, t, **more: pragam.hinge(X, lam=1e-3, standardize=True, **more),
    "squared hinge": lambda X, t, **more: pragam.squared_hinge(X, lam=1e-3, **more),
    "smoothed hinge": lambda X, t, **more: pragam.smoothed_hinge(X, lam=1e-3, **more),
    "tube": lambda X, t, **more: pragam.epsilon_insensitive(X, t, lam=1e-2, **more),
    "quantile": lambda X, t, **more: pragam.quantile(X, t, lam=1e-2, q=0.3, **more),
}


def rows(n, d, store):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)).astype(np.float32)
    return store(X), np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)


def solve_peak(folder, solver, name, bias, n=60_000):
    """(gap, peak, memory, what is said of vectors), of one solve, in bytes."""
    X, y = rows(n, 10, sparse.csr_array if name in ("hinge", "tube") else np.asarray)
    packed, targets = pragam.pack([(X, y)], folder, chunk_bytes=2**15), X[:, [0]] + y[:, None]
    targets = np.asarray(targets.todense() if sparse.issparse(targets) else targets, dtype=np.float64).ravel()
    memory = 0.2 * packed.bytes
    with peak_memory() as peak:
        problem = POSED[name](packed, targets, bias=bias)
        found = pragam.solve(problem, solver, tol=1e-3, memory=memory, max_iter=30)
    return found.certificate.gap, peak.bytes, memory, 8 * vectors_of(problem, solver) * problem.Q.size


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from peaks import peak_memory

    where, method = Path(sys.argv[1]), sys.argv[2]
    cases = [(name, bias) for name in POSED for bias in (True, False)]
    for k, case in enumerate(cases):  # what is loaded at first use belongs to no solve
        solve_peak(where / f"first-{k}", method, *case, n=3000)
    print(json.dumps([(*case, *solve_peak(where / f"{k}", method, *case)) for k, case in enumerate(cases)]))
