"""The file of a checkpoint, whatever it is of: a container with what it belongs to, tensors, and JSON beside them.

    {"format": "pragam-checkpoint", "version": 1, "kind": "solve", "belongs": {...}, "meta": {...}, "sha256": "..."}

``belongs`` says what it was made with, by name: fingerprints of data, the version of pragam, settings. The sum is that
of all else, tensors included: a bit that has changed on the disk is noticed. Nothing in a file is executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.files import container
from pragam.files.fields import fields_of
from pragam.files.locks import lock

FORMAT, VERSION = "pragam-checkpoint", 1

_FIELDS = {"kind": str, "belongs": dict, "meta": dict, "sha256": str}
#: The types of its tensors; others are written as bytes.
TYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8}


class Content(NamedTuple):
    """What a checkpoint holds."""

    kind: str
    belongs: dict[str, Any]
    meta: dict[str, Any]
    tensors: dict[str, NDArray[Any]]


def write(path: str | os.PathLike[str], content: Content) -> None:
    """Write a checkpoint; it appears whole, with all bytes on the disk, or the one before stays."""
    record = {"kind": content.kind, "belongs": content.belongs, "meta": content.meta}
    known = {"format": FORMAT, "version": VERSION, "sha256": _sum(record, content.tensors)}
    container.write(path, {**known, **record}, content.tensors)


def read(path: str | os.PathLike[str]) -> Content:
    """What a file holds. One of another version, or a damaged one, is a ValueError of one line."""
    with open(path, "rb") as stream:
        return container.read(stream, os.fspath(path), _content, what="checkpoint")


def verify(path: str | os.PathLike[str], content: Content, kind: str, belongs: Mapping[str, Any]) -> None:
    """Refuse a checkpoint of anything else, in a line that says what differs."""
    if content.kind != kind:
        raise ValueError(f"{path}: is a checkpoint of a {content.kind}, not of a {kind}: give another path")
    for name, value in belongs.items():
        if content.belongs.get(name) != value:
            raise ValueError(
                f"{path}: is a checkpoint of {_other(name, content.belongs.get(name), value)}: go on with what it was "
                "made with, or give another path"
            )


@contextmanager
def held(path: str | os.PathLike[str]) -> Iterator[None]:
    """A context in which no other process has this checkpoint. The lock is a file beside it, gone afterwards."""
    beside = Path(path).with_name(f".{Path(path).name[:200]}.lock")
    if Path(path).is_dir() or os.fspath(path).endswith(os.sep):
        raise ValueError(f"{path}: is a directory, and a checkpoint is a file")
    while True:
        with _opened(beside, path) as stream:
            if lock(stream) is False:
                raise ValueError(f"{path}: another process has its checkpoint here: wait for it, or give another path")
            if not _is_at(stream.fileno(), beside):  # its last holder has removed it meanwhile
                continue
            try:
                yield
            finally:
                beside.unlink(missing_ok=True)
            return


def _opened(beside: Path, path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open(beside, "ab")
    except OSError as error:
        raise ValueError(f"{path}: no checkpoint can be written here ({error.strerror}): give another path") from error


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _content(text: str, tensors: Callable[[], container.Tensors]) -> Content:
    stored = json.loads(text)
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ValueError("it is of another format")
    if stored.get("version") != VERSION:
        raise ValueError(f"its version is {stored.get('version')!r:.20}, and this pragam has {VERSION}: begin anew")
    record = fields_of(stored, _FIELDS)
    found = tensors()
    arrays = {name: found.array(name, found.dtype(name, *TYPES)) for name in found.names()}
    expected = record.pop("sha256")
    if _sum({name: record[name] for name in ("kind", "belongs", "meta")}, arrays) != expected:
        raise ValueError("it is damaged: remove it, and begin anew")
    return Content(record["kind"], record["belongs"], record["meta"], arrays)


def _sum(record: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    whole = hashlib.sha256(json.dumps(record, sort_keys=True, allow_nan=False).encode())
    for name, tensor in sorted(tensors.items()):
        whole.update(f"{name} {tensor.dtype.str} {tensor.shape}".encode())
        whole.update(np.ascontiguousarray(tensor).data)
    return whole.hexdigest()


def _other(name: str, before: Any, now: Any) -> str:
    """What differs, in words: numbers and names as they were, fingerprints not."""
    is_told = all(value is None or isinstance(value, (int, float, str)) for value in (before, now))
    if is_told and max(len(str(before)), len(str(now))) <= 40:
        return f"another {name} ({before}, not {now})"
    return f"other {name}" if name.endswith(("data", "s")) else f"another {name}"
