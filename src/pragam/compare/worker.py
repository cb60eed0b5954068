"""A process in which measurements are made, one at a time: ``python -m pragam.compare.worker``.

Each line on standard input is a task, ``{"task": name, ...arguments}``. Each is answered by a line on standard output,
``{"answer": ...}`` or ``{"error": sentence}``. When the input ends, so does the process, whatever it is doing: nobody
waits for it any more.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from pragam.compare.journal import finite


class Desk:
    """The tasks. ``open`` puts a competitor on the bench for those after it."""

    def __init__(self) -> None:
        self._bench: Any = None

    def prepare(self, **arguments: Any) -> Any:
        from pragam.compare.bench import prepare

        return prepare(**arguments)

    def inspect(self, file: str) -> Any:
        from pragam.compare.competitors import inspect

        return [asdict(each) for each in inspect(Path(file))]

    def reference(self, folder: str, problem: str, lam: float, tol: float, max_seconds: float) -> Any:
        from pragam.compare.bench import Bench

        return Bench(folder, problem, lam).reference(tol, max_seconds)

    def unfit(self, folder: str, problem: str, lam: float, solvers: list[str]) -> Any:
        from pragam.compare.bench import Bench

        return Bench(folder, problem, lam).unfit(solvers)

    def open(self, **arguments: Any) -> Any:
        from pragam.compare.bench import bench_of

        self._bench = bench_of(**arguments)
        return self._bench.ready

    def clocked(self, **arguments: Any) -> Any:
        return self._measured(self._bench.clocked(**arguments))

    def traced(self, **arguments: Any) -> Any:
        return self._measured(self._bench.traced(**arguments))

    def fit(self, **arguments: Any) -> Any:
        return self._measured(self._bench.fit(**arguments))

    @staticmethod
    def _measured(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "peak_memory": peak_memory()}


def peak_memory() -> int | None:
    """The most memory that this process has had, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def answered(task: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer of a task, or the sentence that says why there is none."""
    try:
        return {"answer": finite(task(**arguments))}
    except Exception as error:
        words = " ".join(str(error).split())
        kind = "" if isinstance(error, ValueError | OSError) and words else type(error).__name__
        return {"error": ": ".join(filter(None, [kind, words]))}


def main() -> None:
    """Answer tasks until the input ends."""
    warnings.simplefilter("ignore")
    answers = _private_output()
    tasks: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(tasks,), daemon=True).start()
    desk = Desk()
    while True:
        task = json.loads(tasks.get())
        answers.write(json.dumps(answered(getattr(desk, task.pop("task")), task), allow_nan=False) + "\n")
        answers.flush()


def _private_output() -> TextIO:
    """Standard output for us alone: what a package prints goes to the standard error."""
    private = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(private, "w", encoding="utf-8")


def _read(tasks: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
