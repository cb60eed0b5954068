"""Ctrl-C in a real process, with a real signal: the solve returns its best point with its gap."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import pragam

rng = np.random.default_rng(0)
X = rng.standard_normal((30_000, 100))
y = np.where(X[:, 0] + 3 * rng.standard_normal(30_000) > 0, 1, -1)
problem = pragam.hinge(X, y, lam=1e-9, bias={bias})

def say_ready(progress):
    if progress.iteration == 1:
        print("ready", flush=True)

result = pragam.solve(problem, {solver!r}, tol=0.0, callback=say_ready)
print(result.status.name, result.certificate.relative_gap, flush=True)
assert pragam.certify(problem, result.w, result.alpha) == result.certificate
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", ["dcd", "pragam"])
def test_sigint_returns_the_best_point(solver, bias):
    program = PROGRAM.format(solver=solver, bias=bias)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "ready"
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=120)  # a hang, not a measure
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    status, gap = output.split()
    assert process.returncode == 0 and status == "INTERRUPTED"
    assert 0 < float(gap) <= 1
