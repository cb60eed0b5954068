"""Solves that are killed at their writings, as checkpoints meet it: without a process, and so as often as one likes."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from pragam.driver.checkpoint import keeper
from pragam.files import checkpoint_file


class Killed(BaseException):
    """The end of the process: after it nothing is written."""


@contextmanager
def dying(monkeypatch, after):
    """A process that writes at every chance, and is killed when it has written so often."""
    left, write = [after], checkpoint_file.write

    def counted(path, content):
        if left[0] <= 0:
            return
        write(path, content)
        left[0] -= 1
        if not left[0]:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(keeper, "_LEAST", 0.0)
        patch.setattr(keeper, "_SHARE", 0.0)
        patch.setattr("os.fsync", lambda descriptor: None)
        patch.setattr(checkpoint_file, "write", counted)
        yield


def lives(monkeypatch, run, after=2, most=10_000):
    """(what ``run()`` returns, how often it was killed) if it is killed after so many writings, each time anew."""
    for deaths in range(most):
        try:
            with dying(monkeypatch, after):
                return run(), deaths
        except Killed:
            continue
    raise AssertionError("it never ends")


def same_point(first, second):
    """Whether two dual points are equal to the bit, whatever their form."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second)
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(same_point, first, second))
    if hasattr(first, "__dict__"):
        return type(first) is type(second) and all(
            same_point(value, getattr(second, name)) for name, value in vars(first).items() if name in vars(second)
        )
    return first == second


def same_result(first, second):
    """Names of what differs between two results, seconds apart."""
    columns = ("iteration", "passes", "primal", "dual", "gap")
    equal = {
        "w": np.array_equal(first.w, second.w),
        "alpha": same_point(first.alpha, second.alpha),
        "certificate": first.certificate == second.certificate,
        "n_iter": first.n_iter == second.n_iter,
        "status": first.status is second.status,
        "solver": first.solver == second.solver,
        "n_screened": first.n_screened == second.n_screened,
        "reason": first.reason == second.reason,
        "history": all(np.array_equal(getattr(first.history, c), getattr(second.history, c)) for c in columns),
    }
    return [name for name, is_equal in equal.items() if not is_equal]
