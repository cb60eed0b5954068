"""Docstrings in which shared parameters and attributes are written once: a class inherits those of its bases.

An entry of a section is ``name : type`` at the margin, and its indented text.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

_SECTIONS = ("Parameters", "Attributes")
_HEAD = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def sections_of(text: str | None) -> tuple[str, dict[str, dict[str, str]]]:
    """(what comes before the sections, the entries of each section by name)."""
    text = cleandoc(text or "")
    pieces = _HEAD.split(text)
    bodies = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    return pieces[0].rstrip(), {name: _entries(bodies.get(name, "")) for name in _SECTIONS}


def inherited(cls: type[Any]) -> str:
    """The docstring of a class: its own entries, then those of its bases for what it does not describe itself."""
    summary, own = sections_of(cls.__doc__)
    for base in cls.__mro__[1:]:
        if hasattr(base, "_parameter_constraints"):
            for name, entries in sections_of(base.__doc__)[1].items():
                own[name] = {**own[name], **{key: text for key, text in entries.items() if key not in own[name]}}
    parts = [f"{name}\n{'-' * len(name)}\n" + "\n".join(own[name].values()) for name in _SECTIONS if own[name]]
    return "\n\n".join([summary, *parts]) + "\n"


def _entries(body: str) -> dict[str, str]:
    entries = re.split(r"\n(?=\S)", body.strip()) if body.strip() else []
    return {entry.split(" : ")[0]: entry.rstrip() for entry in entries}
