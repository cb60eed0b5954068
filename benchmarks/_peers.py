"""What the comparisons share: the problems, the competitors, and a process for each of them with a CPU clock.

A competitor is a function ``make(X, y, lam, bias) -> fit`` with ``fit(tol) -> (w, alpha or None)``. The peers are those
of ``pragam.compare.peers``. One that is not installed is found when it is asked for. Formats that a package insists on
are made before the clock starts. All solve J(w) = lam/2 |w|^2 + (1/n) sum of hinge losses, which in the sum form is
C = 1/(lam n). The processes are forked and watched through /proc: Linux only.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

import _common  # noqa: F401  it finds the data beside the checkout
import pragam
from pragam.compare.machine import processor
from pragam.compare.peers import Peer, by_name, is_installed, names
from pragam.datasets import load_named, paper_lambda

Data = tuple[Any, np.ndarray]
Answer = tuple[Any, Any]
Fit = Callable[[float], Answer]
Maker = Callable[[Any, np.ndarray, float, bool], Fit]

#: No iteration limit of a peer shall end its fit: its tolerance or the cap does. SVC counts single steps.
MAX_ITER, MAX_STEPS = 200_000, 10**9
#: The tolerances offered to a peer, from loose to tight.
SWEEP = 10.0 ** -np.arange(0, 10.25, 0.5)
#: A fit is repeated until so many seconds were measured, but not more often than this.
ENOUGH, MOST = 0.1, 10
#: Tight enough that the warm-up compiles every function of a peer that needs compiling.
WARM_UP_TOL = 1e-4


# ---------------------------------------------------------------- problems


def text(n: int, d: int, per_row: int, seed: int = 0) -> Data:
    """Unit rows of about ``per_row`` words, word j of frequency 1/(j + 10), labels of a sparse model with 5 % noise."""
    rng = np.random.default_rng(seed)
    words = np.floor(10 * ((d / 10 + 1) ** rng.random((n, per_row)) - 1)).astype(np.int32)  # inverts the integral
    indptr = np.arange(n + 1, dtype=np.int32) * per_row  # scikit-learn takes no int64 here
    X = sparse.csr_array((np.ones(n * per_row), words.ravel(), indptr), shape=(n, d))
    X.sum_duplicates()
    X.data = (1 + np.log(X.data)) * np.log1p(X.indices / 10.0 + 1)  # as tf-idf: rare words count more
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr))
    score: Any = X @ (rng.standard_normal(d) * (rng.random(d) < 0.2))
    return X, np.where(rng.random(n) < 0.05, -1.0, 1.0) * np.where(score > np.median(score), 1.0, -1.0)


def gaussian(n: int, d: int, noise: float, seed: int = 0) -> Data:
    """Dense Gaussian rows, labels of a linear model whose scores get ``noise`` times their own deviation."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    score = X @ rng.standard_normal(d)
    return X, np.where(score + noise * score.std() * rng.standard_normal(n) > 0, 1.0, -1.0)


def _named(name: str) -> Callable[[], Data]:
    return lambda: load_named(name)


#: name: (loader, lam); lam is the paper's where it gives one, else 2^-12; but C is about 1 for the synthetic texts,
#: which at 2^-12 are solved by the upper corner of the box.
SETS: dict[str, tuple[Callable[[], Data], float]] = {
    **{name: (_named(name), paper_lambda(name)) for name in ("a9a", "w8a", "covtype", "news20-bow", "news20-bigram")},
    **{name: (_named(name), 2.0**-12) for name in ("rcv1-small", "german.numer_scale", "splice", "mnist-odd-even")},
    "text": (lambda: text(50_000, 50_000, 80), 2.0**-16),
    "wide": (lambda: text(16_000, 1_300_000, 450), 2.0**-14),
    "gaussian": (lambda: gaussian(5_000, 500, 0.5), 2.0**-12),
    "issue-22283": (lambda: gaussian(1_000, 300, 1.0), 1e-3),
}


def loaded(names: Sequence[str]) -> Iterator[tuple[str, Any, np.ndarray, float]]:
    """(name, X, y, lam) of the named sets; those whose files are absent are skipped, with a word."""
    for name in names:
        load, lam = SETS[name]
        try:
            X, y = load()
        except FileNotFoundError as error:
            print(f"skipped: {error}", file=sys.stderr)
            continue
        yield name, X, y, lam


# ------------------------------------------------------------- competitors


def ours(X: Any, y: np.ndarray, lam: float, bias: bool) -> Fit:
    """pragam's default, the building of the problem included."""

    def fit(tol: float) -> Answer:
        result = pragam.solve(pragam.hinge(X, y, lam, bias=bias), "auto", tol=tol)
        return result.w, result.alpha

    return fit


def by_tolerance(peer: Peer) -> Maker:
    """A peer of the package, ended by its tolerance alone."""

    def make(X: Any, y: np.ndarray, lam: float, bias: bool) -> Fit:
        if not is_installed(peer):
            raise ImportError(f"no {peer.package}")
        rows, labels = peer.convert(X, y)
        limit = MAX_STEPS if peer.name == "svc" else MAX_ITER
        return lambda tol: (peer.fit(rows, labels, lam, bias, limit, tol).w, None)

    make.__name__ = peer.name
    return make


def plain_loop(X: Any, y: np.ndarray, lam: float, bias: bool) -> Fit:
    """Dual coordinate descent as anybody would write it for dense data, compiled by numba (a dependency of no other).

    Cyclic order, w kept up to date, the end when no gradient of an epoch exceeds the tolerance. It may reorder sums and
    makes its rows contiguous, so it is as fast as such a loop can be. It has no bias, no certificate and no shrinking.
    """
    from numba import njit  # type: ignore[import-not-found]

    if bias or sparse.issparse(X):
        raise ValueError("the plain loop is for dense data without a bias")

    @njit(fastmath=True)
    def descend(X: Any, y: Any, C: float, tol: float, alpha: Any, w: Any) -> None:
        n, d = X.shape
        for _ in range(MAX_ITER):
            largest = 0.0
            for i in range(n):
                score, length2 = 0.0, 0.0
                for j in range(d):
                    score += X[i, j] * w[j]
                    length2 += X[i, j] * X[i, j]
                slope = 1.0 - y[i] * score
                moved = min(max(alpha[i] + slope / max(length2, 1e-300), 0.0), C)
                if moved != alpha[i]:
                    largest = max(largest, abs(slope))
                    for j in range(d):
                        w[j] += (moved - alpha[i]) * y[i] * X[i, j]
                    alpha[i] = moved
            if largest <= tol:
                return

    def fit(tol: float) -> Answer:
        C, alpha, w = 1 / (lam * len(y)), np.zeros(X.shape[0]), np.zeros(X.shape[1])
        descend(np.ascontiguousarray(X), y, C, tol, alpha, w)
        return w, lam * alpha

    return fit


#: Those of the package, except SGD, whose fits have no tolerance; and the plain loop.
PEERS: dict[str, Maker] = {
    **{name: by_tolerance(by_name(name)) for name in names() if name != "sgd"},
    "plain-loop": plain_loop,
}


# ------------------------------------------------------------------- clock


class Timed(NamedTuple):
    """One fit: CPU seconds and what it found."""

    seconds: float
    w: np.ndarray
    alpha: Any


class Runner:
    """A competitor on one problem, in a process of its own on one thread, which we end when a fit takes more than
    ``cap`` seconds of CPU. ``prepare`` makes its fit there, off the clock."""

    def __init__(self, prepare: Callable[[], Fit], cap: float, name: str = "a competitor") -> None:
        self._prepare, self._cap, self._name = prepare, cap, name
        self._process: Any = None

    @classmethod
    def on(cls, make: Maker, X: Any, y: np.ndarray, lam: float, bias: bool, cap: float) -> Runner:
        """Of a hinge risk. A fit on a few rows first keeps imports and compilation off the clock."""

        def prepare() -> Fit:
            few = np.concatenate([np.flatnonzero(y > 0)[:20], np.flatnonzero(y <= 0)[:20]])
            make(X[few], y[few], 1.0, bias)(WARM_UP_TOL)
            return make(X, y, lam, bias)

        return cls(prepare, cap, make.__name__)

    def fit(self, tol: float) -> Timed | None:
        """None if the cap came first. An ImportError of the competitor, or RuntimeError for any other, is raised."""
        if self._process is None:
            self._start()
        begin = _cpu_seconds(self._process.pid)
        self._pipe.send(tol)
        while not self._pipe.poll(0.02):
            if _cpu_seconds(self._process.pid) - begin > self._cap:
                self.close()
                return None
        fit = self._receive()
        return fit if fit.seconds <= self._cap else None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> None:
        fork: Any = multiprocessing.get_context("fork")  # the child shares X with us
        self._pipe, theirs = fork.Pipe()
        self._process = fork.Process(target=_serve, args=(theirs, self._prepare), daemon=True)
        self._process.start()
        theirs.close()
        self._receive()  # it is ready

    def _receive(self) -> Any:
        try:
            answer = self._pipe.recv()
        except (EOFError, ConnectionResetError):
            answer = RuntimeError(f"the process of {self._name} died")
        if isinstance(answer, Exception):
            self.close()
            raise answer
        return answer


def _serve(pipe: Any, prepare: Callable[[], Fit]) -> None:
    """In the child: fit at each tolerance that comes, until it is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    warnings.simplefilter("ignore")
    os.environ["PRAGAM_NUM_THREADS"] = "1"
    try:
        fit = prepare()
        pipe.send("ready")
        with threadpool_limits(1):
            while True:
                pipe.send(_timed(fit, pipe.recv()))
    except ImportError as error:
        pipe.send(error)
    except EOFError:  # the parent is gone
        return
    except Exception as error:  # of a type of the package's own, perhaps, which would not survive the pipe
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _timed(fit: Fit, tol: float) -> Timed:
    """The least time of several fits if they are short: one alone, after a pause, tells of cold caches."""
    times: list[float] = []
    while not times or (sum(times) < ENOUGH and len(times) < MOST):
        start = time.process_time()
        w, alpha = fit(tol)
        times.append(time.process_time() - start)
    return Timed(min(times), np.ravel(w), alpha)


def _cpu_seconds(pid: int) -> float:
    """Of another process. (A CPU timer or limit in the process itself would end it as well, but while the kernel has
    one to watch, time.process_time() of that process advances in ticks of milliseconds.)"""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine() -> str:
    """The processor, the number of cores, and the versions that matter."""
    versions = f"pragam {pragam.__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores; {versions}"
