"""A directory while it is packed: whose it is, what was asked, and how far the work has come.

All that is not yet the data set lies in ``.packing``: the lock, what was learnt of columns, the state after the last
run that was written, the runs, and a line for each chunk. It goes when the manifest stands.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pragam.files.atomic import replacing
from pragam.files.locks import lock
from pragam.packed.layout import CHUNKS, COLUMNS, MANIFEST, WORK, naming
from pragam.packed.manifest import Chunk
from pragam.packed.runs import Run, path_of

_CHOOSE = "choose another directory"


@contextlib.contextmanager
def working(folder: Path, asked: Any) -> Iterator[Work]:
    """The work on a directory, which no other process does at the same time.

    ``asked`` is all that determines the result, as JSON: if an earlier process was asked for the same, its work is gone
    on with. It is None if nobody can say, as of an iterator. What is refused leaves nothing behind; what was
    interrupted, or met a full disk, stays if it can be gone on with. Once the manifest stands, nothing is removed.
    """
    is_new = not folder.exists()
    _check(folder)
    own = folder / WORK
    folder.mkdir(exist_ok=True)
    own.mkdir(exist_ok=True)
    with open(own / "lock", "ab") as stream:
        if lock(stream) is False or not _is_there(own / "lock", stream):
            raise ValueError(f"{folder}: is being packed by another process: wait for it, or {_CHOOSE}")
        _refuse_links(folder)
        work = Work(folder, asked)
        try:
            yield work
        except BaseException as error:
            if (asked is None or isinstance(error, ValueError)) and not (folder / MANIFEST).exists():
                _leave(folder, is_new)
            raise
        shutil.rmtree(own, ignore_errors=True)  # what another process has just put there harms nobody


class Work:
    """How far it has come."""

    def __init__(self, folder: Path, asked: Any) -> None:
        self.folder, self.own = folder, folder / WORK
        self._state, self._journal = self.own / "state.json", self.own / "chunks.jsonl"
        self._learnt = self.own / "learnt.json"
        self._asked = json.loads(json.dumps(asked))
        state = self._before()
        is_same = asked is not None and state.get("asked") == self._asked
        self.is_done = is_same and (folder / MANIFEST).exists()
        if (folder / MANIFEST).exists() and not is_same:
            shutil.rmtree(self.own)
            raise ValueError(_taken(folder))
        self.state: dict[str, Any] = state if is_same else {}
        if not is_same:
            _clear(folder)
        (folder / CHUNKS).mkdir(exist_ok=True)

    def save(self, **state: Any) -> None:
        """What is known and done now."""
        self.state = {"asked": self._asked, **state}
        with replacing(self._state) as stream:
            stream.write(json.dumps(self.state).encode())

    def keep(self, learnt: Any) -> None:
        """What was learnt of the columns of tables; in a file of its own, since it may be long and the state is not."""
        if not self.state:
            self.save()  # whose it is
        with replacing(self._learnt) as stream:
            stream.write(json.dumps(learnt).encode())

    def learnt(self) -> Any:
        """What ``keep`` was told last; None before."""
        return json.loads(self._learnt.read_bytes()) if self._learnt.exists() and self.state else None

    def runs(self, count: int) -> list[Run]:
        """The runs that were written."""
        return [Run.open(path_of(self.own, k)) for k in range(count)]

    def chunks(self) -> list[Chunk]:
        """The chunks that were written. A line that was cut off counts for nothing."""
        if not self._journal.exists():
            return []
        lines = self._journal.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        with replacing(self._journal) as stream:
            stream.writelines(whole)
        return [Chunk.of(json.loads(line)) for line in whole]

    def note(self, chunk: Chunk) -> None:
        """A chunk more."""
        with naming(self._journal), open(self._journal, "ab") as stream:
            stream.write(json.dumps(chunk.to_json()).encode() + b"\n")

    def _before(self) -> dict[str, Any]:
        try:
            found = json.loads(self._state.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _check(folder: Path) -> None:
    """Refuse what is no directory of ours."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"{folder}: is a file, and packed data are a directory: {_CHOOSE}")
    names = set(os.listdir(folder))
    if MANIFEST in names and WORK not in names:
        raise ValueError(_taken(folder))
    others = {name for name in names if not name.startswith(f".{MANIFEST}.")} - {WORK, CHUNKS, COLUMNS, MANIFEST}
    if others or (names and WORK not in names):
        raise ValueError(f"{folder}: is not empty, and no directory that was being packed: {_CHOOSE}")


def _is_there(path: Path, stream: BinaryIO) -> bool:
    """Whether the file is still the one that was opened: who held the lock before may have removed it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


def _refuse_links(folder: Path) -> None:
    """What an earlier process left has none; through one, files elsewhere would be written to."""
    for place in (folder, folder / WORK, folder / CHUNKS):
        if place.is_dir() and (links := [each.path for each in os.scandir(place) if each.is_symlink()]):
            raise ValueError(f"{links[0]}: is a link, and no packing makes one: {_CHOOSE}")


def _taken(folder: Path) -> str:
    return f"{folder}: has a {MANIFEST} already: pragam.open_packed opens it; remove the directory or {_CHOOSE}"


def _clear(folder: Path) -> None:
    """Remove what an earlier work left."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder / CHUNKS)
    (folder / COLUMNS).unlink(missing_ok=True)
    for path in (folder / WORK).iterdir():
        if path.name != "lock":
            path.unlink()


def _leave(folder: Path, is_new: bool) -> None:
    """As if nothing had been begun."""
    _clear(folder)
    shutil.rmtree(folder / WORK)
    if is_new:
        with contextlib.suppress(OSError):
            folder.rmdir()
