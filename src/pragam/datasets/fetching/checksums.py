"""Checksums of files. A file is hashed once: what was found is remembered until its size or its time changes."""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from pathlib import Path

from pragam.datasets.fetching.places import Place, cache_folder
from pragam.files.atomic import replacing

_BLOCK = 1 << 20


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def identity(path: Path) -> str:
    """A short name for the content of a file, by its place, size and time of change."""
    stat = path.stat()
    return hashlib.sha256(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:16]


def remembered_sha256(path: Path) -> str:
    """The SHA-256 of a file, from the cache if it was computed before."""
    note = cache_folder() / "sums" / f"{path.name}-{identity(path)}"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = note.read_text("ascii")
        if len(text) == 64:
            return text
    found = sha256_of(path)
    with contextlib.suppress(OSError):  # a cache that cannot be written only costs time
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(note) as stream:
            stream.write(found.encode("ascii"))
    return found


def check(place: Place) -> None:
    """Warn if a file is not the one on record. It may be a newer one, so it is read all the same."""
    expected = place.file.sha256
    if expected and (found := remembered_sha256(place.path)) != expected:
        warnings.warn(
            f"{place.path} is not the file on record: its sha256 is {found}, not {expected}", UserWarning, stacklevel=2
        )
