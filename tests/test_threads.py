"""BLAS on one thread, and restored."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from pragam import threads
from pragam.threads import one_blas_thread


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
