"""Budgets, callbacks and Ctrl-C: however a solve ends, it returns its best model and a proof of how good it is."""

import os
import signal
import threading

import numpy as np

import pragam

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 200))
y = np.where(X @ rng.standard_normal(200) + 10 * rng.standard_normal(20_000) > 0, 1, -1)
problem = pragam.hinge(X, y, lam=1e-4)


def report(what: str, result: pragam.Result) -> None:
    print(f"{what}:\n    {result.status}")
    print(f"    relative gap {result.certificate.relative_gap:.1e} after {result.n_iter} iterations")


# A slow solver, chosen on purpose. The default one would need no budget here.
slow = {"solver": "pragam", "tol": 1e-12}
result = pragam.solve(problem, **slow, max_seconds=1)
report("One second at most", result)
assert result.status is pragam.Status.MAX_SECONDS


def good_enough(progress: pragam.Progress) -> bool:
    """Called after each iteration with the best certificate so far. Returning True stops the solve."""
    return progress.certificate.relative_gap < 0.1


first = pragam.solve(problem, **slow, callback=good_enough)
report("Until a callback is content", first)
assert first.status is pragam.Status.STOPPED

# Ctrl-C after one second: the same signal that the keyboard sends.
timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
timer.start()
result = pragam.solve(problem, **slow, start=first)
report("From there on until Ctrl-C", result)
assert result.status is pragam.Status.INTERRUPTED

# The best primal and the best dual point are kept separately, so neither bound can get worse.
assert (np.diff(result.history.primal) <= 0).all() and (np.diff(result.history.dual) >= 0).all()
