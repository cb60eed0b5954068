"""Text in blocks of whole lines. The size of a block is bounded, however long the lines are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

#: The most bytes that a word, the text between two blanks, may have if it is longer than a block.
LONGEST_WORD = 1 << 20
LONE_RETURN = "a carriage return without a newline: end every line with a newline"


class LineError(ValueError):
    """Text that no line may contain."""


class Block(NamedTuple):
    """Some lines, each with its newline.

    ``continued``: the first line is the rest of a line that began, with a label and more, in the previous block.
    ``unfinished``: the last line continues in the next block, and its newline was added.
    ``end``: how many bytes of the text come before what follows the block, unless that is unfinished.
    """

    text: bytes
    continued: bool
    unfinished: bool
    end: int


def blocks(stream: BinaryIO, size: int) -> Iterator[Block]:
    """The stream's text in blocks of about ``size`` bytes. The last line gets a newline if it has none.

    A longer line is cut between two words, but not before its third word, and loses its comment. So a text without
    newlines takes no more memory than any other.
    """
    rest = bytearray()
    read = 0
    continued = in_comment = False
    last = b""  # a carriage return at the end of the part read so far of a long line
    while chunk := stream.read(size):
        read += len(chunk)
        if in_comment:
            part, newline, after = (last + chunk).partition(b"\n")
            last = _last_return(part)
            if not newline:
                continue
            chunk, in_comment = newline + after, False
        rest += chunk
        if cut := rest.rfind(b"\n") + 1:
            yield Block(_first(rest, cut), continued, unfinished=False, end=read - len(rest) + cut)
            del rest[:cut]
            continued = False
        if len(rest) < size:
            continue
        last = _last_return(rest)
        if (comment := rest.find(b"#")) >= 0:
            del rest[comment:]
            in_comment = True
        cut = _after_last_blank(rest)
        words = rest[:cut].split(maxsplit=2)
        if continued or len(words) >= 2:
            yield Block(_first(rest, cut) + b"\n", continued, unfinished=True, end=read - len(rest) + cut)
            del rest[:cut]
            continued = True
        else:  # one word or none, among blanks
            rest[:cut] = b"".join(word + b" " for word in words)
        if len(rest) > max(size, LONGEST_WORD):
            raise LineError(f"a word of more than {LONGEST_WORD} bytes")
    if rest or continued:
        yield Block(bytes(rest) + b"\n", continued, unfinished=False, end=read)


def _first(text: bytearray, size: int) -> bytes:
    """The first bytes, copied once."""
    with memoryview(text) as view:
        return bytes(view[:size])


def _last_return(line: bytes | bytearray) -> bytes:
    """The carriage return at the end of a part of a line. Anywhere else it might hide another line."""
    if (place := line.find(b"\r")) not in (-1, len(line) - 1):
        raise LineError(LONE_RETURN)
    return b"" if place < 0 else b"\r"


def _after_last_blank(text: bytearray) -> int:
    """The position behind the last blank. A carriage return is no blank here, since the newline may be next."""
    return 1 + max(text.rfind(blank) for blank in (b" ", b"\t", b"\v", b"\f"))
