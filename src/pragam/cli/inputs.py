"""Names of files on the command line: what they stand for, and which may not be the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pragam.files.rows import labels_beside
from pragam.packed.layout import MANIFEST

_ELSEWHERE = "name another output"


def named(path: str) -> Any:
    """The input that a name stands for. ``-`` is the standard input."""
    return sys.stdin.buffer if path == "-" else path


@contextmanager
def about(path: str | None) -> Iterator[None]:
    """What is wrong within is wrong with this file: its name comes first."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}" if path else str(error)) from error


def check_files(inputs: list[str | None], outputs: list[str | None]) -> None:
    """Refuse, before anything is read, what would lose a file or cannot be written.

    Standard input can be read only once. An output that is one of the inputs, by its name, through a link or because
    the standard input comes from it, would replace it; one in a packed directory that is read could be any of its
    files; two outputs of one name would lose one of them. NAME.npy is read with NAME.y.npy. An output called - would be
    a file of that name, which no command reads again.
    """
    sources, targets = [path for path in inputs if path], [path for path in outputs if path]
    if sources.count("-") > 1:
        raise ValueError("only one of MODEL and DATA can be the standard input")
    sources += [str(labels_beside(path)) for path in sources if path.endswith(".npy")]
    for path in targets:
        if path == "-":
            raise ValueError("-: no output goes to the standard output by this name; predict writes there without -o")
        _check_target(Path(path))
        for other in sources:
            if _is_same(path, other):
                raise ValueError(f"{path}: is read by this command too, and would be replaced; {_ELSEWHERE}")
            if _is_packed_with(path, other):
                raise ValueError(f"{path}: {other} is read by this command too, and is not written into; {_ELSEWHERE}")
    for k, path in enumerate(targets):
        if any(_is_same(path, other) for other in targets[:k]):
            raise ValueError(f"{path}: two outputs of this command would be this file")


def _is_same(target: str, source: str) -> bool:
    """Whether both lead to one regular file; a device or a pipe loses nothing."""
    if not os.path.isfile(target) and os.path.exists(target):
        return False
    try:
        return os.path.samestat(os.stat(target), os.fstat(0) if source == "-" else os.stat(source))
    except OSError:  # one of them does not exist
        return os.path.realpath(target) == os.path.realpath(source)


def _is_packed_with(target: str, source: str) -> bool:
    """Whether ``source`` is a packed directory, and ``target`` is to lie in it."""
    return Path(source, MANIFEST).exists() and Path(os.path.realpath(source)) in Path(os.path.realpath(target)).parents


def _check_target(path: Path) -> None:
    """Fail before the work, not after it."""
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, and the output is one file")
    target = Path(os.path.realpath(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"{path}: cannot be written to")
    through = path.exists() and not path.is_file()  # a device or a FIFO
    if not through and not os.access(target.parent, os.W_OK | os.X_OK):
        raise ValueError(f"{path}: its folder does not exist or cannot be written to")
