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


SEVERAL = """
import os, signal, threading, time
import numpy as np
import pragam

rng = np.random.default_rng(0)
X = rng.standard_normal((2000, 20))
y = np.where(X[:, 0] + 3 * rng.standard_normal(2000) > 0, 1, -1)
problem = pragam.hinge(X, y, lam=1e-9)
is_inside = threading.Event()
lock = threading.Lock()

def send(gaps):
    while is_inside.is_set() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0)
    for gap in gaps:
        time.sleep(gap)
        with lock:
            if not is_inside.is_set():
                return
            os.kill(os.getpid(), signal.SIGINT)

for _ in range({runs}):
    sender = threading.Thread(target=send, args=(0.02 * rng.random(4) ** 4,))
    is_inside.set()
    sender.start()
    result = pragam.solve(problem, {solver!r}, tol=0.0, stall=False)
    with lock:
        is_inside.clear()
    assert result.status in (pragam.Status.INTERRUPTED, pragam.Status.ROUNDING), result
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    sender.join()
print("done")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("solver", ["auto", "dcd", "newton", "pragam", "qp-bmrm"])
def test_several_signals_break_nothing(solver):
    """They come during the start, the first certificate, a step, the last word: at any moment of a solve."""
    program = SEVERAL.format(solver=solver, runs=20)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stderr
