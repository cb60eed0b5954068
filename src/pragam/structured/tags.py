"""Tags of chunks: ``O`` is in none; ``B-x``, ``I-x``, ``E-x`` begin, continue and end one of type x, ``S-x`` is one.

A scheme says which tags need others of their type beside them:

* ``iob`` or ``iob2``: a chunk is B I I; an I follows a B or an I;
* ``iob1``: a chunk is I I I; a B begins one right behind another of its type, so it follows a B or an I;
* ``ioe2``: a chunk is I I E; an I or an E follows each I;
* ``ioe1``: a chunk is I I I; an E ends one right before another of its type, so an I or an E follows it;
* ``bioes`` or ``iobes``: a chunk is S or B I E; an I or an E follows a B or an I, and nothing else does;
* ``bilou``: the same, with U for S and L for E.

Types may be left out: ``B`` is a tag. Only L and U need one: labels of one letter are seldom tags of this scheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

_TAG = re.compile(r"O|[BIES](-.+)?|[LU]-.+")


class Scheme(NamedTuple):
    """Its letters, and of some of them those that must come before, or behind, in a tag of the same type."""

    letters: str
    before: dict[str, str]
    behind: dict[str, str]


_IOB2 = Scheme("BIO", {"I": "BI"}, {})
_BIOES = Scheme("BIOES", {"I": "BI", "E": "BI"}, {"B": "IE", "I": "IE"})

SCHEMES = {
    "iob": _IOB2,
    "iob1": Scheme("BIO", {"B": "BI"}, {}),
    "iob2": _IOB2,
    "ioe1": Scheme("IOE", {}, {"E": "IE"}),
    "ioe2": Scheme("IOE", {}, {"I": "IE"}),
    "bioes": _BIOES,
    "iobes": _BIOES,
    "bilou": Scheme("BILOU", {"I": "BI", "L": "BI"}, {"B": "IL", "I": "IL"}),
}


class Needs(NamedTuple):
    """Of K tags: whether tag j (column) has what it needs before it if that is tag i, and tag i what it needs behind it
    if that is tag j, (K, K); and which tags need nothing before them, and nothing behind them."""

    before: Flags
    behind: Flags
    starts: Flags
    ends: Flags


def are_tags(labels: Iterable[Any]) -> bool:
    """Whether all labels are tags, and they cannot be anything else: one is B or I, or has a type. That of an L or a U
    is none without an O beside it."""
    tags = list(labels)
    has_outside = "O" in tags
    return all(map(is_tag, tags)) and any(
        tag[0] in "BI" or ("-" in tag and (has_outside or tag[0] in "ES")) for tag in tags
    )


def is_tag(label: Any) -> bool:
    """Whether a label can be a tag."""
    return isinstance(label, str) and _TAG.fullmatch(label) is not None


def needs_of(scheme: str, tags: Sequence[str]) -> Needs:
    """What the tags of a scheme need beside them. ValueError for a tag of another scheme."""
    if scheme not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(map(repr, SCHEMES))}, not {scheme!r:.40}")
    letters, before, behind = SCHEMES[scheme]
    other = [tag for tag in tags if not is_tag(tag) or tag[0] not in letters]
    if other:
        raise ValueError(f"scheme={scheme!r} has tags such as {_such(letters)}, not {other[0]!r:.40}")
    K = len(tags)
    is_alike = np.array([[one[1:] == other[1:] for other in tags] for one in tags], dtype=bool).reshape(K, K)
    starts, ends = (np.array([tag[0] not in needs for tag in tags], dtype=bool) for needs in (before, behind))
    has_before, has_behind = _needed(tags, before).T & is_alike, _needed(tags, behind) & is_alike
    return Needs(starts | has_before, ends[:, None] | has_behind, starts, ends)


def flags_of(scheme: str, labels: Sequence[Any]) -> tuple[Flags, Flags, Flags]:
    """Which tag (column) may follow which (row), which may begin a sequence, and which may end it."""
    letters = SCHEMES[scheme].letters
    if not are_tags(labels) or not _has(letters, labels):
        others = [repr(name) for name, other in SCHEMES.items() if are_tags(labels) and _has(other.letters, labels)]
        hint = f"; their letters are those of {' and '.join(others)}" if others else ""
        raise ValueError(
            f"transitions={scheme!r} needs labels such as {_such(letters)}, not {list(labels)!r:.60}{hint}"
        )
    before, behind, starts, ends = needs_of(scheme, labels)
    return before & behind, starts, ends


def _has(letters: str, tags: Sequence[str]) -> bool:
    return {tag[0] for tag in tags} <= set(letters)


def _such(letters: str) -> str:
    return ", ".join(letter if letter == "O" else f"{letter}-x" for letter in letters)


def _needed(tags: Sequence[str], needs: dict[str, str]) -> Flags:
    """Whether the letter of each tag (row) needs that of each other one (column)."""
    return np.array([[other[0] in needs.get(one[0], "") for other in tags] for one in tags], dtype=bool)
