"""The svmlight parser in Python: the specification of the compiled one."""

from __future__ import annotations

import re

import numpy as np

__all__ = ["svmlight_parse"]

NONE, BAD_LABEL, BAD_QUERY, BAD_INDEX, LARGE_INDEX, NO_COLON, BAD_VALUE, REPEATED_INDEX = range(8)
_TOKEN = re.compile(rb"[^ \t\r\v\f]+")
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DIGITS = re.compile(rb"[0-9]+")
_HIGHEST = 2**63 - 1


class _Fault(Exception):  # noqa: N818  (control flow inside this file)
    """A fault's code and its offset in the line."""


def svmlight_parse(text, labels, ends, indices, values, continued=False):
    """Parse ``text``, whole lines of ``label [qid:K] index:value ... # comment``, into the arrays given.

    Row i has the label ``labels[i]`` and the entries ``ends[i - 1] .. ends[i]`` of ``indices`` (as written)
    and ``values``. Parsing stops at the first fault, before the row that has it.

    Returns (rows, entries, fault, where, lowest, lowest_at, highest, highest_at). ``fault`` is the code and
    ``where`` the offset of the fault in the text, or 0 and -1 if there is none. A repeated index is reported at
    its row's label. ``lowest`` and ``highest`` are the extreme indices, each with the offset where it first
    occurs. If no entry was read, they are 2^63 - 1 and -1, both at -1.

    If ``continued``, the first line is the rest of the last line of an earlier text. Then row 0 consists of its
    features, has no label, and may repeat an index.
    """
    _check_room(text, labels, ends, indices, values)
    rows = entries = offset = 0
    extremes = [_HIGHEST, -1, -1, -1]
    for line in text.tobytes().split(b"\n")[:-1]:
        tokens = [(m.start(), m.group()) for m in _TOKEN.finditer(line.partition(b"#")[0])]
        try:
            if continued or tokens:
                if not continued:
                    labels[rows] = _number(*tokens[0], np.float64, BAD_LABEL)
                begin = 0 if continued else 1 + _has_query(tokens)
                row = _features(tokens[begin:], indices, values, entries, offset, extremes)
                if not continued and len(set(row)) < len(row):
                    raise _Fault(REPEATED_INDEX, tokens[0][0])
                entries += len(row)
                ends[rows] = entries
                rows += 1
        except _Fault as fault:
            return rows, entries, fault.args[0], offset + fault.args[1], *extremes
        offset += len(line) + 1
        continued = False
    return rows, entries, NONE, -1, *extremes


def _check_room(text, labels, ends, indices, values):
    if len(text) == 0 or text[-1] != ord("\n"):
        raise ValueError("text must end in a newline")
    if min(len(labels), len(ends)) < np.count_nonzero(text == ord("\n")):
        raise ValueError("labels and ends need a place for every newline")
    if min(len(indices), len(values)) < np.count_nonzero(text == ord(":")):
        raise ValueError("indices and values need a place for every colon")


def _features(tokens, indices, values, entries, offset, extremes):
    """Store a row's features, starting at position ``entries``. Returns its indices."""
    row: list[int] = []
    for start, token in tokens:
        index, value = _feature(start, token, indices.dtype, values.dtype)
        indices[entries + len(row)], values[entries + len(row)] = index, value
        row.append(index)
        if index > extremes[2]:
            extremes[2:] = index, offset + start
        if index < extremes[0]:
            extremes[:2] = index, offset + start
    return row


def _feature(start, token, index_type, value_type):
    digits, colon, value = token.partition(b":")
    if not _DIGITS.fullmatch(digits):
        raise _Fault(BAD_INDEX, start)
    if not colon:
        raise _Fault(NO_COLON, start)
    significant = digits.lstrip(b"0") or b"0"
    # The number of features, one more than the highest index counted from 0, must also fit.
    if len(significant) > 19 or int(significant) > min(np.iinfo(index_type).max, _HIGHEST - 1):
        raise _Fault(LARGE_INDEX, start)
    return int(significant), _number(start + len(digits) + 1, value, value_type, BAD_VALUE)


def _has_query(tokens):
    """Whether the second token is a query id. It is checked and otherwise ignored."""
    if len(tokens) < 2 or not tokens[1][1].startswith(b"qid:"):
        return False
    if not _DIGITS.fullmatch(tokens[1][1][4:]):
        raise _Fault(BAD_QUERY, tokens[1][0] + 4)
    return True


def _number(start, token, dtype, fault):
    with np.errstate(over="ignore"):
        value = np.dtype(dtype).type(float(token) if _NUMBER.fullmatch(token) else np.nan)
    if not np.isfinite(value):
        raise _Fault(fault, start)
    return value
