"""Threads: the same bits on any number of them, one by default and in workers, BLAS on one and restored."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

import pragam
from pragam import _kernels
from pragam._kernels import twins
from pragam.runtime import threads
from pragam.runtime.threads import n_threads, one_blas_thread, using

THREADS = [2, 3, 8]
MANY = 3 << 20  # entries: enough for eight threads


def csr(rng, n, d, longest):
    lengths = rng.integers(0, longest + 1, n)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return rng.standard_normal(indptr[-1]), rng.integers(0, d, indptr[-1]).astype(np.int32), indptr


def products(X, n, d, rng):
    """Name -> a call with a number of threads that returns its output: the products that can use several."""
    w, alpha, W = rng.standard_normal(d), rng.standard_normal(n), rng.standard_normal((d, 8))
    dense = rng.standard_normal((n, 50)).astype(np.float32)
    rows = np.arange(0, n, 2)
    ends = np.concatenate([[0], np.cumsum(np.diff(X[2])[rows])])
    copy = np.empty(ends[-1]), np.empty(ends[-1], X[1].dtype)

    def call(kernel, *arguments, shape):
        def run(count):
            out = np.full(shape, np.nan)
            kernel(*arguments, out, count)
            return out

        return run

    def taken(count):
        _kernels.get("csr_take")(*X, rows, *copy, ends, count)
        return np.concatenate(copy)

    def norms(count):
        out = np.empty(n), np.empty(n)
        most = _kernels.get("csr_row_norms2")(*X, d, *out, count)
        return np.concatenate([*out, [most]])

    return {
        "csr_take": taken,
        "csr_row_norms2": norms,
        "dense_row_norms2": call(_kernels.get("dense_row_norms2"), dense, shape=n),
        "dense_take": call(_kernels.get("dense_take"), dense, rows, shape=len(rows) * 50),
        "dense_matvec, sums over rows": call(_kernels.get("dense_matvec"), dense.T, alpha, shape=50),
        "csr_matvec": call(_kernels.get("csr_matvec"), *X, alpha, w, shape=n),
        "csr_rmatvec": call(_kernels.get("csr_rmatvec"), *X, alpha, alpha, shape=d),
        "csr_matmat": call(_kernels.get("csr_matmat"), *X, W, shape=(n, 3)),
        "dense_matvec, by row": call(_kernels.get("dense_matvec"), dense, w[:50], shape=n),
        "dense_matvec, by column": call(_kernels.get("dense_matvec"), np.asfortranarray(dense), w[:50], shape=n),
    }


@pytest.mark.parametrize(
    "n, d, longest", [(100_000, 60, 70), (130_000, 3_000, 60), (90_000, 100_000, 80), (100, 60, 20)]
)
def test_the_bits_do_not_depend_on_the_number_of_threads(n, d, longest):
    rng = np.random.default_rng(0)
    X = csr(rng, n, d, longest)
    assert n == 100 or X[2][-1] > MANY
    for name, run in products(X, n, d, rng).items():
        for count in THREADS:
            np.testing.assert_array_equal(run(count), run(1), err_msg=name)


@pytest.mark.parametrize("position", [0, 1_700_001, (3 << 20) - 1])
def test_the_first_fault_is_found_on_any_number_of_threads(position):
    data, indices, indptr = np.ones(MANY), np.zeros(MANY, np.int32), np.arange(0, MANY + 1, 3)
    indices[position], data[-1] = 7, np.nan
    fault = 4, position // 3, position
    assert all(_kernels.get("csr_check")(data, indices, indptr, 7, count) == fault for count in (1, *THREADS))


@pytest.mark.parametrize("is_dense", [False, True])
@pytest.mark.parametrize("solver", ["newton", "dcd", "pragam"])
def test_a_solve_gives_the_same_bits_on_any_number_of_threads(monkeypatch, solver, is_dense):
    rng = np.random.default_rng(2)
    n, d = 70_000, 60
    X = sparse.csr_array(csr(rng, n, d, 100), shape=(n, d))
    assert X.nnz > MANY
    X = X.toarray() if is_dense else X
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1, -1)
    answers = []
    for count in [1, *THREADS]:
        monkeypatch.setenv("PRAGAM_NUM_THREADS", str(count))
        result = pragam.solve(pragam.hinge(X, y, lam=1e-3), solver, tol=1e-3, max_iter=20)
        answers.append((result.w.tobytes(), result.alpha.tobytes(), result.certificate))
    assert answers == [answers[0]] * len(answers)


@pytest.mark.parametrize("count", [1, *THREADS])
def test_sums_over_parts_of_the_rows_add_up_to_the_twin(count):
    """Integers make every sum exact, whatever its order; some 36,000 entries a column make several parts."""
    rng = np.random.default_rng(1)
    n, d = 130_000, 90
    data, indices, indptr = csr(rng, n, d, 50)
    assert len(data) > MANY
    data, alpha = rng.integers(-8, 9, len(data)).astype(np.float32), rng.integers(-3, 4, n).astype(float)
    mine, theirs = np.full(d, np.nan), np.full(d, np.nan)
    _kernels.get("csr_rmatvec")(data, indices, indptr, None, alpha, mine, count)
    twins.csr_rmatvec(data, indices, indptr, None, alpha, theirs)
    np.testing.assert_array_equal(mine, theirs)


class AlarmError(Exception):
    pass


@pytest.mark.skipif(not _kernels.compiled or not hasattr(signal, "setitimer"), reason="needs the extension and a timer")
def test_a_signal_ends_a_loop_on_several_threads():
    def ring(*_):
        raise AlarmError

    X = np.broadcast_to(np.ones(2500), (4_000_000, 2500))  # one row in memory, a long loop
    out = np.full(len(X), np.nan)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(AlarmError):
            _kernels.get("dense_matvec")(X, np.ones(2500), out, 3)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert np.count_nonzero(out == 0) > 0  # not yet done
    assert set(np.unique(out)) <= {0.0, 2500.0}


@pytest.mark.parametrize(
    "ours, omp, processors, wanted",
    [(None, None, 1, 1), (None, None, 2, 2), (None, None, 64, 2), (None, "1", 8, 1), (None, "4", 8, 4),
     (None, "4,2", 8, 2), (None, "", 8, 2), ("3", "1", 8, 3), ("3", None, 1, 3), ("1", "4", 8, 1)],
)  # fmt: skip
def test_two_threads_unless_asked(monkeypatch, ours, omp, processors, wanted):
    monkeypatch.setattr(threads, "_processors", lambda: processors)
    for name, value in (("PRAGAM_NUM_THREADS", ours), ("OMP_NUM_THREADS", omp)):
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    assert n_threads() == wanted


def test_the_processors_are_those_that_the_process_may_use():
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert threads._processors() == available


@pytest.mark.parametrize("wrong", ["", "0", "-2", "two", "1.5"])
def test_a_wrong_number_is_named(monkeypatch, wrong):
    monkeypatch.setenv("PRAGAM_NUM_THREADS", wrong)
    for use in (n_threads, threads.one_blas_thread):
        with pytest.raises(ValueError, match=f"PRAGAM_NUM_THREADS is '{wrong}'"):
            use()


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_one_thread_in_workers(monkeypatch, backend):
    monkeypatch.setenv("PRAGAM_NUM_THREADS", "3")
    assert Parallel(n_jobs=2, backend=backend)(delayed(n_threads)() for _ in range(2)) == [1, 1]
    assert n_threads() == 3


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture(params=["direct", "threadpoolctl"])
def way(request, monkeypatch):
    """Both ways of telling BLAS: the second is for builds where the first finds nothing."""
    if request.param == "threadpoolctl":
        monkeypatch.setattr(threads, "_openblas_counts", lambda: None)
    elif threads._openblas_counts() is None:
        pytest.skip("numpy or scipy is not linked to OpenBLAS")


@pytest.mark.usefixtures("way")
def test_blas_runs_on_one_thread_inside_and_as_before_outside():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(RuntimeError, match="inside"), one_blas_thread():
            assert set(blas_threads()) == {1}
            with one_blas_thread():
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {1}
            raise RuntimeError("inside")
        assert blas_threads() == before
        assert set(before) == {2} or os.cpu_count() == 1


def test_overlapping_contexts_restore_at_the_end_of_the_last():
    if threads._openblas_counts() is None:
        pytest.skip("numpy or scipy is not linked to OpenBLAS")
    entered, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            entered.set()
            leave.wait()

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(1) as pool:
        before = blas_threads()
        first = one_blas_thread()
        first.__enter__()
        second = pool.submit(other)
        entered.wait()
        first.__exit__(None, None, None)
        inside = blas_threads()
        leave.set()
        second.result()
        assert set(inside) == {1} and blas_threads() == before


def test_a_caller_may_choose_the_number_for_what_it_calls():
    before = n_threads()
    with using(5):
        assert n_threads() == 5 and n_threads(10) == 1
        with using(None):
            assert n_threads() == 5
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(n_threads).result() == 1
    assert n_threads() == before
