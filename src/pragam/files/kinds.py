"""Recognise a file of the wrong format, so that the one-line error can say what it looks like."""

from __future__ import annotations

import re
from collections.abc import Callable

#: The number of first bytes that :func:`looks_like` needs at most.
HEAD = 4096

MODEL, SVMLIGHT, CSV = "a pragam model", "svmlight data", "a table of comma-separated values (CSV)"
_BOM = b"\xef\xbb\xbf"
_CONVERT = "write it with pragam.datasets.save_svmlight, or as NAME.npy with the labels in NAME.y.npy"
_ORDER = "the commands take MODEL before DATA"
_TABLE = "--target COLUMN trains on it (in Python models.Encoding); the commands take MODEL before DATA"
_UNPACK = "decompress it first"
_CHAIN = "--task chain trains on sequences; the commands take MODEL before DATA"

_SAMPLE = re.compile(rb"[+-]?[0-9.][0-9.eE+-]*(\s+(qid|[0-9]+):\S+)*\s*(#.*)?")
_NUMBERS = re.compile(rb"[+-]?[0-9.][0-9.eE+-]*(\s+[+-]?[0-9.][0-9.eE+-]*)+\s*")
_NUMBER, _FEATURE = re.compile(rb"[+-]?[0-9.][0-9.eE+-]*"), re.compile(rb"[^:]+:[^:]+")
_FIELDS = re.compile(rb"[^:,;\t]*([,;\t][^:,;\t]*)+")


def looks_like(head: bytes, wanted: str) -> str:
    """``"; it looks like KIND: what to do"`` for a file with these first bytes. Empty if the format is unknown or is
    the ``wanted`` one."""
    for kind, remedy, matches in _KINDS:
        if matches(head):
            return "" if kind == wanted else f"; it looks like {kind}: {remedy}"
    return ""


def _starts(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magic) or head.lstrip().lower().startswith(magic)


def _safetensors(head: bytes) -> bool:
    """Eight bytes with the length of the header, then the header, which is JSON."""
    return head[8:10] == b'{"' and int.from_bytes(head[:8], "little") < 1 << 27


def _first_line(pattern: re.Pattern[bytes]) -> Callable[[bytes], bool]:
    def matches(head: bytes) -> bool:
        lines = (line.strip() for line in head.splitlines())
        first = next((line for line in lines if line and not line.startswith(b"#")), b"")
        return bool(pattern.fullmatch(first))

    return matches


def _columns(head: bytes) -> bool:
    """Lines of equally many words, the first no number and none with a feature's colon. The last line may be cut."""
    lines = [line.split() for line in head.splitlines()]
    rows = [words for words in lines[:-1] or lines if words]
    if not rows or len(rows[0]) < 2 or any(len(words) != len(rows[0]) for words in rows):
        return False
    return not (_NUMBER.fullmatch(rows[0][0]) or any(map(_FEATURE.fullmatch, rows[0])))


_is_table = _first_line(_FIELDS)

#: In the order in which they are tried: format, what to do, test of the first bytes.
_KINDS: tuple[tuple[str, str, Callable[[bytes], bool]], ...] = (
    (MODEL, _ORDER, _safetensors),
    ("a LIBLINEAR model", _ORDER, _starts(b"solver_type ")),
    ("a LIBSVM model", "pragam reads LIBLINEAR's models and its own", _starts(b"svm_type ")),
    ("a NumPy matrix", "give it as DATA, not compressed", _starts(b"\x93NUMPY")),
    ("an .npz or another zip file", "give it as DATA, not compressed", _starts(b"PK\x03\x04", b"PK\x05\x06")),
    ("compressed data", _UNPACK, _starts(b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")),
    ("a Python pickle", "it is never loaded; save the arrays as .npz or .npy", lambda head: head[:1] == b"\x80"),
    ("a parquet file", _TABLE, _starts(b"PAR1")),
    ("an HDF5, MATLAB or SQLite file", _CONVERT, _starts(b"\x89HDF", b"MATLAB", b"SQLite")),
    (CSV, _TABLE, lambda head: head.startswith(_BOM) and _is_table(head[len(_BOM) :])),
    ("text with a byte-order mark", "save it without one", _starts(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")),
    ("binary data", _CONVERT, lambda head: b"\0" in head.partition(b"\n")[0]),
    ("ARFF", _CONVERT, _starts(b"@relation", b"%")),
    ("HTML or XML", "was the download refused?", _starts(b"<")),
    ("JSON", _CONVERT, _starts(b"{", b"[")),
    (CSV, _TABLE, _is_table),
    ("a table of numbers without feature indices", _CONVERT, _first_line(_NUMBERS)),
    (SVMLIGHT, _ORDER, _first_line(_SAMPLE)),
    ("a column file", _CHAIN, _columns),
)  # fmt: skip
