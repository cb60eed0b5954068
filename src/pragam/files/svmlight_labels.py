"""Labels of svmlight text that are no numbers: none at all, as in data to predict, or several, as ``1,5,7``.

The reader of svmlight wants a number. A filter rewrites the first word of each line to one before it is parsed, and
remembers what stood there. Positions in messages stay those of lines.
"""

from __future__ import annotations

import re

from pragam.files.blocks import Block

#: A line that begins with index:value; one that begins with a mark for "unknown".
_NONE = re.compile(rb"^([ \t]*)(?=[^\s#:,]+:)", re.MULTILINE)
_UNKNOWN = re.compile(rb"^[ \t]*(?:\?|nan)(?=\s|\Z)", re.MULTILINE | re.IGNORECASE)


class Missing:
    """Rows may have no label, or ``?`` or ``nan`` for one; then ``found`` is true, and the number read is 0."""

    def __init__(self) -> None:
        self.found = False

    def __call__(self, block: Block) -> Block:
        head, text = (b"", block.text) if not block.continued else _first_line(block.text)
        text, unknown = _UNKNOWN.subn(b"0", text)
        text, none = _NONE.subn(rb"\g<1>0 ", text)
        self.found |= bool(unknown or none)
        return block._replace(text=head + text)


class LabelLists:
    """Rows have any number of labels between commas; ``lists`` has them as text, a list for each row."""

    def __init__(self) -> None:
        self.lists: list[list[str]] = []

    def __call__(self, block: Block) -> Block:
        head, text = (b"", block.text) if not block.continued else _first_line(block.text)
        lines = [self._line(line) for line in text.splitlines(keepends=True)]
        return block._replace(text=head + b"".join(lines))

    def _line(self, line: bytes) -> bytes:
        words = line.split(None, 1)
        if not words or words[0].startswith(b"#"):
            return line
        has_labels = b":" not in words[0]
        names = words[0].decode("utf-8", "replace").split(",") if has_labels else []
        self.lists.append([name for name in names if name])
        return b"0 " + (words[1] if has_labels and len(words) > 1 else b"\n" if has_labels else line)


def _first_line(text: bytes) -> tuple[bytes, bytes]:
    """The rest of a line that began in another block, and what follows."""
    cut = text.find(b"\n") + 1
    return text[:cut], text[cut:]
