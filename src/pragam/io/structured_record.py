"""What the records of all models of structured output have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pragam.io.model import check_classes


def checked(record: Any, form: str, version: int, kinds: Mapping[str, type]) -> dict[str, Any]:
    """A record of this format and version, whose fields have these types. ValueError if it is none."""
    if not isinstance(record, dict) or record.get("format") != form:
        raise ValueError(f"its format is not {form!r}")
    if record.get("version") != version:
        raise ValueError(f"its format version is {record.get('version')!r:.40}, and this pragam reads {version}")
    for name, kind in kinds.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(f"{name} must be a {kind.__name__}")
    check_classes(record["classes"])
    return record
