"""Tags of chunks: ``O`` is in none; ``B-x``, ``I-x``, ``E-x`` begin, continue and end one of type x, ``S-x`` is one.

A scheme says which tags need others of their type beside them:

* ``iob`` (IOB2): a chunk is B I I; an I follows a B or an I;
* ``iob1``: a chunk is I I I; a B begins one right behind another of its type, so it follows a B or an I;
* ``bioes``: a chunk is S or B I E; an I or an E follows a B or an I, and nothing else does.

Types may be left out: ``B`` is a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

_TAG = re.compile(r"O|[BIES](-.+)?")


class Scheme(NamedTuple):
    """Its letters, and of some of them those that must come before, or behind, in a tag of the same type."""

    letters: str
    before: dict[str, str]
    behind: dict[str, str]


SCHEMES = {
    "iob": Scheme("BIO", {"I": "BI"}, {}),
    "iob1": Scheme("BIO", {"B": "BI"}, {}),
    "bioes": Scheme("BIOES", {"I": "BI", "E": "BI"}, {"B": "IE", "I": "IE"}),
}


def are_tags(labels: Iterable[Any]) -> bool:
    """Whether all labels are tags, and they cannot be anything else: one is B or I, or has a type."""
    tags = list(labels)
    is_tag = all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in tags)
    return is_tag and any(tag[0] in "BI" or "-" in tag for tag in tags)


def flags_of(scheme: str, labels: Sequence[Any]) -> tuple[Flags, Flags, Flags]:
    """Which tag (column) may follow which (row), which may begin a sequence, and which may end it."""
    letters, before, behind = SCHEMES[scheme]
    if not are_tags(labels) or not {label[0] for label in labels} <= set(letters):
        such = ", ".join(letter if letter == "O" else f"{letter}-x" for letter in letters)
        raise ValueError(f"transitions={scheme!r} needs labels such as {such}, not {list(labels)!r:.60}")
    K = len(labels)
    is_alike = np.array([[one[1:] == other[1:] for other in labels] for one in labels], dtype=bool).reshape(K, K)
    follows = _needed(labels, before)
    leads = _needed(labels, behind)
    starts, ends = (np.array([label[0] not in needs for label in labels]) for needs in (before, behind))
    return (starts | (follows.T & is_alike)) & (ends[:, None] | (leads & is_alike)), starts, ends


def _needed(labels: Sequence[str], needs: dict[str, str]) -> Flags:
    """Whether the letter of each label (row) needs that of each other one (column)."""
    return np.array([[other[0] in needs.get(one[0], "") for other in labels] for one in labels], dtype=bool)
