"""Ctrl-C in a real process, with a real signal: the solve returns its best point with its gap."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pragam
from pragam import _kernels
from pragam.driver import turn
from pragam.runtime.interrupts import check, ended_by, listen
from pragam.structured import Labellings, Oracle, structured_hinge

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


class Countdown:
    """An end that comes when it has been asked for so often."""

    def __init__(self, questions):
        self.left = questions

    def is_set(self):
        self.left -= 1
        return self.left < 0


def in_another_thread(call, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *arguments).result()


def noisy(n, d, bias):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return pragam.hinge(X, np.where(X[:, 0] + 3 * rng.standard_normal(n) > 0, 1, -1), lam=1e-4, bias=bias)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("solver", ["auto", "dcd", "newton", "pragam", "qp-bmrm"])
def test_a_thread_may_be_ended_at_any_check(solver, bias):
    problem = noisy(3000, 40, bias)

    def solve(questions):
        with ended_by(Countdown(questions)):
            return pragam.solve(problem, solver, tol=0.0, stall=False)

    better = 0
    for questions in range(0, 60, 3):
        result = in_another_thread(solve, questions)
        assert result.status in (pragam.Status.INTERRUPTED, pragam.Status.ROUNDING)
        assert pragam.certify(problem, result.w, result.alpha) == result.certificate
        better += result.certificate.relative_gap < 1
    assert better > 0


@pytest.mark.skipif(not _kernels.compiled, reason="the twins do not look")
def test_a_long_kernel_ends_with_its_thread():
    """A kernel looks every 0.1 s. This one has 1e10 products to add, in more than a second anywhere."""
    n, d = 100, 1000
    arrays = np.ones(n * d), np.tile(np.arange(d, dtype=np.int32), n), np.arange(0, n * d + 1, d)
    rows = np.tile(np.arange(n), 200)
    gram = np.zeros(d * d)

    def run():
        with ended_by(Countdown(1)), listen() as signals, signals.raising:
            _kernels.get("csr_gram_add")(*arrays, rows, np.ones(len(rows)), d, gram, 1)

    with pytest.raises(KeyboardInterrupt):
        in_another_thread(run)


def test_an_end_reaches_its_own_thread_alone_and_no_certificate():
    problem = noisy(300, 5, False)

    def solve():
        with ended_by(Countdown(0)):
            inner = pragam.solve(problem, "newton", tol=1e-6)
            proof = pragam.certify(problem, np.ones(5))  # outside a solve nobody is ready for an interrupt
            check()
        return inner, proof, pragam.solve(problem, "newton", tol=1e-6)

    inner, proof, after = in_another_thread(solve)
    assert inner.status is pragam.Status.INTERRUPTED and np.isfinite(proof.primal)
    assert after.converged and pragam.solve(problem, "newton", tol=1e-6).converged
    with ended_by(Countdown(0)):  # the main thread has its signals
        assert pragam.solve(problem, "newton", tol=1e-6).converged


def test_a_solve_inside_a_callback_ends_with_the_one_around_it():
    problem, statuses = noisy(300, 5, False), []
    end = Countdown(10**9)

    def callback(progress):
        if progress.iteration == 3:
            end.left = 0
        statuses.append(pragam.solve(problem, "newton", tol=0.0, stall=False, max_iter=3).status)

    def solve():
        with ended_by(end):
            return pragam.solve(problem, "pragam", tol=0.0, stall=False, callback=callback)

    result = in_another_thread(solve)
    assert result.status is pragam.Status.INTERRUPTED and result.n_iter == 3
    assert statuses == [pragam.Status.MAX_ITER] * 2 + [pragam.Status.INTERRUPTED]


class Interrupting(Oracle):
    """The binary hinge loss. The call of ``argmax`` with this number sends SIGINT to the process."""

    def __init__(self, call):
        rng = np.random.default_rng(0)
        self.X, self.left, self.after = rng.standard_normal((40, 4)), call, 0
        self.y = np.where(self.X[:, 0] + rng.standard_normal(40) > 0, 1, -1)

    def argmax(self, i, w):
        self.left -= 1
        self.after += self.left < 0
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)
        return max((1, -1), key=lambda label: self.loss(i, label) + w @ self.features(i, label))

    def features(self, i, label):
        return label * self.X[i] / 2

    def loss(self, i, label):
        return float(label != self.y[i])

    def truth(self, i):
        return int(self.y[i])


@pytest.mark.parametrize("call", range(81, 400, 7))
def test_a_certificate_that_takes_long_is_given_up_after_a_signal(call, monkeypatch):
    """In a step or in a certificate: no further example is asked for, and the answer is what was certified. The first
    80 calls are those of the certificates of the start, which nothing breaks."""
    monkeypatch.setattr(turn, "_GRACE", 0.0)
    oracle = Interrupting(call)
    problem = structured_hinge(oracle, 40, 4, lam=0.1)
    result = pragam.solve(problem, "qp-bmrm", tol=0.0, start=Labellings.of(tuple(oracle.y.tolist())))
    assert result.status is pragam.Status.INTERRUPTED and oracle.after == 0
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_a_certified_proposal_the_last_certificate_is_waited_for(monkeypatch):
    monkeypatch.setattr(turn, "_GRACE", 0.0)
    problem = structured_hinge(Interrupting(100), 40, 4, lam=0.1)
    result = pragam.solve(problem, "block-ascent", tol=0.0)
    assert result.status is pragam.Status.INTERRUPTED and result.certificate.dual > 0
