"""What was measured, as a file that only grows: one JSON object a line, on the disk before the next measurement.

A process that is killed while it writes leaves a torn last line. It is not read, and it is cut off before the next
line is written. So no whole record is ever lost.
"""

from __future__ import annotations

import json
import os
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import IO, Any

#: Its name in the folder of a comparison.
NAME = "experiment.jsonl"

Record = dict[str, Any]


def read(path: Path) -> list[Record]:
    """All whole records."""
    return _whole(path.read_bytes(), path)[0]


class Journal:
    """The records so far, and a way to add one. One process at a time may have it open."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = open(path, "a+b")  # noqa: SIM115  it is closed by close
        try:
            _lock(self._file, path)
            self._file.seek(0)
            self.records, size = _whole(self._file.read(), path)
            self._file.truncate(size)
        except BaseException:
            self._file.close()
            raise

    def add(self, kind: str, **fields: Any) -> Record:
        """Write one record, which is on the disk when this returns."""
        record = {"type": kind, **fields}
        self._file.write((json.dumps(record, allow_nan=False) + "\n").encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.records.append(record)
        return record

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def finite(value: Any) -> Any:
    """The same for JSON, which has no NaN and no infinity: null."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _whole(content: bytes, path: Path) -> tuple[list[Record], int]:
    """The records of all whole lines, and how many bytes these are."""
    end = content.rfind(b"\n") + 1
    records: list[Record] = []
    for number, line in enumerate(content[:end].splitlines(), 1):
        try:
            record = json.loads(line)
            if not isinstance(record, dict) or "type" not in record:
                raise ValueError("not a record")
        except ValueError as error:
            raise ValueError(f"{path}, line {number} is damaged: {error}") from error
        records.append(record)
    return records, end


def _lock(file: IO[bytes], path: Path) -> None:
    """Refuse if another process writes here. The lock goes with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ValueError(f"{path.parent}: another comparison is writing there") from error
