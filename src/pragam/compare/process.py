"""A worker process as its parent sees it: ask, wait up to a cap, and end it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import IO, Any

#: Each sets how many threads some library uses.
_THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS", "PRAGAM_NUM_THREADS",
)  # fmt: skip


class LostError(Exception):
    """There is no answer. The message is a sentence for the user."""


class Worker:
    """One process on so many threads. ``with`` it: it is ended at the end of the block, whatever it does then.

    It is in a session of its own, so that Ctrl-C reaches the parent alone, which then decides.
    """

    def __init__(self, threads: int, data_dir: str | None = None) -> None:
        environment = {**os.environ, **dict.fromkeys(_THREADS, str(threads)), "PYTHONSAFEPATH": "1"}
        if data_dir is not None:
            environment["PRAGAM_DATA"] = data_dir
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  it is closed by close
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pragam.compare.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, env=environment, start_new_session=True, text=True, encoding="utf-8",
        )  # fmt: skip
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, task: str, cap: float, **arguments: Any) -> Any:
        """The answer to a task. LostError if it fails, dies or takes more than ``cap`` seconds; a lost worker ends."""
        assert self._process.stdin is not None
        try:
            print(json.dumps({"task": task, **arguments}), file=self._process.stdin, flush=True)
            line = self._answers.get(timeout=cap)
        except queue.Empty:
            self.close()
            raise LostError(f"It took more than {cap:.0f} s and was ended.") from None
        except BrokenPipeError:
            line = ""
        if not line:
            raise LostError(self._last_words())
        answer = json.loads(line)
        if "error" in answer:
            raise LostError(answer["error"])
        return answer["answer"]

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked again: after an error it can, after a death or a cap it cannot."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")  # it is gone

    def _last_words(self) -> str:
        code = self._process.wait()
        cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"Its process died ({cause})" + (f": {lines[-1].strip()[:200]}" if lines else ".")
