"""An input, opened once: a file, a pipe, a FIFO or a file object, plain or compressed.

A pipe can be read only once, so nothing here opens an input twice or seeks in it. The first bytes tell the format.
They are read in full, even if a pipe delivers only a few at a time, and then put back in front of the rest.
"""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

#: The types that an input may have.
Path = str | os.PathLike[str] | BinaryIO

_HEAD = 6
_BUFFER = 1 << 17
#: First bytes: a decompressor. zlib's 31 asks for gzip's header and its checksum.
_PACKED: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
}


class Source:
    """An opened input whose first bytes, ``head``, have been read."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self._file = file
        self.head = _exactly(file, _HEAD)

    def content(self, begin: int = 0) -> BinaryIO:
        """All bytes from the first one, or behind the first ``begin``, decompressed if necessary."""
        make = next((make for magic, make in _PACKED.items() if self.head.startswith(magic)), None)
        if begin and make is None and self.is_file:
            self._file.seek(begin)
            return io.BufferedReader(Rejoined(b"", self._file), _BUFFER)
        packed = io.BufferedReader(Rejoined(self.head, self._file), _BUFFER)
        stream = packed if make is None else io.BufferedReader(_Unpacked(self.name, packed, make), _BUFFER)
        while begin and (skipped := stream.read(min(begin, _BUFFER))):
            begin -= len(skipped)
        return stream

    @property
    def position(self) -> int:
        """How many bytes of the input were read, 0 if it does not know."""
        try:
            return self._file.tell()
        except (AttributeError, OSError):
            return 0

    @property
    def is_file(self) -> bool:
        """Whether this is a regular file, read from its first byte, which can be memory-mapped."""
        try:
            return stat.S_ISREG(os.fstat(self._file.fileno()).st_mode) and self._file.tell() == len(self.head)
        except (AttributeError, OSError):  # not a file of the operating system
            return False

    def as_file(self) -> BinaryIO:
        """The same bytes in a regular file: the input itself, or else a temporary copy."""
        if self.is_file:
            return self._file
        copy: Any = tempfile.TemporaryFile()  # noqa: SIM115 (a memory map goes on using it)
        copy.write(self.head)
        shutil.copyfileobj(self._file, copy, _BUFFER)
        copy.flush()
        return copy


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The input at ``path``. A file object stays open."""
    if isinstance(path, (str, os.PathLike)):
        with open(path, "rb") as file:
            yield Source(os.fspath(path), file)
        return
    name = str(getattr(path, "name", "<stream>"))
    if isinstance(path, io.TextIOBase):
        raise ValueError(f"{name}: the file must be opened in binary mode")
    yield Source(name, path)


def _exactly(file: IO[bytes], size: int) -> bytes:
    """The next ``size`` bytes, or all up to the end. A single read of a raw stream may return fewer."""
    head = b""
    while len(head) < size and (more := file.read(size - len(head))):
        head += more
    return head


class Rejoined(io.RawIOBase):
    """A stream whose first bytes have already been read."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readall(self) -> bytes:
        data, self._head = self._head + self._rest.read(), b""
        return data

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        return len(data)


class _Unpacked(io.RawIOBase):
    """The plain bytes of one or several compressed streams in a row, as ``cat a.gz b.gz`` makes them.

    Unlike :func:`lzma.open` and :func:`bz2.open`, it refuses data after a stream that are not another stream, apart
    from zeros that fill a block. So a damaged second part is not mistaken for the end.
    """

    def __init__(self, name: str, packed: IO[bytes], make: Callable[[], Any]) -> None:
        self._name, self._packed, self._make = name, packed, make
        self._engine, self._input = make(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._engine.eof or self._next():
            try:
                data = self._engine.decompress(self._input, len(buffer))
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise self._damaged(error) from error
            self._input = getattr(self._engine, "unconsumed_tail", b"")  # zlib's; the others store what is left
            if data:
                buffer[: len(data)] = data
                return len(data)
            if not self._engine.eof:
                self._input += self._more()
        return 0

    def _more(self) -> bytes:
        data = self._packed.read(_BUFFER)
        if not data:
            raise self._damaged("the data end early")
        return data

    def _damaged(self, why: object) -> ValueError:
        return ValueError(f"{self._name}: cannot decompress: {why}")

    def _next(self) -> bool:
        """Go to the next stream, if there is one."""
        rest = self._engine.unused_data.lstrip(b"\0")
        while not rest and (data := self._packed.read(_BUFFER)):
            rest = data.lstrip(b"\0")
        if rest:
            self._engine, self._input = self._make(), rest
        return bool(rest)
