"""Objects of JSON whose fields have types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fields_of(record: Any, kinds: Mapping[str, type]) -> dict[str, Any]:
    """The record, if it is an object with these fields of these types; a whole number is a float, too."""
    if type(record) is not dict:
        raise ValueError(f"it must hold an object with {', '.join(kinds)}, not {record!r:.40}")
    for name, kind in kinds.items():
        found = record.get(name)
        if type(found) is not kind and not (kind is float and type(found) is int):
            raise ValueError(f"{name} must be a {kind.__name__}, not {found!r:.40}")
    return record
