"""How a solve ended, by the name that a model file has for it."""

from __future__ import annotations

from typing import Any

from pragam.result import Status


def status_of(name: Any) -> Status:
    """The status of this name. ValueError if there is none."""
    if not isinstance(name, str) or name not in Status.__members__:
        raise ValueError(f"the status of the model, {name!r:.40}, is not known")
    return Status[name]
