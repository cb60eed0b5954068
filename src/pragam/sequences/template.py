r"""Feature templates: which features a token of a column file has.

A template is text, one feature a line. A line is one or more parts between ``|``. A part is a column and the place of a
token relative to the present one, ``column[offset]``, and perhaps a form of its value, ``column[offset].form``::

    w[0]            # the word
    w[-1]|w[0]      # the word before and the word, as one feature
    p[1]            # the second column of the next token
    2[0]            # columns by number, from 0; w is column 0 and p is column 1
    w[0].lower      # in lower case
    w[0].prefix3    # the first 3 characters; suffix3: the last 3
    w[0].shape      # Xxx-00: upper case, lower case, digits and the rest, runs made short

What follows a ``#`` and empty lines mean nothing. A feature is a string, such as ``w[-1]|w[0]=the|dog``. A token
so near an end of its sequence that a part is outside does not have the feature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.files.column_files import ColumnData

Codes = NDArray[np.int64]

_NAMES = {"w": 0, "p": 1}
_PART = re.compile(r"(w|p|[0-9]{1,3})\[([+-]?[0-9]{1,3})\](?:\.(lower|shape|(?:prefix|suffix)[1-9]))?")
_WORDS = ("w[-2]", "w[-1]", "w[0]", "w[1]", "w[2]", "w[-1]|w[0]", "w[0]|w[1]")
_TAGS = (
    "p[-2]", "p[-1]", "p[0]", "p[1]", "p[2]", "p[-2]|p[-1]", "p[-1]|p[0]", "p[0]|p[1]", "p[1]|p[2]",
    "p[-2]|p[-1]|p[0]", "p[-1]|p[0]|p[1]", "p[0]|p[1]|p[2]",
)  # fmt: skip


class Part(NamedTuple):
    """The value of a column at an offset, in some form."""

    column: int
    offset: int
    form: str  # "" is the value itself


class Occurrences(NamedTuple):
    """The features that one line of a template makes: their names, and the number of each token's, -1 for none."""

    names: list[str]
    codes: Codes


def default_template(n_columns: int) -> str:
    """Words in a window of two tokens to each side and, if there is a second column, its values up to trigrams."""
    return "\n".join(_WORDS if n_columns < 2 else _WORDS + _TAGS) + "\n"


class Template:
    """A feature template; ``text`` is what it was made from."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.features: dict[str, tuple[Part, ...]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            name = line.partition("#")[0].strip()
            if name:
                self.features[name] = tuple(_part(part, number) for part in name.split("|"))
        if not self.features:
            raise ValueError("the template has no features")

    @property
    def n_columns(self) -> int:
        """How many columns the template needs."""
        return 1 + max(part.column for parts in self.features.values() for part in parts)

    def occurrences(self, data: ColumnData) -> list[Occurrences]:
        """For each line of the template, the features of all tokens. Strings are made once for each feature."""
        if len(data.columns) < self.n_columns:
            raise ValueError(f"the template uses column {self.n_columns - 1}, and there are {len(data.columns)}")
        first = np.repeat(np.cumsum(data.lengths) - data.lengths, data.lengths)
        last = first + np.repeat(data.lengths, data.lengths) - 1
        coded = {key: _coded(data.columns[key[0]], key[1]) for key in self._values()}
        return [_joined(name, parts, coded, first, last) for name, parts in self.features.items()]

    def _values(self) -> set[tuple[int, str]]:
        return {(part.column, part.form) for parts in self.features.values() for part in parts}


def _part(text: str, number: int) -> Part:
    found = _PART.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"template, line {number}: {text.strip()!r:.40} is not of the form column[offset] or .form")
    column, offset, form = found.groups()
    return Part(_NAMES[column] if column in _NAMES else int(column), int(offset), form or "")


def _coded(values: Sequence[str], form: str) -> tuple[list[str], Codes]:
    """The different values in a form, and the number of each token's."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(value, len(numbers)) for value in values), np.int64, len(values))
    if not form:
        return list(numbers), codes
    shaped: dict[str, int] = {}
    change = _change(form)
    again = np.array([shaped.setdefault(change(value), len(shaped)) for value in numbers], dtype=np.int64)
    return list(shaped), again[codes]


def _change(form: str) -> Callable[[str], str]:
    if form.startswith("prefix"):
        return lambda value: value[: int(form[6:])]
    if form.startswith("suffix"):
        return lambda value: value[-int(form[6:]) :]
    return str.lower if form == "lower" else _shape


def _escaped(value: str) -> str:
    """A value that is joined to others by bars: its own ones are marked, so that no two features have one name."""
    return value.replace("\\", "\\\\").replace("|", "\\|")


def _shape(value: str) -> str:
    kinds = "".join("X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c for c in value)
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)


def _joined(
    name: str, parts: tuple[Part, ...], coded: dict[tuple[int, str], tuple[list[str], Codes]], first: Codes, last: Codes
) -> Occurrences:
    """The features of one line: the codes of its parts, joined one after the other."""
    places = np.arange(len(first))
    inside = np.ones(len(first), dtype=bool)
    values, codes = [f"{name}="], np.zeros(len(first), dtype=np.int64)
    for k, part in enumerate(parts):
        at = places + part.offset
        inside &= (at >= first) & (at <= last)
        own, numbers = coded[part.column, part.form]
        pairs = np.where(inside, codes * len(own) + numbers[np.where(inside, at, 0)], -1)
        kept, codes = np.unique(pairs, return_inverse=True)
        if kept[0] == -1:  # tokens without the feature stay without it
            kept, codes = kept[1:], codes - 1
        gap, own = ("|" if k else ""), own if len(parts) == 1 else [_escaped(value) for value in own]
        values = [f"{values[pair // len(own)]}{gap}{own[pair % len(own)]}" for pair in kept.tolist()]
    return Occurrences(values, codes)
